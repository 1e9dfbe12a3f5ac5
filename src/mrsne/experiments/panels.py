"""Maps in the style of the paper: pictures at their places, and the names of all tags in green."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mrsne.experiments.labels import Name, draw_all_names
from mrsne.experiments.methods import Method
from mrsne.experiments.studies import Study
from mrsne.experiments.tables import Scores
from mrsne.io import write_figure
from mrsne.model.embedding import Embedding
from mrsne.plot import LIGHT
from mrsne.plot.drawing import draw_thumbnails

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_QUERIES, MOST_TARGETS = 500, 120  # items on one map, as in the paper
PANEL, LARGE = 3.7, 9.0  # inches
SMALLEST_NAMES, LARGEST_NAMES, LARGE_NAMES = 4.2, 7.0, 7.5  # points


@dataclass(frozen=True)
class PanelSet:
    """A figure of the paper that is a row of maps.

    Attributes
    ----------
    number : int
        Of the figure.
    keys : tuple of str
        The method of each panel.
    score : str
        The one in the titles.
    """

    number: int
    keys: tuple[str, ...]
    score: str = "reconstruction_auc"

    def file(self) -> str:
        """Return the name of its picture."""
        return f"figure-{self.number:02}.png"


PANEL_SETS = (
    PanelSet(1, ("cdmca-2", "pmvge-inner-across-2", "pmvge-across-2", "mrsne-pmi-size"), "link_auc"),
    PanelSet(5, ("cdmca-2", "kcdmca-2", "pmvge-across-2", "pmvge-second-order-2", "mrsne-pmi-equal", "mrsne-pmi-size")),
    PanelSet(6, ("pmvge-across-2", "mrsne-pmi-equal", "mrsne-pmi-size")),
    PanelSet(10, ("pmvge-neighbors-2",)),
)
LARGE_MAP = "mrsne-pmi-size"  # of Figures 3 and 7; the paper does not say which variant they show


def shown_items(study: Study) -> dict[str, NDArray[np.int64]]:
    """Return which items a map shows: at most 500 queries at random, and the 120 most linked items of each target."""
    data = study.data
    size = data.sizes[study.query]
    sample = {
        study.query: np.sort(np.random.default_rng(0).choice(size, min(size, MOST_QUERIES), replace=False)),
    }
    for target in study.targets:
        strength = np.asarray(data.relation(study.query, target).sum(axis=0)).ravel()
        sample[target] = np.argsort(-strength, kind="stable")[:MOST_TARGETS]  # the most linked first
    return sample


def draw_panel(axes: Any, embedding: Embedding, study: Study, inches: float, points: float, spread: bool) -> None:
    """Draw one map: queries as pictures or blue dots, targets by name, the first in green; dots where there is none."""
    sample = shown_items(study)
    places = {name: embedding[name][items] for name, items in sample.items()}
    everything = np.concatenate(list(places.values()))
    low, high = everything.min(axis=0).astype(float), everything.max(axis=0).astype(float)
    reach = 0.54 * max(float((high - low).max()), 1e-6)
    for set_limits, middle in zip((axes.set_xlim, axes.set_ylim), (low + high) / 2, strict=True):
        set_limits(middle - reach, middle + reach)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_aspect("equal")
    for spine in axes.spines.values():
        spine.set_color("#c9c9d2")
    for index, (name, Y) in enumerate(places.items()):
        if name in study.pictures:
            draw_thumbnails(axes, Y, study.pictures[name][sample[name]], np.zeros(len(Y)), inches)
        elif name == study.query or study.data.shown_names(name) is None:
            axes.scatter(Y[:, 0], Y[:, 1], s=points, color=LIGHT.colour(index), linewidths=0, alpha=0.75, zorder=2)
    names: list[Name] = []
    for index, target in enumerate(study.targets, start=1):
        texts = study.data.shown_names(target)
        if texts is not None:
            items = zip(sample[target], places[target], strict=True)
            names += [Name(texts[item], place, LIGHT.colour(index)) for item, place in items]
    draw_all_names(axes, names, points, spread)


def large_map(embedding: Embedding, study: Study, title: str) -> Figure:
    """Draw a map by itself; names are beside each other instead of over each other."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(LARGE, LARGE + 0.4), dpi=150, facecolor="white")
    axes = figure.add_axes((0.01, 0.01, 0.98, 0.95))
    draw_panel(axes, embedding, study, LARGE, LARGE_NAMES, spread=True)
    axes.set_title(title, fontsize=11, color=LIGHT.ink, parse_math=False)
    return figure


def panel_figure(
    panels: PanelSet, maps: Mapping[str, Embedding], methods: Sequence[Method], scores: Scores, study: Study
) -> Figure | None:
    """Draw those panels of a figure whose methods were run; None if none was."""
    from matplotlib.figure import Figure

    by_key = {method.key: method for method in methods}
    keys = [key for key in panels.keys if key in by_key]
    if not keys:
        return None
    columns = min(3 if len(keys) > 4 else 4, len(keys))
    rows = -(-len(keys) // columns)
    side = PANEL if len(keys) > 1 else 5.5
    figure = Figure(figsize=(side * columns, (side + 0.35) * rows), dpi=200, facecolor="white", layout="constrained")
    shown = min(MOST_TARGETS, study.data.sizes[study.target])
    points = float(np.clip(9 - shown / 18, SMALLEST_NAMES, LARGEST_NAMES))
    for position, key in enumerate(keys, start=1):
        axes = figure.add_subplot(rows, columns, position)
        draw_panel(axes, maps[key], study, side, points, spread=False)
        letter = "abcdefgh"[panels.keys.index(key)]
        mean = np.mean([run[panels.score] for run in scores[key]])
        title = f"({letter}) {by_key[key].name} ({mean:.3f})"
        axes.set_title(title, fontsize=8, color=LIGHT.ink, parse_math=False)
    return figure


def write_maps(
    folder: Path, maps: Mapping[str, Embedding], methods: Sequence[Method], scores: Scores, study: Study
) -> None:
    """Write a large map of every method into ``maps`` of a folder."""
    for method in methods:
        auc = np.mean([run["reconstruction_auc"] for run in scores[method.key]])
        title = f"{method.name}, AUC {auc:.3f}"
        write_figure(folder / "maps" / f"{method.key}.png", large_map(maps[method.key], study, title))
