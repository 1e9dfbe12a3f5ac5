"""Overviews: all maps side by side, ROC curves (Figure 8), and the curves of metrics (I) and (II)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from mrsne.arrays import Float64
from mrsne.experiments.drawing import blank_figure, legend_below, style_diagram, style_map
from mrsne.experiments.study import IMPROVED, LISTS, Method, Methods, Scores, Study
from mrsne.model.embedding import Embedding
from mrsne.plot.drawing import LIGHT

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
FALSE_LINKS = np.linspace(0, 1, 201)  # at which ROC curves are averaged over the seeds
DASHES = ("-", "--", ":", "-.")


def maps_figure(embeddings: Mapping[str, Embedding], study: Study, methods: Methods) -> Figure:
    """Draw all maps side by side, items of the query's domain in blue and of the target's in green."""
    columns, rows = 6, -(-len(methods) // 6)
    figure = blank_figure(2.6 * columns, 2.85 * rows)
    for position, method in enumerate(methods, start=1):
        axes = figure.add_subplot(rows, columns, position)
        embedding = embeddings[method.key]
        for index, name in enumerate((study.query, *study.targets)):
            Y = embedding[name]
            dot = float(np.clip(AREA_OF_DOTS / len(Y), 1.5, 9))
            axes.scatter(Y[:, 0], Y[:, 1], s=dot, color=LIGHT.colour(index), linewidths=0, alpha=0.8)
        style_map(axes, frame="#d5d5dc")
        axes.set_aspect("equal", "datalim")
        axes.set_title(f"{method.family}\n{method.label}", fontsize=8, color=LIGHT.ink)
    return figure


def roc_figure(scores: Scores, methods: Methods) -> Figure:
    """Draw the mean ROC curve of every method: a panel for each family, with all others in grey behind."""
    curves = {method.key: _mean_curve(scores, method) for method in methods}
    families = list(dict.fromkeys(method.family for method in methods))
    columns, rows = min(3, len(families)), -(-len(families) // 3)
    figure = blank_figure(4.6 * columns, 4.4 * rows)
    for position, family in enumerate(families, start=1):
        axes = figure.add_subplot(rows, columns, position)
        for curve in curves.values():
            axes.plot(FALSE_LINKS, curve, color=BACKGROUND, linewidth=0.8)
        members = _members(family, methods)
        for method, style in zip(members, _line_styles(len(members)), strict=True):
            axes.plot(FALSE_LINKS, curves[method.key], label=method.label, linewidth=1.7, **style)
        axes.set_title(family, fontsize=11, color=LIGHT.ink)
        axes.legend(fontsize=8, frameon=False, loc="lower right")
        _style_roc(axes)
    return figure


def one_panel_roc(scores: Scores, methods: Methods) -> Figure:
    """Draw Figure 8 of Supplement C: the mean ROC curves of all methods of the paper in one panel."""
    figure = blank_figure(9.5, 6.2, dpi=130)
    axes = figure.add_subplot()
    compared = [method for method in methods if method.in_paper] or list(methods)
    for method in compared:
        auc = np.mean([run["reconstruction_auc"] for run in scores[method.key]])
        index = _members(method.family, compared).index(method)
        rounds, dash = divmod(index, len(DASHES))
        look: dict[str, Any] = {"linestyle": DASHES[dash], "linewidth": 1.9 - 0.5 * rounds}
        look["color"] = FAMILIES.get(method.family, LIGHT.ink)
        axes.plot(FALSE_LINKS, _mean_curve(scores, method), label=f"{method.name} ({auc:.3f})", **look)
    axes.plot([0, 1], [0, 1], color=BACKGROUND, linewidth=0.8)
    figure.legend(loc="outside right center", fontsize=7.5, frameon=False)
    _style_roc(axes)
    return figure


def metric_figure(scores: Scores, study: Study, methods: Methods) -> Figure:
    """Draw metrics (I) and (II), across and within, over k, for the methods with K = 2; of MR-SNE those with PMI."""
    plane = [method for method in methods if method.K == 2] or list(methods)
    shown = [method for method in plane if "MR-SNE" not in method.family or "PMI" in method.label] or plane
    figure = blank_figure(13, 10)
    for position, score in enumerate(LISTS, start=1):
        axes = figure.add_subplot(2, 2, position)
        ks = study.ks_across(study.target) if score.key.endswith("across") else study.ks_within
        for method in shown:
            mean = np.mean([run[score.key] for run in scores[method.key]], axis=0)
            dashes = DASHES[_members(method.family, shown).index(method) % len(DASHES)]
            colour = FAMILIES.get(method.family, LIGHT.ink)
            axes.plot(ks, mean, linestyle=dashes, color=colour, label=method.name, linewidth=1.7)
        axes.set(xscale="log", xlabel="k nearest")
        axes.set_title(score.title, fontsize=11, color=LIGHT.ink)
        axes.set_xticks(ks, [str(k) for k in ks])
        axes.minorticks_off()
        axes.tick_params(colors=LIGHT.ink, labelsize=8)
        style_diagram(axes)
    legend_below(figure, 4)
    return figure


def _mean_curve(scores: Scores, method: Method) -> Float64:
    return np.asarray(np.mean([np.interp(FALSE_LINKS, *run["roc"]) for run in scores[method.key]], axis=0))


def _members(family: str, methods: Methods) -> list[Method]:
    return [method for method in methods if method.family == family]


def _line_styles(count: int) -> list[dict[str, Any]]:
    """Return a line style for each curve: a colour each or, where there are many, three dash styles of each colour."""
    if count <= len(PALETTE):
        return [{"color": colour, "linestyle": "-"} for colour in PALETTE[:count]]
    return [{"color": PALETTE[i // 3 % len(PALETTE)], "linestyle": DASHES[i % 3]} for i in range(count)]


def _style_roc(axes: Any) -> None:
    axes.set(xlabel="false links predicted", ylabel="true links predicted", xlim=(0, 1), ylim=(0, 1))
    axes.tick_params(colors=LIGHT.ink, labelsize=8)
    style_diagram(axes)
