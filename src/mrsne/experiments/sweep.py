"""Perplexity, which the paper does not state: what Experiments 2 and 3 would be at others."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mrsne.experiments.methods import NORMS, PAPER_WEIGHTS, Method
from mrsne.experiments.published import published
from mrsne.experiments.studies import Study
from mrsne.experiments.tables import SINGLE, Score, Scores, markdown_table
from mrsne.plot import LIGHT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Sweep = Mapping[float, Scores]
SCORES = SINGLE[:2]  # reconstruction AUC and variance ratio, which the paper publishes for every variant
COLOURS = {"unnorm": "#c2663b", "norm": "#2f6fb0", "pmi": "#2a8c55"}
DASHES = {"equal": "--", "size": "-"}


@dataclass(frozen=True)
class Range:
    """The smallest and the largest number of the normalisations, each wider by the spread over the seeds."""

    low: float
    high: float

    def meets(self, other: Range) -> bool:
        """Return whether two ranges have a number in common."""
        return self.low <= other.high and other.low <= self.high


def ranges(scores: Scores, score: Score, weights: str) -> Range | None:
    """Return the range of a score over the variants with these weights; None if there are none."""
    found = [scores[key] for key in (f"mrsne-{norm}-{weights}" for norm in NORMS) if key in scores]
    if not found:
        return None
    values = [[run[score.key] for run in runs] for runs in found]
    spreads = [float(np.std(runs, ddof=1)) if len(runs) > 1 else 0.0 for runs in values]
    means = [float(np.mean(runs)) for runs in values]
    return Range(
        min(mean - spread for mean, spread in zip(means, spreads, strict=True)),
        max(mean + spread for mean, spread in zip(means, spreads, strict=True)),
    )


def published_range(paper: str | None, score: Score, weights: str) -> Range | None:
    """Return the range of the published numbers of the variants with these weights.

    Examples
    --------
    >>> published_range("awa2", SCORES[1], "size")
    Range(low=1.087, high=1.19)
    """
    values = published(paper)
    found = [values[key, score.key, None] for key in (f"mrsne-{norm}-{weights}" for norm in NORMS) if paper]
    return Range(min(found), max(found)) if found else None


def matches(sweep: Sweep, paper: str | None) -> list[float]:
    """Return the perplexities at which all four ranges, AUC and ratio with either weights, meet the published ones."""
    fitting = []
    for perplexity, scores in sweep.items():
        pairs = [
            (ranges(scores, score, weights), published_range(paper, score, weights))
            for score in SCORES
            for weights in PAPER_WEIGHTS
        ]
        if all(ours is not None and theirs is not None and ours.meets(theirs) for ours, theirs in pairs):
            fitting.append(perplexity)
    return fitting


def sweep_table(sweep: Sweep, methods: Sequence[Method], study: Study) -> str:
    """Return a Markdown table with a row for each variant, a column for each perplexity, and the paper's numbers."""
    values = published(study.paper)
    lines = []
    for score in SCORES:
        for method in methods:
            cells = []
            for scores in sweep.values():
                numbers = [run[score.key] for run in scores[method.key]]
                spread = f" ± {np.std(numbers, ddof=1):.{score.decimals - 1}f}" if len(numbers) > 1 else ""
                cells.append(f"{np.mean(numbers):.{score.decimals - 1}f}{spread}")
            in_paper = values.get((method.key, score.key, None))
            paper = [] if study.paper is None else ["" if in_paper is None else f"{in_paper:.{score.decimals}f}"]
            lines.append([score.title, method.label, *cells, *paper])
    headings = ["score", "MR-SNE", *(f"{perplexity:g}" for perplexity in sweep)]
    return markdown_table([*headings, *(["paper"] if study.paper else [])], lines)


def sweep_csv(sweep: Sweep) -> str:
    """Return the same numbers as CSV, one run on each line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["perplexity", "method", "run", *(score.key for score in SCORES)])
    for perplexity, scores in sweep.items():
        for key, runs in scores.items():
            for index, run in enumerate(runs):
                writer.writerow([f"{perplexity:g}", key, index, *(run[score.key] for score in SCORES)])
    return text.getvalue()


def verdict(sweep: Sweep, study: Study) -> str:
    """Return what the sweep says about the paper's perplexity, and how sure that makes us."""
    if study.paper is None:
        return "The paper does not state its perplexity; these are the same scores at others."
    text = (
        "The paper does not state its perplexity. A perplexity fits if the range over the three normalisations, wider "
        "by the standard deviation over the seeds, meets the published range for both scores and both weightings. "
    )
    fitting = matches(sweep, study.paper)
    if not fitting:
        return text + f"None of {', '.join(f'{value:g}' for value in sweep)} does."
    text += (
        f"Of {', '.join(f'{value:g}' for value in sweep)} these do: {', '.join(f'{value:g}' for value in fitting)}. "
    )
    if study.same_data:
        return text + (
            "How sure does that make us? Four ranges that meet are evidence, no proof: start, vectors and drawn "
            "pictures differ from the paper's, and we know only one run of each of its variants."
        )
    return text + (
        "How sure does that make us? Not very: this is other data than the paper's, with other vectors and another "
        "number of pictures. It shows that a perplexity can move the numbers from one place to the other, and where "
        "to look; not which one the paper used."
    )


def sweep_figure(sweep: Sweep, methods: Sequence[Method], study: Study) -> Figure:
    """Draw both scores over the perplexity, with the published range of each weighting as a band."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullLocator

    figure = Figure(figsize=(12, 5), dpi=110, facecolor="white", layout="constrained")
    perplexities = list(sweep)
    for position, score in enumerate(SCORES, start=1):
        axes = figure.add_subplot(1, 2, position)
        for weights in PAPER_WEIGHTS:
            band = published_range(study.paper, score, weights)
            if band is not None:
                axes.axhspan(
                    band.low, band.high, color=LIGHT.ink, alpha=0.12 if weights == "size" else 0.2, linewidth=0
                )
                axes.text(perplexities[-1], band.high, f"paper, {weights}", fontsize=8, ha="right", va="bottom")
        for method in methods:
            _, norm, weights = method.key.split("-")
            means = [np.mean([run[score.key] for run in scores[method.key]]) for scores in sweep.values()]
            axes.plot(
                perplexities, means, DASHES[weights], color=COLOURS[norm], marker="o", markersize=4, label=method.label
            )
        axes.set(xscale="log", yscale="log" if score.best == "one" else "linear", xlabel="perplexity")
        axes.set_title(score.title, fontsize=11, color=LIGHT.ink)
        axes.set_xticks(perplexities, [f"{value:g}" for value in perplexities])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.grid(color="#ececf1", linewidth=0.8)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, fontsize=8, frameon=False)
    return figure
