"""Sheets of thumbnails."""

from __future__ import annotations

import io

import numpy as np
import PIL.Image
import pytest
from numpy.typing import NDArray

from mrsne.viewer.atlas import GUTTER, SHEET, capacity, sheet, side_for


def decoded(content: bytes) -> NDArray[np.uint8]:
    return np.asarray(PIL.Image.open(io.BytesIO(content)))


def cell(pixels: NDArray[np.uint8], side: int, row: int, column: int) -> NDArray[np.uint8]:
    pitch = side + 2 * GUTTER
    return pixels[row * pitch : (row + 1) * pitch, column * pitch : (column + 1) * pitch]


def test_a_wide_picture_is_not_stretched_and_its_colours_fill_the_gutter() -> None:
    pictures = np.full((3, 20, 30, 3), 200, np.uint8)
    pixels = decoded(sheet(pictures, 30))
    pitch = 30 + 2 * GUTTER
    assert pixels.shape == (2 * pitch, 2 * pitch, 3)
    for row, column in ((0, 0), (0, 1), (1, 0)):
        found = cell(pixels, 30, row, column)
        assert found[pitch // 2, [0, pitch // 2, -1]].min() > 120, "up to the edge of the cell"
        assert found[5, pitch // 2].max() < 60, "nothing above the picture"
    assert cell(pixels, 30, 1, 1).max() < 60, "the last cell is empty"


@pytest.mark.parametrize("side", [16, 40])
def test_pictures_are_scaled_to_the_side(side: int) -> None:
    pixels = decoded(sheet(np.full((1, 24, 24, 3), 200, np.uint8), side))
    assert pixels.shape == (side + 2 * GUTTER, side + 2 * GUTTER, 3)
    assert pixels.min() > 180


def test_what_is_transparent_stays_so() -> None:
    pictures = np.full((1, 16, 16, 4), 200, np.uint8)
    pictures[..., :8, 3] = 0
    pixels = decoded(sheet(pictures, 16))
    assert pixels.shape[2] == 4
    assert (pixels[9, 4, 3], pixels[9, 15, 3] > 150) == (0, True)


def test_a_full_sheet_has_its_largest_size() -> None:
    for side in (32, 64, 96):
        assert np.sqrt(capacity(side)) * (side + 2 * GUTTER) <= SHEET
    assert capacity(2 * SHEET) == 1


def test_thumbnails_are_smaller_the_more_there_are_and_never_larger_than_the_pictures() -> None:
    assert [side_for(2_500, 128), side_for(25_000, 128), side_for(10, 48)] == [96, 64, 48]
