"""The paper's tables: means over the seeds with their spread, and published values beside them.

The best two are marked as in the paper, among its own methods: ours are beside them, but do not compete.
"""

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
from mrsne.experiments.studies import Study

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


def single_scores(study: Study) -> list[Score]:
    """Return the scores that are one number: the paper's, and the same against further domains."""
    others = [
        Score(f"{score.key}_{name}", f"{score.title} ({name})", score.decimals, score.best)
        for name in study.targets[1:]
        for score in SINGLE[1:]
    ]
    return [*SINGLE, *others]


def list_scores(study: Study) -> list[tuple[Score, list[int]]]:
    """Return the scores that are lists over k, each with its k."""
    found: list[tuple[Score, list[int]]] = []
    for score in LISTS:
        if score.key.endswith("within"):
            found.append((score, study.ks_within))
            continue
        for name in study.targets:
            title = score.title if name == study.target else f"{score.title} ({name})"
            key = score.key + study.ending(name)
            found.append((Score(key, title, score.decimals, score.best), study.ks_across(name)))
    return found


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
    """Return one column: every method's number for a score, or for entry ``index`` of a score that is a list over k.

    A published number stands beside a method of the paper only.
    """
    cells = []
    for method in methods:
        values = [run[score.key] if index is None else run[score.key][index] for run in scores[method.key]]
        spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        in_paper = published.get((method.key, score.key, k)) if method.in_paper else None
        cells.append(Cell(method, score, k, float(np.mean(values)), spread, len(values), in_paper))
    _mark(cells, score)
    return cells


def _mark(cells: Sequence[Cell], score: Score) -> None:
    """Give rank 1 to the best numbers of the paper's methods, as rounded in the table, and rank 2 to the next."""
    if not score.best:
        return
    cells = [cell for cell in cells if cell.method.in_paper]
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
        line = [_named(row[0].method)]
        for cell, with_paper in zip(row, has_paper, strict=True):
            line += [cell.markdown(), *([_paper(cell, comparable)] if with_paper else [])]
        rows.append(line)
    return markdown_table(headings, rows)


def list_table(columns: Sequence[Sequence[Cell]], comparable: bool) -> str:
    """Return a Markdown table with a row for each method and a column for each k, the paper's in brackets."""
    rows = [
        [
            _named(row[0].method),
            *(
                cell.markdown() + (f" [{_paper(cell, comparable)}]" if cell.published is not None else "")
                for cell in row
            ),
        ]
        for row in zip(*columns, strict=True)
    ]
    return markdown_table(["method", *(f"k = {cells[0].k}" for cells in columns)], rows)


def _named(method: Method) -> str:
    """Return a method's name, with a mark where a note below the table speaks of it."""
    return method.name + (" †" if method.note else "")


def notes(methods: Sequence[Method]) -> str:
    """Return the notes of the methods as lines, or nothing."""
    return "\n".join(f"† {method.name}: {method.note}.  " for method in methods if method.note)


def _paper(cell: Cell, comparable: bool) -> str:
    if cell.published is None:
        return ""
    text = f"{cell.published:.{cell.score.decimals}f}"
    return text if comparable else f"*{text}*"


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table.

    Examples
    --------
    >>> print(markdown_table(["a", "b"], [["1", "2"]]))
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def as_csv(columns: Sequence[Sequence[Cell]]) -> str:
    """Return the same numbers as CSV, in full precision, one on each line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        [
            *("method", "family", "label", "dimensions", "in_paper", "note"),
            *("score", "k", "mean", "spread", "seeds", "published", "rank"),
        ]
    )
    for cells in columns:
        for cell in cells:
            in_paper = "" if cell.published is None else cell.published
            k = "" if cell.k is None else cell.k
            method = cell.method
            what = [method.key, method.family, method.label, method.K, int(method.in_paper), method.note]
            what += [cell.score.key, k]
            writer.writerow([*what, cell.mean, cell.spread, cell.seeds, in_paper, cell.rank or ""])
    return text.getvalue()
