"""Columns of a table as values of a map's items."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mrsne.io.pictures import PictureNames
from mrsne.io.problems import Problems
from mrsne.parameters import describe
from mrsne.tables.cells import numbers_of, without_missing_words
from mrsne.tables.dates import dates_of
from mrsne.tables.reading import open_table
from mrsne.tables.table import Table, TableError, texts_of

LONGEST_NUMBER = 12  # digits of a position
CODE = re.compile(r"[+-]?0\d|.*_")  # 00501 and 1_000, which float() would take for numbers
Values = NDArray[np.float64] | NDArray[np.datetime64] | list[str | None]


@dataclass(frozen=True)
class ItemColumns:
    """Values for each item by the headings of a table, and what could not be used."""

    values: dict[str, Values] = field(default_factory=dict)
    problems: Problems = field(default_factory=Problems)


def columns_from_table(
    path: str | os.PathLike[str], count: int, names: Sequence[str] | None = None, pictures: bool = False
) -> ItemColumns:
    r"""Read a table with headings: an item in the first column, something about it in each other column.

    A column whose values are all numbers is one of numbers, one of dates likewise, any other of categories. Items
    without a row, empty cells and numbers that are too large for a computer have no value.

    Parameters
    ----------
    path : path
        In any of the formats of :func:`mrsne.tables.reading.open_table`.
    count : int
        How many items there are.
    names : sequence of str, optional
        Their names. If the first column has none of them, it has positions 0, 1, 2, ….
    pictures : bool
        Names are paths of pictures; then a file name, or that without its ending, will do.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "photos.csv")
    ...     _ = file.write_text("photo,year,place\nb.jpg,2001,Oslo\nc.jpg,2003,Rome\n")
    ...     found = columns_from_table(file, 2, ["a.jpg", "b.jpg"])
    >>> found.values, found.problems.counts()
    ({'year': array([  nan, 2001.]), 'place': [None, 'Oslo']}, {'row for an item that is not there': 1})
    """
    table = open_table(path, headings=True, keep_missing_words=True)
    if len(table.columns) < 2:
        raise TableError(f"{table.source!r} needs a row of headings, and rows with the item and at least one value")
    found = ItemColumns()
    found.problems.extend(table.problems)
    rows = _rows_of_items(table, count, names, pictures, found.problems)
    for heading in list(table.columns)[1:]:
        texts = texts_of(table.columns[heading])
        column = {
            item: text
            for item, row in rows.items()
            if (text := texts[row]) is not None and without_missing_words(text) is not None
        }
        if column:
            found.values[heading] = _values(column, count, f"{table.source}, column {heading}", found.problems)
        else:
            found.problems.add("column without a value", table.source, heading)
    return found


def _rows_of_items(
    table: Table, count: int, names: Sequence[str] | None, pictures: bool, problems: Problems
) -> dict[int, int]:
    """Return the first row of each item that the first column names."""
    cells = [cell or "" for cell in texts_of(table.columns[next(iter(table.columns))])]
    items = [None] * len(cells) if names is None else list(map(_finder(names, pictures), cells))
    if all(item is None for item in items):
        items = [_position(cell, count) for cell in cells]
    rows: dict[int, int] = {}
    for row, (cell, item) in enumerate(zip(cells, items, strict=True)):
        if item is None:
            problems.add("row for an item that is not there", table.where(row), cell)
        elif item in rows:
            problems.add("second row for the same item", table.where(row), cell)
        else:
            rows[item] = row
    if not rows:
        first = table.where(0).removeprefix(f"{table.source}, ")
        raise TableError(f"no row of {table.source!r} is for an item of the map; {first} has {describe(cells[0])}")
    return rows


def _finder(names: Sequence[str], pictures: bool) -> Callable[[str], int | None]:
    """Return what finds the item of a name, or of the path of its picture."""
    positions = {name.strip(): index for index, name in enumerate(names)}
    paths = PictureNames(names) if pictures else None

    def find(cell: str) -> int | None:
        item = positions.get(cell)
        if item is None and paths is not None:
            picture = paths.find(cell)
            return picture if isinstance(picture, int) else None
        return item

    return find


def _position(cell: str, count: int) -> int | None:
    is_number = cell.isascii() and cell.isdecimal() and len(cell) <= LONGEST_NUMBER
    return int(cell) if is_number and int(cell) < count else None


def _values(column: dict[int, str], count: int, where: str, problems: Problems) -> Values:
    """Return numbers or dates where all cells are; 00501 is a code and 1_000 a word."""
    items, texts = np.array(list(column)), list(column.values())
    numbers = numbers_of(texts)
    if all(not math.isnan(number) or _is_number(text) for number, text in zip(numbers, texts, strict=True)):
        values = np.full(count, np.nan)
        for item, number, text in zip(items, numbers, texts, strict=True):
            values[item] = number if not math.isnan(number) else float(text)
            if math.isinf(values[item]) and any(digit.isdecimal() for digit in text):
                problems.add("number that is too large", where, text)
                values[item] = np.nan
        return values
    dates = dates_of(texts)
    if not np.isnat(dates).any():
        moments = np.full(count, np.datetime64("NaT", "s"))
        moments[items] = dates
        return moments
    return [column.get(item) for item in range(count)]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return CODE.match(text) is None
