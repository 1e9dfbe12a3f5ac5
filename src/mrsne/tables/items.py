"""Which rows are which item: by id, each item once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mrsne.io.problems import Problems
from mrsne.tables.table import Coded, Table

if TYPE_CHECKING:
    from mrsne.tables.roles import Role


@dataclass(frozen=True)
class Items:
    """The items of a table.

    Attributes
    ----------
    names : list of str
        Their ids, each once.
    of_row : array of shape (rows,)
        For each row, the position of its item; -1 for a row that is left out.
    first_row : array of shape (items,)
        For each item, its first row.
    """

    names: list[str]
    of_row: NDArray[np.int64]
    first_row: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.names)


def items_of(table: Table, id_column: str | None, problems: Problems) -> Items:
    """Return the items of a table; rows with the same id belong to one, and without a column of ids each row is one.

    Examples
    --------
    >>> from mrsne.tables.frames import table_from_frame
    >>> found = items_of(table_from_frame({"id": ["b", "a", "b"]}), "id", Problems())
    >>> found.names, found.of_row.tolist(), found.first_row.tolist()
    (['b', 'a'], [0, 1, 0], [0, 1])
    """
    if id_column is None:
        return numbered_items(table.size)
    coded = as_coded(table.columns[id_column])
    present = np.flatnonzero(coded.codes >= 0)
    codes, first = np.unique(coded.codes[present], return_index=True)
    first_row = present[first]
    order = np.argsort(first_row)
    position = np.full(len(coded.values) + 1, -1, np.int64)  # the last is for -1
    position[codes[order]] = np.arange(len(codes))
    of_row = position[coded.codes]
    for row in np.flatnonzero(coded.codes < 0).tolist():
        problems.add("row without an id", table.where(row), f"column {id_column!r} is empty")
    again = np.ones(table.size, bool)
    again[first_row] = False
    for row in np.flatnonzero(again & (of_row >= 0)).tolist():
        name = str(coded.values[coded.codes[row]])
        problems.add(
            "second row with the same id, whose links count and whose other values do not", table.where(row), name
        )
    names = [_text(coded.values[code]) for code in codes[order].tolist()]
    return Items(names, of_row, first_row[order])


def numbered_items(count: int, known: Sequence[str] = ()) -> Items:
    """Return rows as items with numbers for names, from 1 or after the last number of a map that they come to.

    Examples
    --------
    >>> numbered_items(2).names, numbered_items(2, ["1", "2", "3"]).names
    (['1', '2'], ['4', '5'])
    """
    last = max((int(name) for name in known if name.isascii() and name.isdecimal() and len(name) <= 18), default=0)
    rows = np.arange(count)
    return Items([str(last + row + 1) for row in range(count)], rows, rows)


def row_labels(items: Items) -> list[str]:
    """Return what items are called that have nothing but numbers."""
    return [f"row {name}" for name in items.names]


def id_column(table: Table, roles: Mapping[str, Role]) -> str | None:
    """Return the column of ids or, where there is none, that of labels if each row has one of its own.

    Examples
    --------
    >>> from mrsne.tables.frames import table_from_frame
    >>> from mrsne.tables.roles import Role
    >>> roles = {"title": Role("label")}
    >>> [id_column(table_from_frame({"title": titles}), roles) for titles in (["a", "b"], ["a", "a"], ["a", None])]
    ['title', None, None]
    """
    for heading, role in roles.items():
        if role.role == "id":
            return heading
    for heading, role in roles.items():
        if role.role == "label" and heading in table.columns:
            codes = as_coded(table.columns[heading]).codes
            if len(codes) and codes.min() >= 0 and len(np.unique(codes)) == len(codes):
                return heading
    return None


def as_coded(column: object) -> Coded:
    """Return a column of whole numbers, numbers or dates as one of texts."""
    if isinstance(column, Coded):
        return column
    array = np.asarray(column)
    missing = np.isnat(array) if array.dtype.kind == "M" else np.isnan(array) if array.dtype.kind == "f" else None
    values, codes = np.unique(array, return_inverse=True)
    found = codes.astype(np.int32)
    if missing is not None:
        found[missing] = -1
    texts = [f"{value:.15g}" if array.dtype.kind == "f" else str(value) for value in values]
    return Coded(found, texts)


def _text(value: object) -> str:
    return "; ".join(value) if isinstance(value, tuple) else str(value)
