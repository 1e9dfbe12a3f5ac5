"""Small pictures of coloured shapes and the words for what they show."""

from typing import Any

import numpy as np

from mrsne.arrays import Float64, UInt8
from mrsne.data.relational import RelationalData
from mrsne.parameters import check_integer, random_numbers

COLOURS = {
    "red": (214, 62, 62),
    "orange": (240, 142, 48),
    "yellow": (244, 208, 63),
    "green": (72, 166, 92),
    "blue": (62, 118, 204),
    "purple": (142, 84, 184),
}
SHAPES = ("disc", "ring", "square", "triangle", "star", "cross")
SIZES = {"small": 0.5, "large": 0.86}
SIDE = 32  # pixels
FEATURE_SIDE = 8  # pixels; a vector is the picture scaled down to this size


def make_shapes(n_pictures: int = 600, random_state: Any = None) -> tuple[RelationalData, UInt8]:
    """Draw pictures of shapes, each with tags for its colour, its shape and its size.

    One picture in ten lacks one of its tags, as in collections that people tag by hand.

    Parameters
    ----------
    n_pictures : int
    random_state : int, RandomState or None

    Returns
    -------
    data : RelationalData
        Domain "picture", whose vectors are the pixels of the pictures scaled down; domain "tag" with names and without
        vectors.
    pictures : array of shape (n_pictures, 32, 32, 4), uint8
        Red, green, blue and opacity.

    See Also
    --------
    mrsne.datasets.make_groups : Made data of any number of kinds.
    mrsne.datasets.load_emoji : Pictures that people drew.

    Examples
    --------
    >>> data, pictures = make_shapes(100, random_state=0)
    >>> data
    RelationalData(picture: 100 items, 192-d; tag: 14 items, no vectors; picture-tag: 290 links)
    """
    check_integer("n_pictures", n_pictures, minimum=1)
    random = random_numbers(random_state)
    tags = [*COLOURS, *SHAPES, *SIZES]
    position = {tag: index for index, tag in enumerate(tags)}
    pictures = np.empty((n_pictures, SIDE, SIDE, 4), np.uint8)
    links: list[tuple[int, int]] = []
    for index in range(n_pictures):
        colour = list(COLOURS)[random.randint(len(COLOURS))]
        shape = SHAPES[random.randint(len(SHAPES))]
        size = list(SIZES)[random.randint(len(SIZES))]
        pictures[index] = _draw(shape, COLOURS[colour], SIZES[size], random)
        tags_of_picture = [colour, shape, size]
        if index % 10 == 9:
            tags_of_picture.pop(random.randint(3))
        links += [(index, position[tag]) for tag in tags_of_picture]
    opacity = pictures[..., 3:] / 255
    on_white = opacity * (pictures[..., :3] / 255) + (1 - opacity)
    block = SIDE // FEATURE_SIDE
    scaled_down = on_white.reshape(n_pictures, FEATURE_SIDE, block, FEATURE_SIDE, block, 3).mean(axis=(2, 4))
    vectors = {"picture": scaled_down.reshape(n_pictures, -1).astype(np.float32), "tag": len(tags)}
    return RelationalData(vectors, {("picture", "tag"): links}, names={"tag": tags}), pictures


def _draw(shape: str, colour: tuple[int, int, int], size: float, random: np.random.RandomState) -> UInt8:
    """Draw one shape, slightly off centre and off colour, with a smooth edge."""
    axis = (np.arange(SIDE) + 0.5) / SIDE * 2 - 1
    x, y = np.meshgrid(axis, axis)
    x, y = x - random.uniform(-0.08, 0.08), y - random.uniform(-0.08, 0.08)
    inside = np.clip(0.5 - _distance(shape, x / size, y / size) * size * SIDE / 2, 0, 1)
    picture = np.empty((SIDE, SIDE, 4), np.uint8)
    picture[..., :3] = np.clip(np.array(colour) + random.normal(0, 10, 3), 0, 255)
    picture[..., 3] = 255 * inside
    return picture


def _distance(shape: str, x: Float64, y: Float64) -> Float64:
    """Return the signed distance of each point from a shape of radius 1, negative inside."""
    radius = np.hypot(x, y)
    if shape == "disc":
        return radius - 0.9
    if shape == "ring":
        return np.abs(radius - 0.65) - 0.25
    if shape == "square":
        return np.maximum(np.abs(x), np.abs(y)) - 0.8
    if shape == "triangle":
        return np.maximum(y - 0.6, (-y + 1.732 * np.abs(x)) / 2 - 0.5)
    if shape == "cross":
        narrow, wide = np.minimum(np.abs(x), np.abs(y)), np.maximum(np.abs(x), np.abs(y))
        return np.maximum(narrow - 0.28, wide - 0.9)
    turn = 2 * np.pi / 5
    angle = (np.arctan2(x, -y) + turn / 2) % turn - turn / 2
    return radius * np.cos(np.abs(angle) - 0.95) - 0.55
