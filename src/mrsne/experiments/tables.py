"""The paper's tables: means over the seeds with their spread, published values beside them, the best two marked."""

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
    """A column of the tables: key, heading, decimals, and which value is best."""

    key: str
    title: str
    decimals: int
    best: str = "high"  # or "one" for the value nearest to 1, or "" to mark none


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
        """Return the number as Markdown, the best in bold and the second underlined."""
        text = f"{self.mean:.{self.score.decimals}f}"
        text = f"**{text}**" if self.rank == 1 else f"<u>{text}</u>" if self.rank == 2 else text
        return f"{text} ± {self.spread:.{self.score.decimals}f}" if self.seeds > 1 else text


def column(
    scores: Scores,
    methods: Sequence[Method],
    score: Score,
    published: Mapping[Key, float],
    k: int | None = None,
    index: int | None = None,
) -> list[Cell]:
    """Return one column: every method's number for a score, or for entry ``index`` of a score that is a list over k."""
    cells = []
    for method in methods:
        values = [run[score.key] if index is None else run[score.key][index] for run in scores[method.key]]
        spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        in_paper = published.get((method.published, score.key, k))
        cells.append(Cell(method, score, k, float(np.mean(values)), spread, len(values), in_paper))
    _mark(cells, score)
    return cells


def _mark(cells: Sequence[Cell], score: Score) -> None:
    """Give rank 1 to the best numbers, as rounded in the table, and rank 2 to the next."""
    if not score.best:
        return
    rounded = [round(cell.mean, score.decimals) for cell in cells]
    merits = [value if score.best == "high" else -_distance_from_one(value) for value in rounded]
    best_two = sorted({merit for merit in merits if math.isfinite(merit)}, reverse=True)[:2]
    for cell, merit in zip(cells, merits, strict=True):
        if merit in best_two:
            cell.rank = 1 + best_two.index(merit)


def _distance_from_one(ratio: float) -> float:
    return abs(math.log(ratio)) if ratio > 0 else math.inf


def single_table(columns: Sequence[Sequence[Cell]], comparable: bool) -> str:
    """Return a Markdown table with a row for each method and two columns, ours and the paper's, for each score."""
    has_paper = [any(cell.published is not None for cell in cells) for cells in columns]
    headings = ["method"]
    for cells, with_paper in zip(columns, has_paper, strict=True):
        headings += [cells[0].score.title, *(["paper"] if with_paper else [])]
    rows = []
    for row in zip(*columns, strict=True):
        line = [f"{row[0].method.family}: {row[0].method.label}"]
        for cell, with_paper in zip(row, has_paper, strict=True):
            line += [cell.markdown(), *([_paper(cell, comparable)] if with_paper else [])]
        rows.append(line)
    return _markdown(headings, rows)


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


def _markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def as_csv(columns: Sequence[Sequence[Cell]]) -> str:
    """Return the same numbers as CSV, in full precision, one on each line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["method", "family", "label", "dimensions", "score", "k", "mean", "spread", "seeds", "published", "rank"]
    )
    for cells in columns:
        for cell in cells:
            in_paper = "" if cell.published is None else cell.published
            k = "" if cell.k is None else cell.k
            method = cell.method
            what = [method.key, method.family, method.label, method.K, cell.score.key, k]
            writer.writerow([*what, cell.mean, cell.spread, cell.seeds, in_paper, cell.rank or ""])
    return text.getvalue()
