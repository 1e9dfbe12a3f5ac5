"""A column of paths as pictures: found, encoded, made small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.io.problems import Problems

SIDES = ((4_000, 96), (40_000, 64))  # up to how many pictures, how many pixels each
SMALLEST_SIDE = 32
FEWEST_FOUND = 2


@dataclass(frozen=True)
class PictureSource:
    """Where pictures are and how they become vectors."""

    folder: Path | None  # what paths are relative to
    # takes paths and the width of thumbnails, and returns an mrsne.encoders.Encoded
    encode: Callable[[Sequence[Path], int], Any]


def thumbnail_side(count: int) -> int:
    """Return how many pixels wide each of ``count`` thumbnails is, so that a page of all of them stays small."""
    return next((pixels for most, pixels in SIDES if count <= most), SMALLEST_SIDE)


def picture_vectors(
    paths: Sequence[str | None], source: PictureSource, names: Sequence[str], problems: Problems
) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.uint8]] | None:
    """Return vectors, which items have none, and thumbnails; None where hardly a picture is there."""
    files: dict[int, Path] = {}
    for item, path in enumerate(paths):
        found = None if path is None else _found(path, source.folder)
        if found is not None:
            files[item] = found
        elif path is not None:
            problems.add("picture that is not there", names[item], path)
    if len(files) < FEWEST_FOUND:
        return None
    encoded = source.encode(list(files.values()), thumbnail_side(len(paths)))
    vectors = np.zeros((len(paths), encoded.vectors.shape[1]), np.float32)
    thumbnails = np.zeros((len(paths), *encoded.thumbnails.shape[1:]), np.uint8)
    without = np.ones(len(paths), bool)
    for position, item in enumerate(files):
        if position in encoded.problems:
            problems.add("picture that cannot be read", str(files[item]), encoded.problems[position])
            continue
        vectors[item], thumbnails[item] = encoded.vectors[position], encoded.thumbnails[position]
        without[item] = False
    return None if (~without).sum() < FEWEST_FOUND else (vectors, without, thumbnails)


def _found(path: str, folder: Path | None) -> Path | None:
    plain = Path(path.replace("\\", "/"))
    candidates: list[Path] = [plain] if folder is None else [plain, folder / plain, folder / plain.name]
    for candidate in candidates:
        try:
            if candidate.is_file():
                return candidate
        except (OSError, ValueError):  # a name that no file can have
            continue
    return None
