"""What the figures have in common: blank figures and axes, and every name of a map beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from mrsne.plot.drawing import writable

GREEN = "#1f7a48"
RINGS = 40  # around its place on which room for a name is looked for
DIRECTIONS = 16  # on each ring
LONGEST = 24  # characters


def blank_figure(width: float, height: float, dpi: int = 110) -> Figure:
    """Return an empty white figure of this size in inches."""
    return Figure(figsize=(width, height), dpi=dpi, facecolor="white", layout="constrained")


def style_diagram(axes: Any) -> None:
    """Give a diagram a light grid, and no frame at the top and on the right."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(color="#ececf1", linewidth=0.8)
    axes.set_axisbelow(True)


def style_map(axes: Any, frame: str) -> None:
    """Give a map a frame of this colour, and no ticks: its coordinates mean nothing."""
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_color(frame)


@dataclass(frozen=True)
class Name:
    """What is written where, and in which colour."""

    text: str
    place: NDArray[np.float32]
    colour: str


def draw_all_names(axes: Any, names: Sequence[Name], points: float, spread: bool) -> None:
    """Write the name of every item at its place; with ``spread``, beside others instead of over them.

    The first names have the first choice of a place.
    """
    if not names:
        return
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
    """Return a name that is not longer than a label may be."""
    return writable(name if len(name) <= LONGEST else name[: LONGEST - 1] + "…")


def spread_boxes(
    centres: NDArray[np.float64], sizes: NDArray[np.float64], bounds: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return new centres of boxes, as near to the old ones as rings around them allow, that do not overlap.

    A box for which there is no room stays where it is.
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
    return np.concatenate([np.zeros((1, 2)), *(0.6 * step * ring for step in range(1, RINGS + 1))])
