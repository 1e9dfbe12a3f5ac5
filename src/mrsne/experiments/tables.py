"""The paper's tables: mean and spread over the seeds, the published value beside each, best and second marked."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mrsne.experiments.methods import Method
from mrsne.experiments.published import Key

Scores = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Score:
    """A score that tables have: its key, its heading, its decimals, and what is best."""

    key: str
    title: str
    decimals: int
    best: str = "high"  # or "one", or "" where none is marked


SINGLE = (
    Score("reconstruction_auc", "Graph reconstruction, AUC", 4),
    Score("variance_ratio", "Variance ratio", 3, "one"),
    Score("link_auc", "Links across domains, AUC", 3),
)
LISTS = (
    Score("hit_rate_across", "Metric (I) across domains", 3),
    Score("hit_rate_within", "Metric (I) within the query's domain", 3),
    Score("hit_count_across", "Metric (II) across domains", 3),
    Score("hit_count_within", "Metric (II) within the query's domain", 3),
)


@dataclass
class Cell:
    """One number of a table."""

    method: Method
    score: Score
    k: int | None
    mean: float
    spread: float
    seeds: int
    published: float | None
    rank: int | None = None  # 1 is best, 2 second

    def markdown(self) -> str:
        """Return the number as Markdown, best bold and second underlined."""
        text = f"{self.mean:.{self.score.decimals}f}"
        text = f"**{text}**" if self.rank == 1 else f"<u>{text}</u>" if self.rank == 2 else text
        return f"{text} ± {self.spread:.{self.score.decimals}f}" if self.seeds > 1 else text


def column(
    scores: Scores,
    methods: Sequence[Method],
    score: Score,
    published: Mapping[Key, float],
    k: int | None,
    at: int | None,
) -> list[Cell]:
    """Return one column: every method's number for a score, at position ``at`` of its list if it is one."""
    cells = []
    for method in methods:
        runs = [run[score.key] if at is None else run[score.key][at] for run in scores[method.key]]
        spread = float(np.std(runs, ddof=1)) if len(runs) > 1 else 0.0
        known = published.get((method.published, score.key, k))
        cells.append(Cell(method, score, k, float(np.mean(runs)), spread, len(runs), known))
    _mark(cells, score)
    return cells


def _mark(cells: Sequence[Cell], score: Score) -> None:
    """Give rank 1 to the best numbers as they are shown, and 2 to the next."""
    if not score.best:
        return
    shown = [round(cell.mean, score.decimals) for cell in cells]
    merits = [value if score.best == "high" else -_distance_from_one(value) for value in shown]
    order = sorted({merit for merit in merits if math.isfinite(merit)}, reverse=True)[:2]
    for cell, merit in zip(cells, merits, strict=True):
        if merit in order:
            cell.rank = 1 + order.index(merit)


def _distance_from_one(ratio: float) -> float:
    return abs(math.log(ratio)) if ratio > 0 else math.inf


def single_table(columns: Sequence[Sequence[Cell]], comparable: bool) -> str:
    """Return a Markdown table with a row for each method and two columns, ours and the paper's, for each score."""
    paper = [any(cell.published is not None for cell in cells) for cells in columns]
    heads = ["method"]
    for cells, shown in zip(columns, paper, strict=True):
        heads += [cells[0].score.title, *(["paper"] if shown else [])]
    rows = []
    for row in zip(*columns, strict=True):
        line = [f"{row[0].method.family}: {row[0].method.label}"]
        for cell, shown in zip(row, paper, strict=True):
            line += [cell.markdown(), *([_paper(cell, comparable)] if shown else [])]
        rows.append(line)
    return _markdown(heads, rows)


def list_table(columns: Sequence[Sequence[Cell]], comparable: bool) -> str:
    """Return a Markdown table with a row for each method and a column for each k, the paper's in brackets."""
    rows = [
        [
            f"{row[0].method.family}: {row[0].method.label}",
            *(
                cell.markdown() + (f" [{_paper(cell, comparable)}]" if cell.published is not None else "")
                for cell in row
            ),
        ]
        for row in zip(*columns, strict=True)
    ]
    return _markdown(["method", *(f"k = {cells[0].k}" for cells in columns)], rows)


def _paper(cell: Cell, comparable: bool) -> str:
    if cell.published is None:
        return ""
    text = f"{cell.published:.{cell.score.decimals}f}"
    return text if comparable else f"*{text}*"


def _markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def as_csv(columns: Sequence[Sequence[Cell]]) -> str:
    """Return the same numbers, in full precision, one on each line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["method", "family", "label", "dimensions", "score", "k", "mean", "spread", "seeds", "published", "rank"]
    )
    for cells in columns:
        for cell in cells:
            known = "" if cell.published is None else cell.published
            where = "" if cell.k is None else cell.k
            method = cell.method
            start = [method.key, method.family, method.label, method.K, cell.score.key, where]
            writer.writerow([*start, cell.mean, cell.spread, cell.seeds, known, cell.rank or ""])
    return text.getvalue()
