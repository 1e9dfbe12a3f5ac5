"""Sheets of thumbnails: the pictures of one square of the map in one WebP image."""

import io
import math

import numpy as np

from mrsne.arrays import UInt8
from mrsne.data.outline import Outline
from mrsne.data.relational import in_memory

QUALITY = 70
SHEET = 1024  # pixels, the largest width of a sheet
SIDES = ((4_000, 96), (40_000, 64), (np.inf, 32))  # most pictures of a page, and the pixels of each
SAVED_SIDES = ((2_000, 64), (5_000, 48), (20_000, 32), (np.inf, 16))  # in a saved notebook
GUTTER = 2  # pixels around each picture, since browsers that scale it down mix in its surroundings


def side_for(count: int, available: int) -> int:
    """Return how many pixels wide each of ``count`` pictures is, at most ``available``, so that a page stays small."""
    return min(next(side for most, side in SIDES if count <= most), available)


def saved_side(data: Outline | None) -> int | None:
    """Return how many pixels wide thumbnails are in a notebook, at most as many as the pictures have."""
    pictures = [] if data is None else list(in_memory(data).pictures.values())
    if not pictures:
        return None
    count = max(map(len, pictures))
    wanted = next(side for most, side in SAVED_SIDES if count <= most)
    return min(wanted, *(int(max(each.shape[1:3])) for each in pictures))


def capacity(side: int) -> int:
    return max(1, SHEET // (side + 2 * GUTTER)) ** 2


def sheet(pictures: UInt8, side: int) -> bytes:
    """Return a sheet with pictures in rows, about as high as it is wide."""
    import PIL.Image

    columns = math.ceil(math.sqrt(len(pictures)))
    rows = math.ceil(len(pictures) / columns)
    opaque = pictures.shape[3] == 3 or bool((pictures[..., 3] == 255).all())
    pitch = side + 2 * GUTTER
    page = PIL.Image.new("RGB" if opaque else "RGBA", (columns * pitch, rows * pitch))
    for index, pixels in enumerate(pictures):
        picture = PIL.Image.fromarray(pixels).convert(page.mode)
        scale = side / max(picture.size)
        size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
        if size != picture.size:
            picture = picture.resize(size, PIL.Image.Resampling.LANCZOS, reducing_gap=2.0)
        x, y = index % columns * pitch, index // columns * pitch
        # where a picture reaches the edge of its cell, its own colours fill the gutter
        width, height = (length + 2 * GUTTER if length == side else length for length in size)
        page.paste(picture.resize((width, height)), (x + (pitch - width) // 2, y + (pitch - height) // 2))
        page.paste(picture, (x + (pitch - size[0]) // 2, y + (pitch - size[1]) // 2))
    file = io.BytesIO()
    page.save(file, "WEBP", quality=QUALITY, method=4)
    return file.getvalue()
