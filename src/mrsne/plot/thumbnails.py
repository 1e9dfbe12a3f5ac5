"""Thumbnails at their places, as one image under everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from PIL.Image import Image

RESOLUTION = 300  # pixels per inch of the image
COVERED = 0.45  # share of the figure that all pictures may cover together
SMALLEST, LARGEST = 0.09, 0.9  # inches


def draw_thumbnails(
    axes: Axes, Y: NDArray[np.float32], pictures: NDArray[np.uint8], strength: NDArray[np.float64], inches: float
) -> None:
    """Draw a picture for each item, the most linked on top; the axes are ``inches`` wide."""
    import PIL.Image

    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    side = int(np.clip(np.sqrt(COVERED * inches**2 / len(Y)), SMALLEST, LARGEST) * RESOLUTION)
    pixels = int(inches * RESOLUTION)
    layer = PIL.Image.new("RGBA", (pixels, pixels))
    places = (Y - [left, bottom]) / [right - left, top - bottom] * pixels
    for item in np.argsort(strength, kind="stable"):
        picture = PIL.Image.fromarray(pictures[item]).convert("RGBA")
        scale = side / max(picture.size)
        size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
        small = picture.resize(size, PIL.Image.Resampling.LANCZOS)
        x, y = places[item]
        corner = (round(x - size[0] / 2), round(pixels - y - size[1] / 2))
        layer.alpha_composite(*_cropped(small, corner, pixels))
    axes.imshow(np.asarray(layer), extent=(left, right, bottom, top), zorder=1, interpolation="antialiased")


def _cropped(picture: Image, corner: tuple[int, int], pixels: int) -> tuple[Image, tuple[int, int]]:
    """Return the part of a picture that is inside the image, and its corner."""
    x, y = corner
    cut = picture.crop((max(0, -x), max(0, -y), min(picture.width, pixels - x), min(picture.height, pixels - y)))
    return cut, (max(0, x), max(0, y))
