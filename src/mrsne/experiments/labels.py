"""Every name of a map, none left out: moved aside where it would cover another, with a line to its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.plot.drawing import writable

GREEN = "#1f7a48"
STEPS = 40  # rings around its place on which room for a name is looked for
DIRECTIONS = 16
LONGEST = 24  # characters


@dataclass(frozen=True)
class Name:
    """What is written where, and in which colour."""

    text: str
    place: NDArray[np.float32]
    colour: str = GREEN


def draw_all_names(axes: Any, names: Sequence[Name], points: float, spread: bool) -> None:
    """Write the name of every item at its place; with ``spread``, beside others instead of over them.

    The first names have the first choice of a place.
    """
    if not names:
        return
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.patheffects import withStroke

    figure = axes.get_figure()
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    around = [withStroke(linewidth=points / 4, foreground="white", alpha=0.9)]
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": points, "zorder": 4, "path_effects": around}
    texts = [
        axes.text(*map(float, name.place), shortened(name.text), color=name.colour, parse_math=False, **look)
        for name in names
    ]
    if not spread:
        return
    boxes = [text.get_window_extent(renderer) for text in texts]
    places = axes.transData.transform(np.stack([name.place for name in names]))
    sizes = np.array([[box.width, box.height] for box in boxes]).reshape(-1, 2) + 2.0
    inside = axes.get_window_extent(renderer)
    bounds = np.array([[inside.x0, inside.y0], [inside.x1, inside.y1]])
    moved = spread_boxes(places, sizes, bounds)
    for name, text, place, new in zip(names, texts, places, moved, strict=True):
        text.set_position(tuple(axes.transData.inverted().transform(new)))
        if np.abs(new - place).max() > 1:
            line = axes.transData.inverted().transform([place, new])
            axes.plot(line[:, 0], line[:, 1], color=name.colour, linewidth=0.5, alpha=0.6, zorder=3)
            axes.plot(*line[0], marker="o", markersize=1.8, color=name.colour, zorder=3)


def shortened(name: str) -> str:
    """Return a name that is not longer than a label may be.

    Examples
    --------
    >>> shortened("a name that goes on and on and on")
    'a name that goes on and…'
    """
    return writable(name if len(name) <= LONGEST else name[: LONGEST - 1] + "…")


def spread_boxes(
    centres: NDArray[np.float64], sizes: NDArray[np.float64], bounds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return new centres of boxes, as near to the old ones as rings around them allow, that do not overlap.

    A box for which there is no room stays where it is.

    Examples
    --------
    >>> boxes = spread_boxes(np.zeros((2, 2)), np.full((2, 2), 10.0), np.array([[-50.0, -50.0], [50.0, 50.0]]))
    >>> bool((np.abs(boxes[0] - boxes[1]) >= 10).any())
    True
    """
    placed = np.empty_like(centres)
    for index, (centre, size) in enumerate(zip(centres, sizes, strict=True)):
        candidates = centre + _rings() * size[1]
        half = size / 2
        fits = ((candidates - half >= bounds[0]) & (candidates + half <= bounds[1])).all(axis=1)
        for other in range(index):
            apart = np.abs(candidates - placed[other]) >= (size + sizes[other]) / 2
            fits &= apart.any(axis=1)
        placed[index] = candidates[np.argmax(fits)] if fits.any() else centre
    return placed


def _rings() -> NDArray[np.float64]:
    """Return offsets on rings, the nearest first, wider than high since names are."""
    angles = np.linspace(0, 2 * np.pi, DIRECTIONS, endpoint=False)
    ring = np.stack([1.6 * np.cos(angles), np.sin(angles)], axis=1)
    return np.concatenate([np.zeros((1, 2)), *(0.6 * step * ring for step in range(1, STEPS + 1))])
