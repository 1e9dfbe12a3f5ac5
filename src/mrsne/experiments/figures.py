"""Overviews: all maps side by side, ROC curves (Figure 8), and the curves of metrics (I) and (II)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mrsne.experiments.methods import IMPROVED, Method
from mrsne.experiments.studies import Study
from mrsne.experiments.tables import LISTS, Scores
from mrsne.model.embedding import Embedding
from mrsne.plot import LIGHT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AREA_OF_DOTS = 1300  # of a domain on a small map, in square points
PALETTE = ("#2f6fb0", "#2a8c55", "#c2663b", "#8455a8", "#b8962e", "#c23b6a")
FAMILIES = {
    "CDMCA": "#b8962e",
    "K-CDMCA": "#c2663b",
    "PMvGE": "#8455a8",
    "PMvGE (inner product)": "#b59bc9",
    "MR-SNE, Algorithm 1": "#2a8c55",
    IMPROVED["cdmca"]: "#d8c27e",
    IMPROVED["kcdmca"]: "#e0a98c",
    IMPROVED["pmvge"]: "#b58fd0",
    IMPROVED["pmvge-inner"]: "#d9c9e6",
    "MR-SNE, default schedule": "#2f6fb0",
}
BACKGROUND = "#dfdfe6"  # for curves that a panel shows only for comparison
DASHES = ("-", "--", ":", "-.")


def maps_figure(embeddings: Mapping[str, Embedding], study: Study, methods: Sequence[Method]) -> Figure:
    """Draw all maps side by side, items of the query's domain in blue and of the target's in green."""
    from matplotlib.figure import Figure

    columns = 6
    rows = -(-len(methods) // columns)
    figure = Figure(figsize=(2.6 * columns, 2.85 * rows), dpi=110, facecolor="white", layout="constrained")
    for index, method in enumerate(methods):
        axes = figure.add_subplot(rows, columns, index + 1)
        embedding = embeddings[method.key]
        for index_of_domain, name in enumerate((study.query, *study.targets)):
            Y = embedding[name]
            dot = float(np.clip(AREA_OF_DOTS / len(Y), 1.5, 9))
            axes.scatter(Y[:, 0], Y[:, 1], s=dot, color=LIGHT.colour(index_of_domain), linewidths=0, alpha=0.8)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_aspect("equal", "datalim")
        axes.set_title(f"{method.family}\n{method.label}", fontsize=8, color=LIGHT.ink)
        for spine in axes.spines.values():
            spine.set_color("#d5d5dc")
    return figure


def roc_figure(scores: Scores, methods: Sequence[Method]) -> Figure:
    """Draw the mean ROC curve of every method: a panel for each family, with all others in grey behind."""
    from matplotlib.figure import Figure

    grid = np.linspace(0, 1, 201)
    curves = {
        method.key: np.mean([np.interp(grid, *run["roc"]) for run in scores[method.key]], axis=0) for method in methods
    }
    families = list(dict.fromkeys(method.family for method in methods))
    columns = min(3, len(families))
    rows = -(-len(families) // columns)
    figure = Figure(figsize=(4.6 * columns, 4.4 * rows), dpi=110, facecolor="white", layout="constrained")
    for position, family in enumerate(families, start=1):
        axes = figure.add_subplot(rows, columns, position)
        for curve in curves.values():
            axes.plot(grid, curve, color=BACKGROUND, linewidth=0.8)
        members = [method for method in methods if method.family == family]
        for method, style in zip(members, _line_styles(members), strict=True):
            axes.plot(grid, curves[method.key], label=method.label, linewidth=1.7, **style)
        axes.set(xlabel="false links predicted", ylabel="true links predicted", xlim=(0, 1), ylim=(0, 1))
        axes.set_title(family, fontsize=11, color=LIGHT.ink)
        axes.legend(fontsize=8, frameon=False, loc="lower right")
        _tidy(axes)
    return figure


def one_panel_roc(scores: Scores, methods: Sequence[Method]) -> Figure:
    """Draw Figure 8 of Supplement C: the mean ROC curves of all methods of the paper in one panel."""
    from matplotlib.figure import Figure

    grid = np.linspace(0, 1, 201)
    figure = Figure(figsize=(9.5, 6.2), dpi=130, facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    compared = [method for method in methods if method.in_paper] or list(methods)
    for method in compared:
        curve = np.mean([np.interp(grid, *run["roc"]) for run in scores[method.key]], axis=0)
        auc = np.mean([run["reconstruction_auc"] for run in scores[method.key]])
        family = [other for other in compared if other.family == method.family]
        index = family.index(method)
        style: dict[str, Any] = {
            "linestyle": DASHES[index % len(DASHES)],
            "linewidth": 1.9 - 0.5 * (index // len(DASHES)),
        }
        colour = FAMILIES.get(method.family, LIGHT.ink)
        axes.plot(grid, curve, color=colour, label=f"{method.name} ({auc:.3f})", **style)
    axes.plot([0, 1], [0, 1], color=BACKGROUND, linewidth=0.8)
    axes.set(xlabel="false links predicted", ylabel="true links predicted", xlim=(0, 1), ylim=(0, 1))
    figure.legend(loc="outside right center", fontsize=7.5, frameon=False)
    _tidy(axes)
    return figure


def metric_figure(scores: Scores, study: Study, methods: Sequence[Method]) -> Figure:
    """Draw metrics (I) and (II), across and within, over k, for the methods with K = 2.

    Of MR-SNE's variants only those with PMI, if there are any: the others are close to them, and all are in the tables.
    """
    from matplotlib.figure import Figure

    plane = [method for method in methods if method.K == 2] or list(methods)
    drawn_methods = [method for method in plane if "MR-SNE" not in method.family or "PMI" in method.label] or plane
    styles: list[dict[str, Any]] = []
    for method in drawn_methods:
        family = [other for other in drawn_methods if other.family == method.family]
        dashes = DASHES[family.index(method) % len(DASHES)]
        styles.append({"color": FAMILIES.get(method.family, LIGHT.ink), "linestyle": dashes})
    figure = Figure(figsize=(13, 10), dpi=110, facecolor="white", layout="constrained")
    for position, score in enumerate(LISTS, start=1):
        axes = figure.add_subplot(2, 2, position)
        ks = study.ks_across(study.target) if score.key.endswith("across") else study.ks_within
        for method, style in zip(drawn_methods, styles, strict=True):
            mean = np.mean([run[score.key] for run in scores[method.key]], axis=0)
            axes.plot(ks, mean, label=f"{method.family}: {method.label}", linewidth=1.7, **style)
        axes.set(xscale="log", xlabel="k nearest")
        axes.set_title(score.title, fontsize=11, color=LIGHT.ink)
        axes.set_xticks(ks, [str(k) for k in ks])
        axes.minorticks_off()
        _tidy(axes)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return figure


def _line_styles(methods: Sequence[Method]) -> list[dict[str, Any]]:
    """Return a line style for each method: a colour each or, where there are many, three dash styles of each colour."""
    many = len(methods) > len(PALETTE)
    return [
        {
            "color": PALETTE[(index // 3 if many else index) % len(PALETTE)],
            "linestyle": DASHES[index % 3] if many else "-",
        }
        for index in range(len(methods))
    ]


def _tidy(axes: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(colors=LIGHT.ink, labelsize=8)
    axes.grid(color="#ececf1", linewidth=0.8)
    axes.set_axisbelow(True)
