"""A table by columns: each value once, however many rows have it."""

from __future__ import annotations

import datetime
import json
import math
import numbers
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mrsne.io.problems import Problems
from mrsne.io.tables import TableError

Cell: TypeAlias = str | tuple[str, ...]
MOST_COLUMNS = 50_000
MISSING_WORDS = frozenset(("", "na", "n/a", "#n/a", "nan", "nat", "null", "none", "nil", "-", "--", "–", "—", "?"))
NAMING_KEYS = ("name", "label", "title", "term", "value", "text", "id")  # of an object in a list: what it is called


def check_width(source: str, columns: int) -> None:
    """Raise where a table has more columns than can be looked at one by one."""
    if columns > MOST_COLUMNS:
        raise TableError(
            f"{source} has {columns:,} columns; there can be {MOST_COLUMNS:,} at most: put numbers that belong "
            "together into one column of lists, or into a file of numpy for mrsne fit"
        )


@dataclass(frozen=True)
class Coded:
    """A column of texts and lists of texts.

    Attributes
    ----------
    codes : array of shape (rows,)
        For each row, the position of its value; -1 where it has none.
    values : list of str or tuple of str
        Each value once.
    """

    codes: NDArray[np.int32]
    values: Sequence[Cell]

    def counts(self) -> NDArray[np.int64]:
        """Return how many rows have each value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))


# texts; whole numbers, numbers with NaN or dates with NaT; or a vector for each row
Column: TypeAlias = Coded | NDArray[Any]


class Coder:
    """Collects the cells of a column, each value once.

    Examples
    --------
    >>> coder = Coder()
    >>> for cell in ("red", None, "blue", "red", ["a", "b"]):
    ...     coder.add(cell)
    >>> column = coder.column()
    >>> column.codes.tolist(), column.values
    ([0, -1, 1, 0, 2], ['red', 'blue', ('a', 'b')])
    """

    def __init__(self) -> None:
        self._codes = array("i")
        self._positions: dict[Cell, int] = {}

    def __len__(self) -> int:
        return len(self._codes)

    def add(self, value: Any) -> None:
        """Add the cell of the next row."""
        self.add_cell(plain_cell(value))

    def add_cell(self, cell: Cell | None) -> None:
        """Add the cell of the next row, as :func:`plain_cell` returns it."""
        self._codes.append(-1 if cell is None else self._positions.setdefault(cell, len(self._positions)))

    def fill(self, rows: int) -> None:
        """Add empty cells until there are so many rows."""
        self._codes.extend([-1] * (rows - len(self._codes)))

    def column(self) -> Coded:
        """Return what was collected."""
        codes = np.frombuffer(self._codes, np.int32) if len(self._codes) else np.empty(0, np.int32)
        return Coded(codes, list(self._positions))


def plain_cell(value: Any) -> Cell | None:
    """Return a cell as text or a tuple of texts; None for what stands for nothing, such as "n/a" and NaN.

    Examples
    --------
    >>> plain_cell(" a "), plain_cell("N/A"), plain_cell(3.0), plain_cell(True), plain_cell([1, None, {"name": "x"}])
    ('a', None, '3', 'true', ('1', 'x'))
    """
    if isinstance(value, str):
        text = value.strip()
        return None if text.casefold() in MISSING_WORDS else text
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        number = float(value)
        if math.isnan(number):
            return None
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return _texts(sorted(value, key=str) if isinstance(value, (set, frozenset)) else value)
    if isinstance(value, dict):
        named = next((value[key] for key in NAMING_KEYS if value.get(key) is not None), None)
        return plain_cell(named if named is not None else json.dumps(value, sort_keys=True, default=str))
    if isinstance(value, (datetime.date, datetime.datetime)):
        return plain_cell(value.isoformat())
    if isinstance(value, bytes):
        return plain_cell(value.decode("utf-8", "replace"))
    return plain_cell(str(value))


def _texts(values: Iterable[Any]) -> tuple[str, ...]:
    cells = (plain_cell(value) for value in values)
    return tuple("; ".join(cell) if isinstance(cell, tuple) else cell for cell in cells if cell is not None)


@dataclass(frozen=True)
class Table:
    """A table by columns.

    Attributes
    ----------
    source : str
        What messages call it.
    columns : dict of str to column
        By heading, in their order.
    size : int
        Rows.
    lines : array of shape (rows,) or None
        The line, or the number, of each row in its file.
    folder : Path or None
        Where its file is: pictures are looked for there.
    problems : Problems
        What could not be read.
    """

    source: str
    columns: dict[str, Column]
    size: int
    lines: NDArray[np.int64] | None = None
    folder: Path | None = None
    problems: Problems = field(default_factory=Problems)

    def where(self, row: int) -> str:
        """Return where a row is, for messages."""
        return f"{self.source}, row {row + 1}" if self.lines is None else f"{self.source}, line {self.lines[row]}"
