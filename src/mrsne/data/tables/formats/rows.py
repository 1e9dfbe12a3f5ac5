"""Rows of cells into a table, for formats that do not say which row has the headings; and columns into rows."""

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, count, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.budgets import CELLS
from mrsne.data.files.problems import Problems
from mrsne.data.tables.cells import MISSING_WORDS, numbers_of
from mrsne.data.tables.table import Coded, Coder, Headings, Table, TableError, check_size
from mrsne.data.tables.vocabulary import is_label_heading

FIRST_ROWS = 100  # that are looked at for headings and damage
LONGEST_HEADING = 200  # characters
TYPED = re.compile(r"(.+):(token|float)(_seq)?")

Row = tuple[int, list[str]]  # its line, and its cells


def table_from_rows(path: Path, rows: Iterator[Row], headings: Headings | None) -> Table:
    """Return rows as a table.

    Rows that are too short lack their last values; what is beyond the last heading is left out and noted.
    """
    problems, source = Problems(), path.name
    first = list(rows if callable(headings) else islice(rows, FIRST_ROWS))
    if not first:
        raise TableError(f"{str(path)!r} is empty: it needs a row of headings and a row for each item")
    if headings is None:
        has_headings = _looks_headed(first)
    else:
        has_headings = headings([row for _, row in first]) if callable(headings) else headings
    check_size(source, 0, len(first[0][1]))
    names = _headings(first[0], source, problems) if has_headings else []
    most, too_long = CELLS.most(), 0
    coders = [Coder() for _ in names]
    lines = array("q")
    short: dict[int, int] = {}
    for line, row in chain(first[int(has_headings) :], rows):
        if len(row) > len(coders):
            if not has_headings:
                check_size(source, 0, len(row))
                coders += [Coder(len(lines)) for _ in row[len(coders) :]]
            elif any(cell.strip() for cell in row[len(coders) :]):
                extra = ",".join(row[len(coders) :])
                problems.add("row with more cells than headings", f"{source}, line {line}", extra)
                too_long += 1
        elif len(row) < len(coders):
            short[len(lines)] = len(row)
        for coder, cell in zip(coders, row, strict=False):
            coder.add_cell(cell.strip() or None)
        for coder in coders[len(row) :]:
            coder.add_cell(None)
        lines.append(line)
        if len(lines) * len(coders) > most:
            check_size(source, len(lines), len(coders))
    if not lines:
        raise TableError(f"{str(path)!r} has headings ({', '.join(names[:5])}) and no rows below them")
    if too_long > max(1, len(lines) // 2):
        raise TableError(
            f"{source}, line {lines[0]}: more than half of the rows have more cells than the {len(names)} headings; "
            "is the separator also used inside cells? Put these in quotes, or save the table with tabs as .tsv"
        )
    names = names or [f"column {index + 1}" for index in range(len(coders))]
    columns = _untyped({name: coder.column() for name, coder in zip(names, coders, strict=True)})
    numbers = np.frombuffer(lines, np.int64)
    return Table(source, dict(columns), len(lines), numbers, path.parent, problems, has_headings, short)


def _looks_headed(rows: list[Row]) -> bool:
    """Return whether the first row has headings: a number above numbers is a value, unless cells count up.

    So are words that come again below, in two columns at least.
    """
    cells = [cell.strip() for cell in rows[0][1]]
    counted = [int(cell) for cell in cells if cell.isascii() and cell.isdecimal() and len(cell) < 10]
    if len(counted) >= 3 and all(b - a == 1 for a, b in pairwise(counted)):
        return True  # as the headings of columns without names are: 0, 1, 2, … or years
    for index in np.flatnonzero(~np.isnan(numbers_of(cells))).tolist():
        below = [row[index].strip() for _, row in rows[1:] if index < len(row)]
        values = [cell for cell in below if cell.casefold() not in MISSING_WORDS]
        if values and np.mean(np.isnan(numbers_of(values))) < 0.2:
            return False
    others = [row for _, row in rows[1:] if row != rows[0][1]]  # headings may come again where files were joined
    return sum(cell != "" and any(row[i : i + 1] == [cell] for row in others) for i, cell in enumerate(rows[0][1])) < 2


def _untyped(columns: dict[str, Coded]) -> dict[str, Coded]:
    """Return columns without the types that all their headings end in, such as "user_id:token", and with their lists.

    A title is a sequence of words too, and stays one text.
    """
    typed = {heading: TYPED.fullmatch(heading) for heading in columns}
    names = [found[1] for found in typed.values() if found]
    if len(set(names)) < len(columns):
        return columns
    for heading, found in typed.items():
        if found and found[3] and not is_label_heading(found[1]):
            columns[heading] = Coded(columns[heading].codes, [tuple(str(v).split()) for v in columns[heading].values])
    return dict(zip(names, columns.values(), strict=True))


def _headings(row: Row, source: str, problems: Problems) -> list[str]:
    """Return the headings, each different from the others."""
    line, cells = row
    headings: dict[str, None] = {}
    numbers = Counter[str]()  # the last one that was given to a heading
    for index, cell in enumerate(cells):
        heading = " ".join(cell.split())[:LONGEST_HEADING] or f"column {index + 1}"
        if heading in headings:
            first = max(2, numbers[heading])
            numbers[heading] = next(n for n in count(first) if f"{heading} ({n})" not in headings)
            other = f"{heading} ({numbers[heading]})"
            problems.add("second column with the same heading", f"{source}, line {line}", f"{heading}, now {other}")
            heading = other
        headings[heading] = None
    return list(headings)


def plain_rows(columns: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of columns: None for what is missing, dates as text."""
    return zip(*map(_plain, columns.values()), strict=True)


def _plain(values: Any) -> list[Any]:
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        texts = np.datetime_as_string(values.astype("datetime64[s]")).tolist()
        return [None if text == "NaT" else text for text in texts]
    plain = values.tolist() if isinstance(values, np.ndarray) else values
    return [None if isinstance(value, float) and value != value else value for value in plain]
