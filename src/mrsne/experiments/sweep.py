"""Perplexity, which the paper does not state: what Experiments 2 and 3 would be at others."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from mrsne.experiments.drawing import blank_figure, legend_below, style_diagram
from mrsne.experiments.study import NORMS, PAPER_WEIGHTS, SINGLE, Methods, Score, Scores, Study, published
from mrsne.experiments.tables import column, mean_and_spread
from mrsne.plot.drawing import LIGHT

Sweep = Mapping[float, Scores]
Range = tuple[float, float]  # the smallest and the largest number of the normalisations
Table = tuple[list[str], list[list[str]]]  # headings and rows
SCORES = SINGLE[:2]  # reconstruction AUC and variance ratio, which the paper publishes for every variant
COLOURS = {"unnorm": "#c2663b", "norm": "#2f6fb0", "pmi": "#2a8c55"}
DASHES = {"equal": "--", "size": "-"}


def measured_range(scores: Scores, score: Score, weights: str) -> Range | None:
    """Return the range of a score over the variants with these weights, wider by the spread over the seeds."""
    variants = [scores[key] for key in (f"mrsne-{norm}-{weights}" for norm in NORMS) if key in scores]
    if not variants:
        return None
    found = [mean_and_spread([run[score.key] for run in runs]) for runs in variants]
    return min(mean - spread for mean, spread in found), max(mean + spread for mean, spread in found)


def published_range(paper: str | None, score: Score, weights: str) -> Range | None:
    """Return the range of the published numbers of the variants with these weights; None for other data."""
    if paper is None:
        return None
    values = published(paper)
    found = [values[f"mrsne-{norm}-{weights}", score.key, None] for norm in NORMS]
    return min(found), max(found)


def matches(sweep: Sweep, paper: str | None) -> list[float]:
    """Return the perplexities at which all four ranges, AUC and ratio with either weights, meet the published ones."""

    def agree(scores: Scores, score: Score, weights: str) -> bool:
        ours, theirs = measured_range(scores, score, weights), published_range(paper, score, weights)
        return ours is not None and theirs is not None and ours[0] <= theirs[1] and theirs[0] <= ours[1]

    return [
        perplexity
        for perplexity, scores in sweep.items()
        if all(agree(scores, score, weights) for score in SCORES for weights in PAPER_WEIGHTS)
    ]


def sweep_table(sweep: Sweep, methods: Methods, study: Study) -> Table:
    """Return a row for each variant, with a column for each perplexity and the paper's numbers."""
    values, paper = published(study.paper), [] if study.paper is None else ["paper"]
    rows = []
    for score in SCORES:
        shown = replace(score, decimals=score.decimals - 1, best="")
        for cells in zip(*(column(scores, methods, shown, values) for scores in sweep.values()), strict=True):
            row = [score.title, cells[0].method.label, *(cell.markdown() for cell in cells)]
            rows.append(row + [replace(cells[0], score=score).published_markdown(comparable=True) for _ in paper])
    return ["score", "MR-SNE", *(f"{perplexity:g}" for perplexity in sweep), *paper], rows


def sweep_runs(sweep: Sweep) -> Table:
    """Return the same numbers in full precision, one run in each row."""
    rows = [
        [f"{perplexity:g}", key, str(index), *(str(run[score.key]) for score in SCORES)]
        for perplexity, scores in sweep.items()
        for key, runs in scores.items()
        for index, run in enumerate(runs)
    ]
    return ["perplexity", "method", "run", *(score.key for score in SCORES)], rows


def verdict(sweep: Sweep, study: Study) -> str:
    """Return what the sweep says about the paper's perplexity, and how sure that makes us."""
    if study.paper is None:
        return "The paper does not state its perplexity; these are the same scores at others."
    text = (
        "The paper does not state its perplexity. A perplexity fits if the range over the three normalisations, wider "
        "by the standard deviation over the seeds, meets the published range for both scores and both weightings. "
    )
    tried = ", ".join(f"{value:g}" for value in sweep)
    fitting = ", ".join(f"{value:g}" for value in matches(sweep, study.paper))
    if not fitting:
        return text + f"None of {tried} does."
    text += f"Of {tried} these do: {fitting}. How sure does that make us? "
    if study.same_data:
        return text + (
            "Four ranges that meet are evidence, no proof: start, vectors and drawn pictures differ from the paper's, "
            "and we know only one run of each of its variants."
        )
    return text + (
        "Not very: this is other data than the paper's, with other vectors and another number of pictures. It shows "
        "that a perplexity can move the numbers from one place to the other, and where to look; not which one the "
        "paper used."
    )


def sweep_figure(sweep: Sweep, methods: Methods, study: Study) -> Figure:
    """Draw both scores over the perplexity, with the published range of each weighting as a band."""
    figure = blank_figure(12, 5)
    perplexities = list(sweep)
    for axes, score in zip(figure.subplots(1, 2), SCORES, strict=True):
        for weights, opacity in (("equal", 0.2), ("size", 0.12)):
            band = published_range(study.paper, score, weights)
            if band is not None:
                axes.axhspan(*band, color=LIGHT.ink, alpha=opacity, linewidth=0)
                axes.text(perplexities[-1], band[1], f"paper, {weights}", fontsize=8, ha="right", va="bottom")
        for method in methods:
            _, norm, weights = method.key.split("-")
            means = [np.mean([run[score.key] for run in scores[method.key]]) for scores in sweep.values()]
            style = {"color": COLOURS[norm], "linestyle": DASHES[weights], "marker": "o", "markersize": 4}
            axes.plot(perplexities, means, label=method.label, **style)
        axes.set(xscale="log", yscale="log" if score.best == "one" else "linear", xlabel="perplexity")
        axes.set_title(score.title, fontsize=11, color=LIGHT.ink)
        axes.set_xticks(perplexities, [f"{value:g}" for value in perplexities])
        axes.xaxis.set_minor_locator(NullLocator())
        style_diagram(axes)
    legend_below(figure, 6)
    return figure
