"""What users hand over as a relation, a matrix or a table of links, brought into one canonical sparse matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data.vectors import DataError


def read_relation(
    pair: tuple[str, str], given: Any, sizes: Mapping[str, int], names: Mapping[str, Sequence[str]]
) -> sparse.csr_matrix:
    """Return the weights of a relation: CSR, float64, sorted, without explicit zeros, and nothing of the caller's.

    Examples
    --------
    >>> sizes = {"image": 2, "tag": 3}
    >>> read_relation(("image", "tag"), {"image": [0, 1, 1], "tag": [2, 0, 0]}, sizes, {}).toarray()
    array([[0., 0., 1.],
           [2., 0., 0.]])
    """
    argument = f"relations[{pair!r}]"
    shape = (sizes[pair[0]], sizes[pair[1]])
    table = _edge_columns(pair, given, shape)
    if table is not None:
        W = _from_table(argument, pair, table, sizes, names)
    else:
        W = _from_matrix(argument, given)
        for axis, name in enumerate(pair):
            if W.shape[axis] != sizes[name]:
                raise DataError(f"{argument} has shape {W.shape}, but {name!r} has {sizes[name]} items")
    if not np.isfinite(W.data).all():
        raise DataError(f"{argument} holds NaN or infinity in {int((~np.isfinite(W.data)).sum())} weights")
    if W.nnz and W.data.min() < 0:
        raise DataError(f"{argument} must hold non-negative weights, got {W.data.min():g}")
    W.sum_duplicates()
    W.eliminate_zeros()
    if W.nnz == 0:
        raise DataError(f"{argument} has no link: every weight is zero")
    return W


def _from_matrix(argument: str, given: Any) -> sparse.csr_matrix:
    if sparse.issparse(given):
        return sparse.csr_matrix(given, dtype=np.float64, copy=True)
    if hasattr(given, "to_numpy"):
        given = given.to_numpy()
    try:
        array = np.asarray(given, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise DataError(f"{argument} must be a matrix of weights or a table of links ({error})") from error
    if array.ndim != 2:
        raise DataError(
            f"{argument} must be a matrix of weights or a table of links, got an array of shape {array.shape}"
        )
    return sparse.csr_matrix(array)


def _edge_columns(pair: tuple[str, str], given: Any, shape: tuple[int, int]) -> list[Any] | None:
    """Return the columns of a table of links, or None where a matrix was given."""
    ends = ["source", "target"] if pair[0] == pair[1] else list(pair)
    if isinstance(given, list) and all(isinstance(row, tuple) for row in given):
        if not given:
            raise DataError(f"relations[{pair!r}] has no link: the list is empty")
        if len({len(row) for row in given}) != 1 or len(given[0]) not in (2, 3):
            raise DataError(
                f"relations[{pair!r}] must have tuples ({ends[0]}, {ends[1]}) "
                f"or ({ends[0]}, {ends[1]}, weight), all alike"
            )
        return [list(column) for column in zip(*given, strict=True)]
    if isinstance(given, Mapping):
        columns = list(given)
    elif hasattr(given, "columns"):
        columns = list(given.columns)
        if not set(ends) <= set(columns):
            if given.shape == shape:
                return None
            if len(columns) in (2, 3):
                return [given[column] for column in columns]
    else:
        return None
    if not set(ends) <= set(columns):
        raise DataError(
            f"relations[{pair!r}] is a table with columns {', '.join(map(repr, columns))}; "
            f"it needs {ends[0]!r} and {ends[1]!r}, and may have 'weight'"
        )
    return [given[column] for column in [*ends, *(["weight"] if "weight" in columns else [])]]


def _from_table(
    argument: str, pair: tuple[str, str], table: list[Any], sizes: Mapping[str, int], names: Mapping[str, Sequence[str]]
) -> sparse.csr_matrix:
    rows, columns = (
        _positions(argument, name, entries, sizes[name], names.get(name))
        for name, entries in zip(pair, table, strict=False)
    )
    try:
        weights = np.asarray(table[2], dtype=np.float64) if len(table) == 3 else np.ones(len(rows))
    except (ValueError, TypeError) as error:
        raise DataError(f"{argument} must have numbers as weights ({error})") from error
    if not len(rows) == len(columns) == len(weights):
        raise DataError(f"{argument} has columns of different lengths: {len(rows)}, {len(columns)}, {len(weights)}")
    if np.any(weights < 0):
        raise DataError(f"{argument} must hold non-negative weights, got {weights.min():g}")
    return sparse.csr_matrix((weights, (rows, columns)), shape=(sizes[pair[0]], sizes[pair[1]]))


def _positions(argument: str, domain: str, entries: Any, size: int, names: Sequence[str] | None) -> NDArray[np.int64]:
    """Turn a column of positions or names into positions."""
    column = np.asarray(entries)
    if np.issubdtype(column.dtype, np.integer):
        if column.size and not (column.min() >= 0 and column.max() < size):
            outside = column[(column < 0) | (column >= size)][0]
            raise DataError(f"{argument} has a link to item {outside} of {domain!r}, which has items 0 … {size - 1}")
        return column.astype(np.int64)
    if np.issubdtype(column.dtype, np.floating):
        raise DataError(
            f"{argument} must name items of {domain!r} by whole numbers or by name, got {column.dtype} numbers"
        )
    if names is None:
        raise DataError(
            f"{argument} names items of {domain!r} (such as {str(column.ravel()[0])!r}), but {domain!r} has no names; "
            f"give names[{domain!r}] or use positions"
        )
    position = {name: index for index, name in enumerate(names)}
    found = np.array([position.get(str(entry), -1) for entry in column.tolist()], dtype=np.int64)
    if (found < 0).any():
        unknown = column[found < 0]
        raise DataError(
            f"{argument} has {len(unknown)} links to items that are not in names[{domain!r}], first {str(unknown[0])!r}"
        )
    return found
