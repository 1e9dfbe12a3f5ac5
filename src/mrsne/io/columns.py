"""Columns of a table as values of a map's items."""

from __future__ import annotations

import math
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
from mrsne.parameters import describe

LONGEST_NUMBER = 12  # digits of a position
LONGEST_HEADING = 200  # characters
CODE = re.compile(r"[+-]?0\d|.*_")  # 00501 and 1_000, which float() would take for numbers
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

    A column whose values are all numbers is one of numbers, any other of categories. Items without a row, empty cells
    and numbers that are too large for a computer have no value.

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
    columns = ItemColumns()
    cells = _rows_of_items(rows, _finder(rows, count, names, pictures), file, columns.problems)
    if not cells:
        line, first = rows[0]
        raise TableError(f"no row of {file!r} is for an item of the map; line {line} has {describe(first[0])}")
    for at, head in enumerate(heads[1:], start=1):
        heading = head.strip()[:LONGEST_HEADING] or f"column {at + 1}"
        column = {item: row[at].strip() for item, row in cells.items() if at < len(row) and row[at].strip()}
        if not column:
            columns.problems.add("column without a value", file, heading)
        elif heading in columns.values:
            columns.problems.add("second column with the same heading", file, heading)
        else:
            columns.values[heading] = _values(column, count, f"{file}, column {heading}", columns.problems)
    return columns


class _Finder:
    """Finds the item that a cell means: by its name, by the path of its picture, or by its position."""

    def __init__(self, count: int, positions: dict[str, int] | None, paths: PictureNames | None) -> None:
        self._count, self._positions, self._paths = count, positions, paths

    def find(self, cell: str) -> int | None:
        if self._positions is None:
            is_number = cell.isascii() and cell.isdecimal() and len(cell) <= LONGEST_NUMBER
            return int(cell) if is_number and int(cell) < self._count else None
        item = self._positions.get(cell)
        if item is None and self._paths is not None:
            picture = self._paths.find(cell)
            return picture if isinstance(picture, int) else None
        return item


def _finder(rows: list[tuple[int, list[str]]], count: int, names: Sequence[str] | None, pictures: bool) -> _Finder:
    if names is not None:
        positions = {name.strip(): index for index, name in enumerate(names)}
        by_name = _Finder(count, positions, PictureNames(names) if pictures else None)
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
            problems.add("second row for the same item", f"{file}, line {line}", row[0].strip())
        else:
            cells[item] = row
    return cells


def _values(column: dict[int, str], count: int, where: str, problems: Problems) -> Values:
    """Return numbers where all cells are; 00501 is a code and 1_000 a word."""
    try:
        if any(CODE.match(cell) for cell in column.values()):
            raise ValueError
        numbers = {item: float(cell) for item, cell in column.items()}
    except ValueError:
        return [column.get(item) for item in range(count)]
    values = np.full(count, np.nan)
    for item, number in numbers.items():
        if math.isinf(number) and any(digit.isdecimal() for digit in column[item]):
            problems.add("number that is too large", where, column[item])
        else:
            values[item] = number
    return values
