"""Whether a folder is Animals with Attributes 2, and the thumbnails of its pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.data import RelationalData

PUBLISHED_IMAGES = 37_322  # in the 50 classes of AwA2
SHAPE = {"image": (2_500, 2_048), "tag": (85, 300)}  # items and dimensions, as the paper uses it


def is_awa2(folder: Path, data: RelationalData) -> bool:
    """Return whether a folder laid out like AwA2 is that data set, as the paper uses it.

    It must have all 37,322 pictures of 50 classes, 85 attributes, ResNet vectors of 2,048 and word vectors of 300
    dimensions.
    """
    vectors: Any
    for name, shape in SHAPE.items():
        vectors = data.vectors[name]
        if vectors is None or vectors.shape != shape:
            return False
    return _picture_count(folder) == PUBLISHED_IMAGES


def _picture_count(folder: Path) -> int:
    for file in sorted(folder.rglob("AwA2-labels.txt")):
        return sum(1 for line in file.read_text(encoding="utf-8-sig").splitlines() if line.strip())
    for file in sorted(folder.rglob("res101.mat")):
        from scipy.io import whosmat

        return max((max(shape) for name, shape, _ in whosmat(file) if name == "image_files"), default=0)
    return 0


def awa2_thumbnails(folder: Path, data: RelationalData, side: int = 48) -> dict[str, NDArray[np.uint8]]:
    """Return thumbnails of AwA2's pictures, if all of them are there."""
    from mrsne.encoders.decoding import open_picture, thumbnail

    files = {file.name: file for file in folder.rglob("JPEGImages/*/*.jpg")}
    names = data.names["image"]
    if not all(name in files for name in names):
        return {}
    thumbnails = np.zeros((len(names), side, side, 4), np.uint8)
    for index, name in enumerate(names):
        with open_picture(files[name]) as picture:
            thumbnails[index] = thumbnail(picture, side)
    return {"image": thumbnails}
