"""What the figures share, and maps in the style of the paper: pictures at their places, and the names of all tags."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from mrsne.arrays import Float32, Float64, Int64
from mrsne.experiments.study import Methods, Scores, Study
from mrsne.model.embedding import Embedding
from mrsne.plot.drawing import LIGHT, draw_thumbnails, set_limits, writable

GREEN = "#1f7a48"
RINGS = 40  # around its place on which room for a name is looked for
DIRECTIONS = 16  # on each ring
LONGEST = 24  # characters
MAX_QUERIES, MAX_TARGETS = 500, 120  # items on one map, as in the paper
PANEL, LARGE = 3.7, 9.0  # inches
SMALLEST_NAMES, LARGEST_NAMES, LARGE_NAMES = 4.2, 7.0, 7.5  # points
Name: TypeAlias = tuple[str, Float32, str]  # what is written where, and in which colour


def blank_figure(width: float, height: float, dpi: int = 110) -> Figure:
    return Figure(figsize=(width, height), dpi=dpi, facecolor="white", layout="constrained")


def style_diagram(axes: Any) -> None:
    """Give a diagram a light grid, and no frame at the top and on the right."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(color="#ececf1", linewidth=0.8)
    axes.set_axisbelow(True)


def legend_below(figure: Figure, columns: int) -> None:
    """Name the lines of the first axes below all of them."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=8, frameon=False)


def style_map(axes: Any, frame: str) -> None:
    """Give a map a frame of this colour, and no ticks: its coordinates mean nothing."""
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_color(frame)


def draw_all_names(axes: Any, names: Sequence[Name], points: float, spread: bool) -> None:
    """Write the name of every item at its place; with ``spread``, beside others instead of over them."""
    if not names:
        return
    figure = axes.get_figure()
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    around = [withStroke(linewidth=points / 4, foreground="white", alpha=0.9)]
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": points, "zorder": 4, "path_effects": around}
    texts = [
        axes.text(*map(float, place), writable(text, LONGEST), color=colour, parse_math=False, **look)
        for text, place, colour in names
    ]
    if not spread:
        return
    places = axes.transData.transform(np.stack([place for _, place, _ in names]))
    sizes = np.array([text.get_window_extent(renderer).size for text in texts]) + 2.0
    moved = spread_boxes(places, sizes, axes.get_window_extent(renderer).get_points())
    for (_, _, colour), text, place, new in zip(names, texts, places, moved, strict=True):
        text.set_position(tuple(axes.transData.inverted().transform(new)))
        if np.abs(new - place).max() > 1:
            line = axes.transData.inverted().transform([place, new])
            axes.plot(line[:, 0], line[:, 1], color=colour, linewidth=0.5, alpha=0.6, zorder=3)
            axes.plot(*line[0], marker="o", markersize=1.8, color=colour, zorder=3)


def spread_boxes(centres: Float64, sizes: Float64, bounds: Float64) -> Float64:
    """Return centres of boxes that do not overlap, as near to the old ones as there is room; else the old ones."""
    angles = np.linspace(0, 2 * np.pi, DIRECTIONS, endpoint=False)
    ring = 0.6 * np.stack([1.6 * np.cos(angles), np.sin(angles)], axis=1)  # wider than high, since names are
    offsets = np.concatenate([np.zeros((1, 2)), *(step * ring for step in range(1, RINGS + 1))])
    placed = np.empty_like(centres)
    for index, (centre, size) in enumerate(zip(centres, sizes, strict=True)):
        candidates = centre + offsets * size[1]
        half = size / 2
        fits = ((candidates - half >= bounds[0]) & (candidates + half <= bounds[1])).all(axis=1)
        for other in range(index):
            apart = np.abs(candidates - placed[other]) >= (size + sizes[other]) / 2
            fits &= apart.any(axis=1)
        placed[index] = candidates[np.argmax(fits)] if fits.any() else centre
    return placed


@dataclass(frozen=True)
class PanelSet:
    """A figure of the paper that is a row of maps."""

    number: int
    keys: tuple[str, ...]  # the method of each panel
    score: str = "reconstruction_auc"  # in the titles


PANEL_SETS = (
    PanelSet(1, ("cdmca-2", "pmvge-inner-across-2", "pmvge-across-2", "mrsne-pmi-size"), "link_auc"),
    PanelSet(5, ("cdmca-2", "kcdmca-2", "pmvge-across-2", "pmvge-second-order-2", "mrsne-pmi-equal", "mrsne-pmi-size")),
    PanelSet(6, ("pmvge-across-2", "mrsne-pmi-equal", "mrsne-pmi-size")),
    PanelSet(10, ("pmvge-neighbors-2",)),
)
LARGE_MAP = "mrsne-pmi-size"  # of Figures 3 and 7; the paper does not say which variant they show


def shown_items(study: Study) -> dict[str, Int64]:
    """Return which items a map shows: at most 500 queries at random, and the 120 most linked items of each target."""
    data = study.data
    size = data.sizes[study.query]
    sample = {study.query: np.sort(np.random.default_rng(0).choice(size, min(size, MAX_QUERIES), replace=False))}
    for target in study.targets:
        strength = np.asarray(data.relation(study.query, target).sum(axis=0)).ravel()
        sample[target] = np.argsort(-strength, kind="stable")[:MAX_TARGETS]  # the most linked first
    return sample


def draw_panel(axes: Any, embedding: Embedding, study: Study, inches: float, points: float, spread: bool) -> None:
    """Draw one map: queries as pictures or blue dots, targets as names, or as dots if they have none."""
    sample = shown_items(study)
    places = {name: embedding[name][items] for name, items in sample.items()}
    set_limits(axes, np.concatenate(list(places.values())))
    style_map(axes, frame="#c9c9d2")
    axes.set_aspect("equal")
    names: list[Name] = []
    for index, (name, Y) in enumerate(places.items()):
        texts, colour = None if name == study.query else study.data.shown_names(name), LIGHT.colour(index)
        if name in study.pictures:
            draw_thumbnails(axes, Y, study.pictures[name][sample[name]], np.zeros(len(Y)), inches)
        elif texts is None:
            axes.scatter(Y[:, 0], Y[:, 1], s=points, color=colour, linewidths=0, alpha=0.75, zorder=2)
        if texts is not None:
            names += [(texts[item], place, colour) for item, place in zip(sample[name], Y, strict=True)]
    draw_all_names(axes, names, points, spread)


def large_map(embedding: Embedding, study: Study, title: str) -> Figure:
    """Draw one map in large, with names that do not cover each other."""
    figure = Figure(figsize=(LARGE, LARGE + 0.4), dpi=150, facecolor="white")
    axes = figure.add_axes((0.01, 0.01, 0.98, 0.95))
    draw_panel(axes, embedding, study, LARGE, LARGE_NAMES, spread=True)
    axes.set_title(title, fontsize=11, color=LIGHT.ink, parse_math=False)
    return figure


def panel_figure(
    panels: PanelSet, maps: Mapping[str, Embedding], methods: Methods, scores: Scores, study: Study
) -> Figure | None:
    """Draw those panels of a figure whose methods were run; None if none was."""
    by_key = {method.key: method for method in methods}
    keys = [key for key in panels.keys if key in by_key]
    if not keys:
        return None
    columns = min(3 if len(keys) > 4 else 4, len(keys))
    rows, side = -(-len(keys) // columns), PANEL if len(keys) > 1 else 5.5
    figure = blank_figure(side * columns, (side + 0.35) * rows, dpi=200)
    shown = min(MAX_TARGETS, study.data.sizes[study.target])
    points = float(np.clip(9 - shown / 18, SMALLEST_NAMES, LARGEST_NAMES))
    for position, key in enumerate(keys, start=1):
        axes = figure.add_subplot(rows, columns, position)
        draw_panel(axes, maps[key], study, side, points, spread=False)
        letter = "abcdefgh"[panels.keys.index(key)]
        mean = np.mean([run[panels.score] for run in scores[key]])
        title = f"({letter}) {by_key[key].name} ({mean:.3f})"
        axes.set_title(title, fontsize=8, color=LIGHT.ink, parse_math=False)
    return figure
