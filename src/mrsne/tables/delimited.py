"""Tables of text, CSV and TSV, by columns."""

from __future__ import annotations

import re
from array import array
from itertools import chain, islice, pairwise
from pathlib import Path

import numpy as np

from mrsne.io.damage import file_errors
from mrsne.io.problems import Problems
from mrsne.io.tables import TableError, text_rows
from mrsne.tables.cells import numbers_of
from mrsne.tables.table import Coder, Table, check_width, plain_cell

UNFIT = re.compile("[\x01-\x08\x0e-\x1f\ufffd]")  # characters that no text has
FIRST_ROWS = 100  # that are looked at for headings and damage
LONGEST_HEADING = 200  # characters


def table_from_text(path: Path) -> Table:
    """Read a CSV or TSV file with headings, in any encoding and with any separator.

    Rows that are too short lack their last values; what is beyond the last heading is left out and noted.
    """
    file = path.name
    problems = Problems()
    with file_errors(path, "a table", TableError):
        rows = text_rows(path)
        first = list(islice(rows, FIRST_ROWS))
        if first and re.fullmatch(r"sep=.?", "".join(first[0][1]).strip(), re.IGNORECASE):
            first = first[1:]  # a line that Excel writes for itself
        width = max((len(row) for _, row in first), default=0)
        while first and first[0][1][0].lstrip().startswith("#") and len(first[0][1]) < width:
            first = first[1:]  # a comment
        if not first:
            raise TableError(f"{str(path)!r} is empty: it needs a row of headings and a row for each item")
        _check_text(path, first)
        headings = _headings(first, file, problems)
        has_headings = headings is not None
        if headings is None:
            headings = [f"column {index + 1}" for index in range(max(len(row) for _, row in first))]
        check_width(file, len(headings))
        coders = [Coder() for _ in headings]
        lines = array("q")
        for line, row in chain(first[int(has_headings) :], rows):
            if len(row) > len(headings) and any(cell.strip() for cell in row[len(headings) :]):
                problems.add(
                    "row with more cells than headings", f"{file}, line {line}", ",".join(row[len(headings) :])
                )
            for coder, cell in zip(coders, row, strict=False):
                coder.add(cell)
            for coder in coders[len(row) :]:
                coder.add(None)
            lines.append(line)
    if not lines:
        raise TableError(f"{str(path)!r} has headings ({', '.join(headings[:5])}) and no rows below them")
    if len(problems) > max(1, len(lines) // 2):
        raise TableError(
            f"{file}, line {lines[0]}: more than half of the rows have more cells than the {len(headings)} headings; "
            "is the separator also used inside cells? Put these in quotes, or save the table with tabs as .tsv"
        )
    columns = {heading: coder.column() for heading, coder in zip(headings, coders, strict=True)}
    return Table(file, dict(columns), len(lines), np.frombuffer(lines, np.int64), path.parent, problems)


def _check_text(path: Path, rows: list[tuple[int, list[str]]]) -> None:
    content = "".join(cell for _, row in rows for cell in row)
    if len(UNFIT.findall(content)) > 0.01 * len(content) + 1:
        raise TableError(f"{str(path)!r} is not a text that can be read; save the table as CSV in UTF-8")


def _headings(rows: list[tuple[int, list[str]]], file: str, problems: Problems) -> list[str] | None:
    """Return the headings, each different from the others; None where the first row is one of data already."""
    cells = [cell.strip() for cell in rows[0][1]]
    body = [row for _, row in rows[1:]]
    is_number = ~np.isnan(numbers_of(cells))
    for index in np.flatnonzero(is_number).tolist():
        below = [row[index] for row in body if index < len(row) and plain_cell(row[index]) is not None]
        if below and np.mean(np.isnan(numbers_of([cell.strip() for cell in below]))) < 0.2 and not _is_range(cells):
            return None  # a number above numbers is a value and no heading
    headings: dict[str, None] = {}
    for index, cell in enumerate(cells):
        heading = " ".join(cell.split())[:LONGEST_HEADING] or f"column {index + 1}"
        if heading in headings:
            other = next(f"{heading} ({n})" for n in range(2, len(cells) + 2) if f"{heading} ({n})" not in headings)
            problems.add("second column with the same heading", f"{file}, line {rows[0][0]}", f"{heading}, now {other}")
            heading = other
        headings[heading] = None
    return list(headings)


def _is_range(cells: list[str]) -> bool:
    """Return whether cells count up, as the headings of columns without names do: 0, 1, 2, … or years."""
    found = [int(cell) for cell in cells if cell.isascii() and cell.isdecimal() and len(cell) < 10]
    return len(found) >= 3 and all(b - a == 1 for a, b in pairwise(found))
