"""Regions of the overview: soft outlines, and quiet large names, their first word above the others as on the page."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from mrsne.plot.labels import writable
from mrsne.plot.themes import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.offsetbox import AnnotationBbox

    from mrsne.regions import Region

LARGEST, SMALLEST = 22.0, 11.0  # points
OTHERS = 0.55  # size of the words below the first, as a share of its own
LONGEST = 32  # characters of the first word, and of the line below it
STEPS = sorted(  # by which a name may move to be free of others: widths to the right, heights up
    product((0.0, -0.3, 0.3, -0.6, 0.6), (0.0, -0.5, 0.5, -1.0, 1.0, -1.5, 1.5)),
    key=lambda step: 2 * abs(step[0]) + abs(step[1]),
)


def draw_regions(figure: Figure, axes: Axes, regions: tuple[Region, ...], theme: Theme, inches: float) -> list[Any]:
    """Draw regions, the largest name first; return the boxes of their names, which no other name may cover.

    Parameters
    ----------
    figure, axes : matplotlib's
    regions : tuple of Region
    theme : Theme
    inches : float
        Width of the axes: names are smaller on small figures.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import PolyCollection

    shapes = [line for region in regions for line in region.outline]
    look: dict[str, Any] = {"facecolors": theme.ink + "0a", "edgecolors": theme.ink + "55", "linewidths": 0.8}
    axes.add_collection(PolyCollection(shapes, zorder=0.5, **look), autolim=False)
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    largest = max((region.size for region in regions), default=1)
    occupied: list[Any] = []
    for region in sorted((region for region in regions if region.words), key=lambda region: -region.size):
        size = min(1.0, inches / 9) * (SMALLEST + (LARGEST - SMALLEST) * (region.size / largest) ** 0.5)
        name = _name(region, theme, size)
        axes.add_artist(name)
        box = name.get_window_extent(renderer).padded(2)
        place = _free_place(axes, region, box, occupied)
        if place is None:
            name.remove()
            continue
        name.xybox = name.xy = place
        occupied.append(name.get_window_extent(renderer).padded(2))
    return occupied


def _name(region: Region, theme: Theme, size: float) -> AnnotationBbox:
    """Return the name of a region on a light ground, so that it can be read over pictures and dots."""
    from matplotlib.offsetbox import AnnotationBbox, TextArea, VPacker

    first, *others = region.words
    lines = [(_short(first), size, "bold"), (_short(" · ".join(others)), OTHERS * size, "normal")]
    look: dict[str, Any] = {"color": theme.ink, "alpha": 0.85, "parse_math": False}
    texts: list[Any] = [
        TextArea(text, textprops={**look, "fontsize": points, "fontweight": weight})
        for text, points, weight in lines
        if text
    ]
    packed = VPacker(children=texts, align="center", pad=0, sep=0.15 * size)
    ground = {
        "boxstyle": "round,pad=0.2,rounding_size=0.8",
        "facecolor": theme.ground,
        "edgecolor": "none",
        "alpha": 0.72,
    }
    return AnnotationBbox(packed, region.centre, bboxprops=ground, zorder=5, annotation_clip=False)


def _short(text: str) -> str:
    return writable(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")


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
