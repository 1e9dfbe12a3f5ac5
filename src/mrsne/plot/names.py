"""Names on a map, as text and without overlaps: of its regions, and of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from mrsne.arrays import Float64, Int64
from mrsne.plot.drawing import Canvas, Theme, writable
from mrsne.viewer.details import Coordinates, Details

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.offsetbox import AnnotationBbox

    from mrsne.regions.result import Region

LARGEST, SMALLEST = 13.0, 6.5  # points of an item's name
LONGEST = 40  # characters of it
MOST = 400  # names of a domain that are tried
LARGEST_REGION, SMALLEST_REGION = 22.0, 11.0  # points of a region's first word
LONGEST_REGION = 32  # characters of it, and of the line below it
OTHERS = 0.55  # size of the words in that line, as a share of the first
STEPS = sorted(  # by which a name may move to be free of others: widths to the right, heights up
    product((0.0, -0.3, 0.3, -0.6, 0.6), (0.0, -0.5, 0.5, -1.0, 1.0, -1.5, 1.5)),
    key=lambda step: 2 * abs(step[0]) + abs(step[1]),
)


def draw_names(
    canvas: Canvas,
    embedding: Coordinates,
    details: Details,
    labelled: Sequence[str],
    always: Mapping[str, Int64],
    occupied: Sequence[Any],
) -> None:
    """Write the names of ``always`` and of the labelled domains, the most linked first, unless they overlap others."""
    from matplotlib.patheffects import withStroke

    renderer, boxes = canvas.renderer(), list(occupied)
    halo: dict[str, Any] = {"linewidth": 2.6, "foreground": canvas.theme.ground, "alpha": 0.9}
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontweight": "bold", "parse_math": False, "zorder": 4}
    for index, name in enumerate(embedding):
        if name not in labelled and (name not in always or name not in details.names):
            continue
        first = always.get(name, np.zeros(0, np.int64))
        items = np.arange(len(embedding[name])) if name in labelled else first
        strength = details.strength(name, len(embedding[name]))[items]
        sizes = _sizes(strength)
        for at in np.argsort(-np.where(np.isin(items, first), np.inf, strength), kind="stable")[:MOST]:
            x, y = embedding[name][items[at]].tolist()
            look |= {"color": canvas.theme.colour(index), "fontsize": sizes[at], "path_effects": [withStroke(**halo)]}
            text = canvas.axes.text(x, y, writable(details.names[name][items[at]], LONGEST), **look)
            box = text.get_window_extent(renderer).padded(1.5)
            if any(box.overlaps(other) for other in boxes):
                text.remove()
            else:
                boxes.append(box)


def _sizes(strength: Float64) -> Float64:
    """Return larger fonts for more links: by rank, so that one item with many links does not make all others small."""
    if len(strength) < 2 or np.ptp(strength) == 0:
        return np.full(len(strength), (LARGEST + SMALLEST) / 2)
    share = np.searchsorted(np.sort(strength), strength, side="right") / len(strength)
    return np.asarray(SMALLEST + (LARGEST - SMALLEST) * share**4)


def draw_regions(canvas: Canvas, regions: tuple[Region, ...]) -> list[Any]:
    """Draw regions, the largest name first; return the boxes of their names, which no other name may cover."""
    from matplotlib.collections import PolyCollection

    axes, theme = canvas.axes, canvas.theme
    shapes = [line for region in regions for line in region.outline]
    look: dict[str, Any] = {"facecolors": theme.ink + "0a", "edgecolors": theme.ink + "55", "linewidths": 0.8}
    axes.add_collection(PolyCollection(shapes, zorder=0.5, **look), autolim=False)
    renderer = canvas.renderer()
    largest = max((region.size for region in regions), default=1)
    occupied: list[Any] = []
    for region in sorted((region for region in regions if region.words), key=lambda region: -region.size):
        points = SMALLEST_REGION + (LARGEST_REGION - SMALLEST_REGION) * (region.size / largest) ** 0.5
        name = _region_name(region, theme, min(1.0, canvas.inches / 9) * points)  # smaller on small figures
        axes.add_artist(name)
        box = name.get_window_extent(renderer).padded(2)
        place = _free_place(axes, region, box, occupied)
        if place is None:
            name.remove()
            continue
        name.xybox = name.xy = place
        occupied.append(name.get_window_extent(renderer).padded(2))
    return occupied


def _region_name(region: Region, theme: Theme, size: float) -> AnnotationBbox:
    """Return the name of a region on a light ground, so that it can be read over pictures and dots."""
    from matplotlib.offsetbox import AnnotationBbox, TextArea, VPacker

    first, *others = region.words
    lines = [(first, size, "bold"), (" · ".join(others), OTHERS * size, "normal")]
    look: dict[str, Any] = {"color": theme.ink, "alpha": 0.85, "parse_math": False}
    texts: list[Any] = [
        TextArea(writable(text, LONGEST_REGION), textprops={**look, "fontsize": points, "fontweight": weight})
        for text, points, weight in lines
        if text
    ]
    packed = VPacker(children=texts, align="center", pad=0, sep=0.15 * size)
    style = "round,pad=0.2,rounding_size=0.8"
    ground = {"boxstyle": style, "facecolor": theme.ground, "edgecolor": "none", "alpha": 0.72}
    return AnnotationBbox(packed, region.centre, bboxprops=ground, zorder=5, annotation_clip=False)


def _free_place(axes: Axes, region: Region, box: Any, occupied: list[Any]) -> tuple[float, float] | None:
    """Return the place in a region, near its centre, where its name overlaps no other; None if there is none."""
    from matplotlib.path import Path

    x, y = axes.transData.transform(region.centre)
    for right, up in STEPS:
        move = (right * box.width, up * box.height)
        if any(box.translated(*move).overlaps(other) for other in occupied):
            continue
        moved = axes.transData.inverted().transform((x + move[0], y + move[1]))
        place = (float(moved[0]), float(moved[1]))
        if move == (0, 0) or any(Path(line).contains_point(place) for line in region.outline):
            return place
    return None
