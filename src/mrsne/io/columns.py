"""Columns of a table as values of a map's items."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mrsne.io.pictures import PictureNames
from mrsne.io.problems import Problems
from mrsne.io.tables import TableError, read_table

LONGEST_NUMBER = 12  # digits
CODE = re.compile(r"[+-]?0\d|.*_")  # what float() would take for a number
Values = NDArray[np.float64] | list[str | None]


@dataclass(frozen=True)
class ItemColumns:
    """Values for each item by the headings of a table, and what could not be used."""

    values: dict[str, Values] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)


def columns_from_table(
    path: str | os.PathLike[str], count: int, names: Sequence[str] | None = None, pictures: bool = False
) -> ItemColumns:
    r"""Read a table with headings: an item in the first column, something about it in each other column.

    A column whose values are all numbers is one of numbers, any other of categories. Items without a row, and empty
    cells, have no value.

    Parameters
    ----------
    path : path
        CSV, TSV or Parquet.
    count : int
        How many items there are.
    names : sequence of str, optional
        Their names. If the first column has none of them, it has positions 0, 1, 2, ….
    pictures : bool
        Names are paths of pictures; then a file name, or that without its ending, will do.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "photos.csv")
    ...     _ = file.write_text("photo,year,place\nb.jpg,2001,Oslo\nc.jpg,2003,Rome\n")
    ...     found = columns_from_table(file, 2, ["a.jpg", "b.jpg"])
    >>> found.values, found.problems.counts()
    ({'year': array([  nan, 2001.]), 'place': [None, 'Oslo']}, {'row for an item that is not there': 1})
    """
    file = Path(path).name
    (_, heads), *rows = read_table(path)
    if len(heads) < 2 or not rows:
        raise TableError(f"{file!r} needs a row of headings, and rows with the item and at least one value")
    found = ItemColumns()
    cells = _rows_of_items(rows, _finder(rows, count, names, pictures), file, found.problems)
    if not cells:
        raise TableError(f"no row of {file!r} is for an item of the map; line {rows[0][0]} has {rows[0][1][0]!r}")
    for at, head in enumerate(heads[1:], start=1):
        heading = head.strip() or f"column {at + 1}"
        column = {item: row[at].strip() for item, row in cells.items() if at < len(row) and row[at].strip()}
        if not column or heading in found.values:
            kind = "column whose heading came before" if column else "column without a value"
            found.problems.add(kind, file, heading)
        else:
            found.values[heading] = _values(column, count)
    return found


class _Finder:
    """Finds the item that a cell means."""

    def __init__(self, count: int, known: dict[str, int] | None, paths: PictureNames | None) -> None:
        self._count, self._known, self._paths = count, known, paths

    def find(self, cell: str) -> int | None:
        if self._known is None:
            number = cell.isascii() and cell.isdecimal() and len(cell) <= LONGEST_NUMBER
            return int(cell) if number and int(cell) < self._count else None
        item = self._known.get(cell)
        if item is None and self._paths is not None:
            meant = self._paths.find(cell)
            return meant if isinstance(meant, int) else None
        return item


def _finder(rows: list[tuple[int, list[str]]], count: int, names: Sequence[str] | None, pictures: bool) -> _Finder:
    if names is not None:
        known = {name.strip(): index for index, name in enumerate(names)}
        by_name = _Finder(count, known, PictureNames(names) if pictures else None)
        if any(by_name.find(row[0].strip()) is not None for _, row in rows):
            return by_name
    return _Finder(count, None, None)


def _rows_of_items(
    rows: list[tuple[int, list[str]]], finder: _Finder, file: str, problems: Problems
) -> dict[int, list[str]]:
    cells: dict[int, list[str]] = {}
    for line, row in rows:
        item = finder.find(row[0].strip())
        if item is None:
            problems.add("row for an item that is not there", f"{file}, line {line}", row[0].strip())
        elif item in cells:
            problems.add("row for an item that came before", f"{file}, line {line}", row[0].strip())
        else:
            cells[item] = row
    return cells


def _values(column: dict[int, str], count: int) -> Values:
    """Return numbers where all cells are; 00501 is a code and 1_000 a word."""
    try:
        if any(CODE.match(cell) for cell in column.values()):
            raise ValueError
        numbers = {item: float(cell) for item, cell in column.items()}
    except ValueError:
        return [column.get(item) for item in range(count)]
    values = np.full(count, np.nan)
    values[list(numbers)] = list(numbers.values())
    return values
