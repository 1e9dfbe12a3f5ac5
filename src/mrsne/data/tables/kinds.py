"""Values of columns that are items of a further kind, and the links to them."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse

from mrsne.arrays import Float64, Int64
from mrsne.data.files.problems import Problems
from mrsne.data.tables.cells import BRACKETS, one_spelling, split_cell
from mrsne.data.tables.items import UNKNOWN_REFERENCE, Items, positions_of, row_numbers
from mrsne.data.tables.table import Role, Table, as_coded

LONGEST = 200  # characters of the name of a value that is an item
MOST_COLOURS = 10_000  # values of a kind that is also something to colour by
LEAST = 1e-9  # above a mean: less is rounding


def kind_from_columns(
    table: Table, roles: Mapping[str, Role], items: Items, kind: str, min_count: int, problems: Problems
) -> tuple[list[str], sparse.csr_matrix]:
    """Return the values of the columns of a kind in alphabetical order, and which items have them.

    Values that differ in capitals and spaces only are one, in the spelling that is most frequent.
    """
    item, word, weight, words = _linked_words(table, roles, items, kind, problems)
    called = one_spelling(dict(zip(words, np.bincount(word, minlength=len(words)).tolist(), strict=True)))
    position = {name: index for index, name in enumerate(dict.fromkeys(called.values()))}
    merged, spelling = np.array([position[called[name]] for name in words], np.int64), list(position)
    W = _link_matrix(item, merged[word], weight, roles, (len(items), len(spelling)))
    counts = np.bincount(W.indices, minlength=len(spelling))
    for index in np.flatnonzero((counts > 0) & (counts < min_count)).tolist():
        problems.add(f"value of fewer than {min_count} items", f"{kind}: {spelling[index]}", f"{counts[index]} items")
    if any(role.role in ("weight", "rating") for role in roles.values()):
        for index in np.flatnonzero(counts == 0).tolist():
            problems.add("item without a link that counts", f"{table.source}, {kind}", spelling[index])
    alphabetical = sorted(range(len(spelling)), key=lambda index: (spelling[index].casefold(), spelling[index]))
    kept = [index for index in alphabetical if counts[index] >= min_count]
    return [spelling[index] for index in kept], W[:, kept].tocsr()


def links_to_known(
    table: Table,
    roles: Mapping[str, Role],
    items: Items,
    kind: str,
    known: Sequence[str],
    problems: Problems,
    problem: str = UNKNOWN_REFERENCE,
) -> sparse.csr_matrix:
    """Return which items have which values in the columns of a kind whose items are known; others are noted once."""
    item, word, weight, words = _linked_words(table, roles, items, kind, problems)
    found = positions_of(words, known)
    if problem == UNKNOWN_REFERENCE:
        found = np.where(found < 0, positions_of([BRACKETS.sub("", name) for name in words], known), found)
    counts = np.bincount(word, minlength=len(words))
    for index in np.flatnonzero((found < 0) & (counts > 0)).tolist():
        problems.add(problem, f"{table.source}, {kind}", f"{words[index]} ({counts[index]} items)")
    kept = found[word] >= 0
    return _link_matrix(item[kept], found[word[kept]], weight[kept], roles, (len(items), len(known)))


def _link_matrix(
    item: Int64, word: Int64, weight: Float64, roles: Mapping[str, Role], shape: tuple[int, int]
) -> sparse.csr_matrix:
    """Return links as a matrix: of those that come again weights add up, and ratings are averaged."""
    W = sparse.csr_matrix((weight, (item, word)), shape=shape)
    W.sum_duplicates()
    weighted = {role.role for role in roles.values()} & {"weight", "rating"}
    if "rating" in weighted:
        times = sparse.csr_matrix((np.ones(len(word)), (item, word)), shape=shape)
        times.sum_duplicates()
        W.data /= times.data
    elif not weighted:
        W.data[:] = 1.0
    return W


def _linked_words(
    table: Table, roles: Mapping[str, Role], items: Items, kind: str, problems: Problems
) -> tuple[Int64, Int64, Float64, list[str]]:
    """Return which items have which words in the columns of a kind, how strongly, and these words, each once."""
    positions: dict[str, int] = {}
    found = [
        _links(table, heading, role, positions, problems)
        for heading, role in roles.items()
        if role.role == "kind" and role.kind == kind and heading in table.columns
    ]
    row, word = (np.concatenate(ends) for ends in zip(*found, strict=True))
    item, weight = items.of_row[row], _row_weights(table, roles, items, problems)[row]
    kept = (item >= 0) & (weight > 0)
    return item[kept], word[kept], weight[kept], list(positions)


def _row_weights(table: Table, roles: Mapping[str, Role], items: Items, problems: Problems) -> Float64:
    """Return how strongly the links of each row count, 0 for not at all.

    Of ratings those count that are above the mean of their item (a person), by how much they are; where all are the
    same, each counts.
    """
    columns = [heading for heading, role in roles.items() if role.role in ("weight", "rating")]
    if not columns or columns[0] not in table.columns:
        return np.ones(table.size)
    numbers = row_numbers(table, columns[0], problems)
    where = f"{table.source}, column {columns[0]}"
    weights = np.where(numbers > 0, numbers, 0.0)
    problem = "row with a weight that is no positive number"
    if roles[columns[0]].role == "rating":
        rated = np.flatnonzero((items.of_row >= 0) & ~np.isnan(numbers))
        person = items.of_row[rated]
        excess = numbers[rated] - (np.bincount(person, numbers[rated]) / np.maximum(np.bincount(person), 1))[person]
        most = np.zeros(len(items))
        np.maximum.at(most, person, excess)
        weights = np.zeros(table.size)
        weights[rated] = np.where(most[person] > LEAST, np.where(excess > LEAST, excess, 0), 1)
        problem = "rating that is not above the person's mean"
    if zeros := int(np.count_nonzero(weights == 0)):
        problems.add(problem, where, f"{zeros:,} rows", zeros)
    return weights


def _links(
    table: Table, heading: str, role: Role, positions: dict[str, int], problems: Problems
) -> tuple[Int64, Int64]:
    """Return the rows and the words of a column, each word by its position among those of its kind."""
    coded = as_coded(table.columns[heading])
    flat, ends = list[int](), [0]
    for value in coded.values:
        for word in split_cell(value, role.separator):
            if len(word) > LONGEST:
                problems.add(f"value of more than {LONGEST} characters", f"{table.source}, column {heading}", word)
            else:
                flat.append(positions.setdefault(word, len(positions)))
        ends.append(len(flat))
    of_value = sparse.csr_matrix((np.ones(len(flat)), flat, ends), shape=(len(coded.values), len(positions)))
    present = np.flatnonzero(coded.codes >= 0)
    of_row = of_value[coded.codes[present]]
    return np.repeat(present, np.diff(of_row.indptr)), of_row.indices.astype(np.int64)


def words_of_items(names: Sequence[str], links: sparse.csr_matrix) -> tuple[str | None, ...] | None:
    """Return the one value of each item, as a column to colour by; None where items have several, or there are many."""
    degrees = np.diff(links.indptr)
    if degrees.max(initial=0) > 1 or len(names) > MOST_COLOURS:
        return None
    values = map(names.__getitem__, links.indices.tolist())
    return tuple(next(values) if degree else None for degree in degrees.tolist())
