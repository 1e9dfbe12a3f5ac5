"""Values of columns as items of a further kind, linked to the rows that have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data.files.problems import Problems
from mrsne.data.tables.cells import split_cell
from mrsne.data.tables.items import Items
from mrsne.data.tables.table import Role, Table, as_coded

LONGEST = 200  # characters of a name


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
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
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
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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


def _one_spelling(words: list[str], occurrences: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
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
