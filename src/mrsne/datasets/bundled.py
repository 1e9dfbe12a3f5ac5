"""The files of bundled data sets: arrays, and pictures on one sheet."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_arrays(name: str) -> dict[str, Any]:
    """Return the arrays of a data set by name, and under "about" its words, which are stored as JSON."""
    with files("mrsne.datasets").joinpath(name, f"{name}.npz").open("rb") as file, np.load(file) as content:
        arrays = dict(content)
    return {**arrays, "about": json.loads(arrays["about"].tobytes())}


def read_pictures(name: str, mode: str, side: int, count: int) -> NDArray[np.uint8]:
    """Return the pictures of a data set: count × side × side × channels."""
    from mrsne.encoders.decoding import open_picture

    with files("mrsne.datasets").joinpath(name, f"{name}.webp").open("rb") as file, open_picture(file) as picture:
        sheet = np.asarray(picture.convert(mode))
    rows, columns = sheet.shape[0] // side, sheet.shape[1] // side
    tiles = sheet.reshape(rows, side, columns, side, -1).swapaxes(1, 2)
    return np.ascontiguousarray(tiles.reshape(rows * columns, side, side, -1)[:count])
