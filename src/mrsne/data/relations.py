"""What users hand over as a relation, a matrix or a table of links, brought into one canonical sparse matrix."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from mrsne.arrays import Float64, Int64
from mrsne.data.outline import check_known, check_pairs
from mrsne.data.vectors import DataError, check_plain
from mrsne.parameters import describe
from mrsne.sparse_structure import check_structure

Names: TypeAlias = tuple[Sequence[str] | None, Sequence[str] | None]

HEAVIEST = 1e300  # weight of a link; sums of a hundred million such are still numbers
RANGE = 1e100  # by which the links of an item may be lighter than the heaviest: products of two sums are still numbers


def read_relation(
    pair: tuple[str, str], given: Any, shape: tuple[int, int], names: Names, empty: bool = False
) -> sparse.csr_matrix:
    """Return the weights of a relation: CSR, float64, sorted, without explicit zeros, and nothing of the caller's.

    ``shape`` and ``names`` are those of both sides; ``empty`` allows no link.
    """
    argument = f"relations[{pair!r}]"
    table = edge_columns(pair, given, shape)
    if table is not None:
        rows, columns, weights = read_links(pair, table, shape, names)
        W = sparse.csr_matrix((weights, (rows, columns)), shape=shape)
    else:
        W = _from_matrix(argument, _aligned(argument, pair, given, names))
        for name, found, wanted in zip(pair, W.shape, shape, strict=True):
            if found != wanted:
                hint = "; links in a list must be tuples" if isinstance(given, list) and W.shape[1] in (2, 3) else ""
                raise DataError(f"{argument} has shape {W.shape}, but {name!r} has {wanted} items{hint}")
    _check_weights(argument, W.data)
    W.sum_duplicates()
    W.eliminate_zeros()
    if W.nnz == 0 and not empty:
        raise DataError(f"{argument} has no link: it is empty, or every weight is zero")
    _check_strengths(argument, W)
    return W


def _check_weights(argument: str, weights: Float64) -> None:
    if not np.isfinite(weights).all():
        raise DataError(f"{argument} holds NaN or infinity in {int((~np.isfinite(weights)).sum())} weights")
    if weights.size and weights.min() < 0:
        raise DataError(f"{argument} must hold non-negative weights, got {weights.min():g}")
    if weights.size and weights.max() > HEAVIEST:
        raise DataError(f"{argument} must hold weights of at most {HEAVIEST:g}, got {weights.max():g}")


def _check_strengths(argument: str, W: sparse.csr_matrix) -> None:
    """Raise where the links of an item are so weak that what they are divided by, products of sums, would vanish."""
    if not W.nnz:
        return
    smallest, largest = float(W.data.min()), float(W.data.max())
    if smallest >= largest / RANGE and largest >= 1 / HEAVIEST:
        return  # sums are not smaller than what they are sums of
    sums = np.concatenate([np.asarray(W.sum(axis=axis)).ravel() for axis in (0, 1)])
    weakest = float(sums[sums > 0].min())
    if largest < 1 / HEAVIEST or weakest < largest / RANGE:
        raise DataError(
            f"{argument} has an item whose links weigh {weakest:g} together, beside a heaviest link of {largest:g}; "
            f"that one must weigh at least {1 / HEAVIEST:g}, and the links of an item {1 / RANGE:g} of it"
        )


def _aligned(argument: str, pair: tuple[str, str], given: Any, names: Names) -> Any:
    """Bring a DataFrame of weights whose rows or columns are labelled with text into the order of the names."""
    if not hasattr(given, "columns") or not hasattr(given, "reindex"):
        return given
    for domain, known, axis in zip(pair, names, ("index", "columns"), strict=True):
        labels = list(getattr(given, axis))
        if known is not None and all(isinstance(label, str) for label in labels):
            strangers = set(labels) ^ set(known)
            if strangers or len(labels) != len(known):
                raise DataError(f"{argument} has other labels than names[{domain!r}], such as {sorted(strangers)[:1]}")
            given = given.reindex(**{axis: list(known)})
    return given


def _from_matrix(argument: str, given: Any) -> sparse.csr_matrix:
    check_plain(argument, given)
    if sparse.issparse(given):
        check_structure(argument, given, DataError)
        return sparse.csr_matrix(given, dtype=np.float64, copy=True)
    if hasattr(given, "to_numpy"):
        given = given.to_numpy()
    try:
        if np.iscomplexobj(given):
            raise TypeError("weights must be real numbers")
        array = np.asarray(given, dtype=np.float64)
        if array.ndim != 2:
            raise ValueError(f"got an array of shape {array.shape}")
    except (ValueError, TypeError, OverflowError) as error:
        raise DataError(f"{argument} must be a matrix of weights or a table of links ({error})") from error
    return sparse.csr_matrix(array)


def end_headings(pair: tuple[str, str]) -> list[str]:
    return ["source", "target"] if pair[0] == pair[1] else list(pair)


def edge_columns(pair: tuple[str, str], given: Any, shape: tuple[int, int] | None = None) -> list[Any] | None:
    """Return the columns of a table of links, or None where a matrix was given."""
    if sparse.issparse(given):  # one in a dictionary of keys is a mapping too
        return None
    ends = end_headings(pair)
    if hasattr(given, "column_names") and hasattr(given, "to_pydict"):  # a table of pyarrow
        given = {name: given.column(name).to_pylist() for name in given.column_names}
    if isinstance(given, list) and all(isinstance(row, tuple) for row in given):
        if not given:
            raise DataError(f"relations[{pair!r}] has no link: the list is empty")
        if not {len(row) for row in given} <= {2, 3}:
            both = ", ".join(ends)
            raise DataError(f"relations[{pair!r}] must have tuples ({both}) or ({both}, weight)")
        return [[row[0] for row in given], [row[1] for row in given], [row[2] if len(row) == 3 else 1 for row in given]]
    if isinstance(given, Mapping):
        columns = list(given)
    elif hasattr(given, "columns"):
        columns = list(given.columns)
        if not set(ends) <= set(columns) and given.shape == shape:
            return None
    else:
        return None
    if not set(ends) <= set(columns):
        needs = f"it needs {ends[0]!r} and {ends[1]!r}, and may have 'weight'"
        raise DataError(f"relations[{pair!r}] is a table with columns {', '.join(map(repr, columns))}; {needs}")
    if "weight" in columns:
        return [given[column] for column in [*ends, "weight"]]
    meant = difflib.get_close_matches("weight", [str(column) for column in columns if column not in ends], n=1)
    if meant:
        raise DataError(f"relations[{pair!r}] has a column {meant[0]!r}; is that meant to be 'weight'?")
    return [given[end] for end in ends]


def domains_of(relations: Any, names: Any) -> tuple[dict[str, int], dict[str, Sequence[str]]]:
    """Return the sizes of the domains that relations link, in order of appearance, and their names.

    Names that are not given are those in tables of links, and those of rows and columns of a DataFrame of weights.
    """
    given = relations if isinstance(relations, Mapping) else {}
    sizes = dict.fromkeys((end for pair in given if isinstance(pair, tuple) for end in pair), 1)
    check_known("names", names, sizes)
    found: dict[str, dict[str, None]] = {domain: {} for domain in sizes}
    for pair, links in check_pairs(relations, sizes):
        for domain, size, own in zip(pair, *_sides(pair, links), strict=True):
            sizes[domain] = max(sizes[domain], size)
            found[domain].update(dict.fromkeys(own))
    known: dict[str, Sequence[str]] = {**{domain: list(own) for domain, own in found.items() if own}, **(names or {})}
    return sizes | {domain: len(own) for domain, own in known.items() if hasattr(own, "__len__")}, known


def _sides(pair: tuple[str, str], given: Any) -> tuple[Sequence[int], list[list[str]]]:
    """Return for both domains of a relation how many items it has, and what it calls them."""
    labels = [list(axis) for axis in getattr(given, "axes", ())]  # of a DataFrame
    if labels and not set(pair) <= set(labels[1]) and all(isinstance(label, str) for own in labels for label in own):
        return [0, 0], labels
    table = edge_columns(pair, given)
    if table is None:
        shape = getattr(given, "shape", ())
        return shape if len(shape) == 2 else _from_matrix(f"relations[{pair!r}]", given).shape, [[], []]
    ends = [np.asarray(column) for column in table[:2]]
    sizes = [int(end.max()) + 1 if end.size and end.dtype.kind in "iu" else 0 for end in ends]
    named = [end.tolist() if end.dtype.kind in "OUT" and end.ndim == 1 else [] for end in ends]
    return sizes, [[str(name) for name in own if isinstance(name, (str, int))] for own in named]  # None is no name


def read_links(
    pair: tuple[str, str], table: list[Any], shape: tuple[int, int], names: Names
) -> tuple[Int64, Int64, Float64]:
    argument = f"relations[{pair!r}]"
    for column in table:
        check_plain(argument, column)
    rows, columns = (_positions(argument, pair[side], table[side], shape[side], names[side]) for side in (0, 1))
    try:
        weights = np.asarray(table[2]) if len(table) == 3 else np.ones(len(rows))
        check_plain(argument, weights)
        weights = weights.astype(np.float64)
    except DataError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise DataError(f"{argument} must have numbers as weights ({error})") from error
    if not len(rows) == len(columns) == len(weights):
        raise DataError(f"{argument} has columns of different lengths: {len(rows)}, {len(columns)}, {len(weights)}")
    _check_weights(argument, weights)
    return rows, columns, weights


def _positions(argument: str, domain: str, entries: Any, size: int, names: Sequence[str] | None) -> Int64:
    column = np.asarray(entries)
    if column.ndim != 1:
        raise DataError(f"{argument} must have a list of items of {domain!r}, got {describe(entries)}")
    if column.size == 0:
        return np.empty(0, np.int64)
    if isinstance(entries, list) and len({isinstance(entry, str) for entry in entries}) == 2:
        raise DataError(f"{argument} mixes positions and names of {domain!r}; use one or the other")
    if np.issubdtype(column.dtype, np.integer):
        if column.size and not (column.min() >= 0 and column.max() < size):
            outside = column[(column < 0) | (column >= size)][0]
            raise DataError(f"{argument} has a link to item {outside} of {domain!r}, which has items 0 … {size - 1}")
        return column.astype(np.int64)
    if np.issubdtype(column.dtype, np.floating):
        ways = "whole numbers or by name"
        raise DataError(f"{argument} must name items of {domain!r} by {ways}, got {column.dtype} numbers")
    if names is None:
        example = f"items of {domain!r} (such as {str(column.ravel()[0])!r})"
        ways = f"give names[{domain!r}] or use positions"
        raise DataError(f"{argument} names {example}, but {domain!r} has no names; {ways}")
    position = {name: index for index, name in enumerate(names)}
    found = np.array([position.get(str(entry), -1) for entry in column.tolist()], dtype=np.int64)
    if (found < 0).any():
        unknown = [str(entry) for entry in column[found < 0]]
        where = f"to items that are not in names[{domain!r}]"
        raise DataError(f"{argument} has {len(unknown)} links {where}, first {unknown[0]!r}")
    return found
