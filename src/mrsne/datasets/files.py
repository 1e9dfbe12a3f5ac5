"""The files of data sets: published ones, with errors that name the file and the line, and bundled ones."""

import json
import os
from collections.abc import Iterator, Sequence
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.arrays import Float64, UInt8
from mrsne.parameters import FileContentError

THUMBNAIL = 48  # pixels


class DatasetError(FileContentError):
    """A file of a data set does not have the expected format.

    See Also
    --------
    mrsne.datasets.load_awa2, mrsne.datasets.load_flickr, mrsne.datasets.load_arrays : Raise it.

    Examples
    --------
    It is a ``ValueError``, so you need not import it.

    >>> import mrsne
    >>> issubclass(mrsne.datasets.DatasetError, ValueError)
    True
    """


def find_file(folder: str | os.PathLike[str], patterns: list[str], content: str, source: str) -> Path:
    """Return the first file in a folder or below that matches a pattern, trying the patterns in turn."""
    base = Path(folder)
    if not base.is_dir():
        raise FileNotFoundError(f"{str(base)!r} is not a folder; it must be one that holds {content}: {source}")
    for pattern in patterns:
        matches = sorted(file for file in base.rglob(pattern) if file.is_file())
        if matches:
            return matches[0]
    raise FileNotFoundError(f"there is no {' or '.join(patterns)} ({content}) in {str(base)!r}; {source}")


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the non-empty lines of a text file, each with its number."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise DatasetError(f"{str(path)!r} is not a text file in UTF-8 ({error})") from error


def error_at(path: Path, number: int, expected: str, actual: str) -> DatasetError:
    """Return an error that names the file and the line, what was expected there and what it has."""
    excerpt = actual if len(actual) <= 60 else actual[:57] + "..."
    return DatasetError(f"{str(path)!r}, line {number}: expected {expected}, got {excerpt!r}")


def check_count(path: Path, count: int, what: str, expected: int, reason: str) -> None:
    """Raise unless a file has as many lines or rows as another has entries."""
    if count != expected:
        raise DatasetError(f"{str(path)!r} has {count} {what}; expected {expected}, one for each {reason}")


def numbers(path: Path, number: int, line: str, width: int | None, expected: str) -> Float64:
    """Return the numbers of a line, separated by spaces."""
    try:
        row = np.array(line.split(), dtype=np.float64)
    except ValueError:
        raise error_at(path, number, expected, line) from None
    if (width is not None and len(row) != width) or not np.isfinite(row).all():
        raise error_at(path, number, expected, f"{len(row)} numbers, {line}" if np.isfinite(row).all() else line)
    return row


def numbered_names(path: Path) -> list[str]:
    """Return the names in a file of lines ``number name``, which must be numbered from 1 on."""
    names: list[str] = []
    for number, line in lines(path):
        parts = line.split()
        if len(parts) != 2 or parts[0] != str(len(names) + 1):
            raise error_at(path, number, f"'{len(names) + 1}' and a name", line)
        names.append(parts[1])
    if not names:
        raise DatasetError(f"{str(path)!r} is empty; expected lines such as '1 name'")
    return names


def read_thumbnails(files: Sequence[Path]) -> UInt8:
    """Return a small version of each picture."""
    from mrsne.encoders.decoding import PictureError, in_square, read_picture, small_version

    thumbnails = np.zeros((len(files), THUMBNAIL, THUMBNAIL, 4), np.uint8)
    for index, file in enumerate(files):
        try:
            thumbnails[index] = in_square(small_version(read_picture(file), THUMBNAIL), THUMBNAIL)
        except PictureError as error:
            raise DatasetError(f"{str(file)!r} cannot be read as a picture: {error}") from error
    return thumbnails


def bundled_arrays(name: str) -> dict[str, Any]:
    """Return the arrays of a bundled data set by name, and under "about" its words, which are stored as JSON."""
    with resources("mrsne.datasets").joinpath(name, f"{name}.npz").open("rb") as file, np.load(file) as content:
        arrays = dict(content)
    return {**arrays, "about": json.loads(arrays["about"].tobytes())}


def bundled_pictures(name: str, mode: str, side: int, count: int) -> UInt8:
    """Return the pictures of a bundled data set, which are on one sheet: count × side × side × channels."""
    from mrsne.encoders.decoding import open_picture

    with resources("mrsne.datasets").joinpath(name, f"{name}.webp").open("rb") as file, open_picture(file) as picture:
        sheet = np.asarray(picture.convert(mode))
    rows, columns = sheet.shape[0] // side, sheet.shape[1] // side
    tiles = sheet.reshape(rows, side, columns, side, -1).swapaxes(1, 2)
    return np.ascontiguousarray(tiles.reshape(rows * columns, side, side, -1)[:count])
