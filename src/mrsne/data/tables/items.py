"""Which rows are which item, the values of columns for items, and those that are items of a further kind themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.arrays import Bool, Float64, Int64
from mrsne.data.files.problems import Problems
from mrsne.data.tables.cells import cell_text, numbers_of, split_cell
from mrsne.data.tables.dates import dates_of, is_undated, years_of
from mrsne.data.tables.table import Coded, Role, Table, as_coded, texts_of

LONGEST = 200  # characters of the name of a value that is an item
MOST_NOTES = 1000  # cells of a column that are listed one by one


@dataclass(frozen=True)
class Items:
    """The items of a table."""

    names: list[str]  # their ids, each once
    of_row: Int64  # for each row, the position of its item; -1 for a row that is left out
    first_row: Int64  # for each item, its first row

    def __len__(self) -> int:
        return len(self.names)


def items_of(table: Table, id_column: str | None, problems: Problems) -> Items:
    """Return the items of a table; rows with the same id belong to one, and without a column of ids each row is one."""
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
    for row in np.flatnonzero(again).tolist():
        kind = "second row with the same id, whose links count and whose other values do not"
        problems.add(kind, table.where(row), str(coded.values[coded.codes[row]]))
    names = [cell_text(coded.values[code]) for code in codes[order].tolist()]
    return Items(names, of_row, first_row[order])


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
    """Return the values of items in columns of numbers, dates and words."""
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
    column = table.columns[heading]
    if isinstance(column, Coded):
        known = numbers_of(column.values)
        _note(table, heading, column, np.isnan(known), "cell that is no number", problems)
        values = np.append(known, np.nan)[column.codes]
    else:
        values = column.astype(np.float64)
    return np.asarray(values[items.first_row])


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
    return np.asarray(values[items.first_row])


def item_words(table: Table, heading: str, items: Items) -> tuple[str | None, ...]:
    """Return the text of each item, None where there is none."""
    texts = texts_of(table.columns[heading])
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


@dataclass(frozen=True)
class Kind:
    """Items of a further kind."""

    names: list[str]  # in alphabetical order
    links: sparse.csr_matrix  # of shape (items, names): ones


def kind_from_columns(
    table: Table, roles: Mapping[str, Role], items: Items, kind: str, min_count: int, problems: Problems
) -> Kind | None:
    """Return the values of the columns of a kind, and which items have them; None where no value is left.

    Values that differ in capitals and spaces only are one, in the spelling that is most frequent.
    """
    item, word, words = linked_words(table, roles, items, kind, problems)
    merged, spelling = _one_spelling(words, word)
    shape = (len(items), len(spelling))
    W = sparse.csr_matrix((np.ones(len(word)), (item, merged[word])), shape=shape)
    W.sum_duplicates()
    W.data[:] = 1.0
    counts = np.bincount(W.indices, minlength=len(spelling))
    for index in np.flatnonzero((counts > 0) & (counts < min_count)).tolist():
        problems.add(f"value of fewer than {min_count} items", f"{kind}: {spelling[index]}", f"{counts[index]} items")
    alphabetical = sorted(range(len(spelling)), key=lambda index: (spelling[index].casefold(), spelling[index]))
    kept = [index for index in alphabetical if counts[index] >= min_count]
    return Kind([spelling[index] for index in kept], W[:, kept].tocsr()) if kept else None


def linked_words(
    table: Table, roles: Mapping[str, Role], items: Items, kind: str, problems: Problems
) -> tuple[Int64, Int64, list[str]]:
    """Return which items have which words in the columns of a kind, and these words, each once."""
    positions: dict[str, int] = {}
    found = [
        _links(table, heading, role, positions, problems)
        for heading, role in roles.items()
        if role.role == "kind" and role.kind == kind
    ]
    row, word = (np.concatenate(ends) for ends in zip(*found, strict=True))
    item = items.of_row[row]
    return item[item >= 0], word[item >= 0], list(positions)


def _links(
    table: Table, heading: str, role: Role, positions: dict[str, int], problems: Problems
) -> tuple[Int64, Int64]:
    """Return the rows and the words of a column, each word by its position among those of its kind."""
    coded = as_coded(table.columns[heading])
    flat: list[int] = []
    lengths = np.zeros(len(coded.values), np.int64)
    for index, value in enumerate(coded.values):
        for word in split_cell(value, role.separator):
            if len(word) > LONGEST:
                problems.add(f"value of more than {LONGEST} characters", f"{table.source}, column {heading}", word)
                continue
            flat.append(positions.setdefault(word, len(positions)))
            lengths[index] += 1
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if len(lengths) else lengths
    present = np.flatnonzero(coded.codes >= 0)
    codes = coded.codes[present]
    counts = lengths[codes]
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    where = np.repeat(starts[codes], counts) + within
    return np.repeat(present, counts), np.array(flat, np.int64)[where]


def _one_spelling(words: list[str], occurrences: Int64) -> tuple[Int64, list[str]]:
    """Return for each word the position of its most frequent spelling, and these spellings."""
    counts = np.bincount(occurrences, minlength=len(words))
    position: dict[str, int] = {}
    spelling: list[str] = []
    merged = np.zeros(len(words), np.int64)
    for index in np.argsort(-counts, kind="stable").tolist():
        key = words[index].casefold()
        if key not in position:
            position[key] = len(spelling)
            spelling.append(words[index])
        merged[index] = position[key]
    return merged, spelling


def words_of_items(kind: Kind, limit: int) -> tuple[str | None, ...] | None:
    """Return the one value of each item, as a column to colour by; None where items have several, or there are many."""
    degrees = np.diff(kind.links.indptr)
    if degrees.max(initial=0) > 1 or len(kind.names) > limit:
        return None
    found: Any = np.full(len(degrees), None, dtype=object)
    found[degrees == 1] = np.array(kind.names, dtype=object)[kind.links.indices]
    return tuple(found.tolist())
