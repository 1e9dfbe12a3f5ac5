"""The paper's tables: means over seeds beside published values, with the best two of the paper's own methods marked."""

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mrsne.experiments.study import Key, Method, Methods, Score, Scores

CSV_HEADINGS = (
    *("method", "family", "label", "dimensions", "in_paper", "note"),
    *("score", "k", "mean", "spread", "seeds", "published", "rank"),
)


def mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the standard deviation of the runs' numbers; of one run the latter is 0."""
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


@dataclass
class Cell:
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

    def published_markdown(self, comparable: bool) -> str:
        """Return the published number, in italics where it is for other data, or nothing."""
        if self.published is None:
            return ""
        text = f"{self.published:.{self.score.decimals}f}"
        return text if comparable else f"*{text}*"


Columns = Sequence[Sequence[Cell]]


def column(
    scores: Scores,
    methods: Methods,
    score: Score,
    published: Mapping[Key, float],
    k: int | None = None,
    index: int | None = None,
) -> list[Cell]:
    """Return every method's number for a score, or for entry ``index`` of a score that is a list over k."""
    cells = []
    for method in methods:
        values = [run[score.key] if index is None else run[score.key][index] for run in scores[method.key]]
        in_paper = published.get((method.key, score.key, k)) if method.in_paper else None
        cells.append(Cell(method, score, k, *mean_and_spread(values), len(values), in_paper))
    if score.best:
        _rank([cell for cell in cells if cell.method.in_paper], score)
    return cells


def _rank(cells: Sequence[Cell], score: Score) -> None:
    """Give rank 1 to the best numbers, as rounded in the table, and rank 2 to the next."""
    rounded = [round(cell.mean, score.decimals) for cell in cells]
    merits = [value if score.best == "high" else -abs(math.log(value)) if value > 0 else -math.inf for value in rounded]
    best_two = sorted({merit for merit in merits if math.isfinite(merit)}, reverse=True)[:2]
    for cell, merit in zip(cells, merits, strict=True):
        if merit in best_two:
            cell.rank = 1 + best_two.index(merit)


def single_table(columns: Columns, comparable: bool) -> str:
    """Return a Markdown table with a row for each method and two columns, ours and the paper's, for each score."""
    has_paper = [any(cell.published is not None for cell in cells) for cells in columns]
    headings = [[cells[0].score.title, "paper"][: 1 + known] for cells, known in zip(columns, has_paper, strict=True)]
    rows = []
    for cells in zip(*columns, strict=True):
        pairs = [(cell.markdown(), cell.published_markdown(comparable)) for cell in cells]
        shown = [text for pair, known in zip(pairs, has_paper, strict=True) for text in pair[: 1 + known]]
        rows.append([_row_name(cells[0].method), *shown])
    return markdown_table(["method", *(text for pair in headings for text in pair)], rows)


def list_table(columns: Columns, comparable: bool) -> str:
    """Return a Markdown table with a row for each method and a column for each k, the paper's in brackets."""
    rows = []
    for cells in zip(*columns, strict=True):
        pairs = [(cell.markdown(), cell.published_markdown(comparable)) for cell in cells]
        rows.append([_row_name(cells[0].method), *(ours + (f" [{paper}]" if paper else "") for ours, paper in pairs)])
    return markdown_table(["method", *(f"k = {cells[0].k}" for cells in columns)], rows)


def _row_name(method: Method) -> str:
    """Return a method's name, marked if there is a note on it below the table."""
    return method.name + (" †" if method.note else "")


def notes(methods: Methods) -> str:
    """Return the notes of the methods as lines, or nothing."""
    return "\n".join(f"† {method.name}: {method.note}.  " for method in methods if method.note)


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def csv_text(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV; None is an empty field."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([headings, *rows])
    return text.getvalue()


def as_csv(columns: Columns) -> str:
    """Return the numbers of a table as CSV, in full precision, one on each line."""
    rows = []
    for cell in (cell for cells in columns for cell in cells):
        method, numbers = cell.method, (cell.mean, cell.spread, cell.seeds, cell.published, cell.rank)
        what = (method.key, method.family, method.label, method.K, int(method.in_paper), method.note)
        rows.append([*what, cell.score.key, cell.k, *numbers])
    return csv_text(CSV_HEADINGS, rows)
