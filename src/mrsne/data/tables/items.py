"""Which rows are which item, and the values of columns for items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Bool, Float64, Int64
from mrsne.data.files.problems import Problems
from mrsne.data.tables.cells import cell_text, numbers_of
from mrsne.data.tables.dates import dates_of, is_undated, years_of
from mrsne.data.tables.table import Coded, Role, Table, as_coded, texts_of

MOST_NOTES = 1000  # cells of a column that are listed one by one
UNKNOWN_REFERENCE = "reference to an item that is not there"


@dataclass(frozen=True)
class Items:
    names: list[str]  # their ids, each once
    of_row: Int64  # for each row, the position of its item; -1 for a row that is left out
    first_row: Int64  # for each item, its first row; -1 for one that has none

    def __len__(self) -> int:
        return len(self.names)


def items_of(table: Table, id_column: str | None, problems: Problems, once: bool = True) -> Items:
    """Return the items of a table; rows with the same id belong to one, and without a column of ids each row is one.

    Where a row is to be an item, and comes ``once``, second rows with the same id are noted.
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
    again = of_row >= 0
    again[first_row] = False
    for row in np.flatnonzero(again & once).tolist():
        kind = "second row with the same id, whose links count and whose other values do not"
        problems.add(kind, table.where(row), str(coded.values[coded.codes[row]]))
    names = [cell_text(coded.values[code]) for code in codes[order].tolist()]
    return Items(names, of_row, first_row[order])


def known_items(
    table: Table, id_column: str | None, known: Sequence[str], problems: Problems, unknown: str = UNKNOWN_REFERENCE
) -> Items:
    """Return items that are known with the rows of a table that name them; rows of others are noted as ``unknown``."""
    found = items_of(table, id_column, problems, once=unknown != UNKNOWN_REFERENCE)
    position = positions_of(found.names, known)
    for index in np.flatnonzero(position < 0).tolist():
        problems.add(unknown, f"{table.source}, column {id_column}", found.names[index])
    first_row = np.full(len(known), -1)
    first_row[position[position >= 0]] = found.first_row[position >= 0]
    return Items(list(known), np.append(position, -1)[found.of_row], first_row)


def positions_of(names: Sequence[str], known: Sequence[str]) -> Int64:
    """Return for each name its position among others, whatever its capitals if need be; -1 where it is not there."""
    position = {name.casefold(): index for index, name in reversed(list(enumerate(known)))}
    position |= {name: index for index, name in enumerate(known)}
    return np.array([position.get(name, position.get(name.casefold(), -1)) for name in names], np.int64)


def numbered_items(count: int, known: Sequence[str] = ()) -> Items:
    """Return rows as items with numbers for names, from 1 or after the last number of a map that they come to."""
    last = max((int(name) for name in known if name.isascii() and name.isdecimal() and len(name) <= 18), default=0)
    rows = np.arange(count)
    return Items([str(last + row + 1) for row in range(count)], rows, rows)


def id_column(table: Table, roles: Mapping[str, Role]) -> str | None:
    """Return the column of ids or, where there is none, that of labels if each row has a different one."""
    for heading, role in roles.items():
        if role.role == "id":
            return heading
    for heading, role in roles.items():
        if role.role == "label" and heading in table.columns:
            codes = as_coded(table.columns[heading]).codes
            if len(codes) and codes.min() >= 0 and len(np.unique(codes)) == len(codes):
                return heading
    return None


def item_labels(table: Table, roles: Mapping[str, Role], items: Items, ids: str | None) -> list[str] | None:
    """Return what people read of each item; None where there is nothing but ids."""
    for heading, role in roles.items():
        if role.role == "label":
            words = item_words(table, heading, items)
            labels = [name if word is None else word for name, word in zip(items.names, words, strict=True)]
            if labels != items.names:
                return labels
    return [f"row {name}" for name in items.names] if ids is None else None


def item_columns(table: Table, roles: Mapping[str, str], items: Items, problems: Problems) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for heading, role in roles.items():
        if role == "number":
            columns[heading] = item_numbers(table, heading, items, problems)
        elif role in ("date", "year"):
            dates = item_dates(table, heading, items, problems)
            columns[heading] = dates if role == "date" else years_of(dates)
        elif role in ("category", "shown", "text"):
            columns[heading] = item_words(table, heading, items)
    return columns


def item_numbers(table: Table, heading: str, items: Items, problems: Problems) -> Float64:
    """Return the number of each item, NaN where there is none; cells that are no numbers are noted."""
    return np.append(row_numbers(table, heading, problems), np.nan)[items.first_row]


def row_numbers(table: Table, heading: str, problems: Problems) -> Float64:
    """Return the number of each row, NaN where there is none; cells that are no numbers are noted."""
    column = table.columns[heading]
    if not isinstance(column, Coded):
        return column.astype(np.float64)
    known = numbers_of(column.values)
    _note(table, heading, column, np.isnan(known), "cell that is no number", problems)
    return np.asarray(np.append(known, np.nan)[column.codes])


def item_dates(table: Table, heading: str, items: Items, problems: Problems) -> NDArray[np.datetime64]:
    """Return the date of each item, NaT where there is none; cells that are no dates are noted."""
    column = table.columns[heading]
    if isinstance(column, Coded) or column.dtype.kind != "M":
        coded = as_coded(column)
        known = dates_of(coded.values)
        strange = np.isnat(known) & [not is_undated(value) for value in coded.values]
        _note(table, heading, coded, strange, "cell that is no date", problems)
        values = np.append(known, np.datetime64("NaT", "s"))[coded.codes]
    else:
        values = column.astype("datetime64[s]")
    return np.append(values, np.datetime64("NaT", "s"))[items.first_row]


def item_words(table: Table, heading: str, items: Items) -> tuple[str | None, ...]:
    texts = [*texts_of(table.columns[heading]), None]
    return tuple(texts[row] for row in items.first_row.tolist())


def _note(table: Table, heading: str, column: Coded, bad: Bool, kind: str, problems: Problems) -> None:
    if not bad.any():
        return
    rows = np.flatnonzero(np.append(bad, False)[column.codes])
    for row in rows[:MOST_NOTES].tolist():
        problems.add(kind, f"{table.where(row)}, column {heading}", cell_text(column.values[column.codes[row]]))
    if len(rows) > MOST_NOTES:
        others = len(rows) - MOST_NOTES
        problems.add(kind, f"{table.source}, column {heading}", f"{others:,} more, not listed", others)
