"""Squared distances between rows in double precision, from differences, so that neither rounding nor scale disturbs."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.rows import Dense, Rows, Sparse, number
from mrsne.loops import Array, Kernel, kernel

BLOCK = 2**20  # pairs at a time


def distances_to(
    rows: Rows, targets: Rows, which: NDArray[np.int64], candidates: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the squared distance of each target to its candidates among the rows.

    Parameters
    ----------
    rows, targets : Rows
    which : array of shape (m,)
        Positions among the targets.
    candidates : array of shape (m, c)
        Positions among the rows.
    """
    squared = np.empty(candidates.shape)
    if isinstance(rows, Sparse) and isinstance(targets, Sparse):
        X, T = rows.matrix, targets.matrix
        both = (X.indptr, X.indices, X.data, T.indptr, T.indices, T.data)
        sparse_distances(rows.kind, targets.kind).over(len(which), *both, which, candidates, squared)
    elif isinstance(rows, Dense) and isinstance(targets, Dense):
        fill = dense_distances(rows.kind, targets.kind)
        fill.over(len(which), rows.values, rows.factor, targets.values, targets.factor, which, candidates, squared)
    else:
        raise TypeError("rows and targets must both be dense or both sparse")
    return squared


def distances_to_others(rows: Rows, chosen: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
    """Return the squared distances of every row, or of the chosen ones, to all others, in their order.

    Examples
    --------
    >>> from mrsne.backends.rows import prepare
    >>> distances_to_others(prepare(np.array([[0.0], [1.0], [3.0]]), "euclidean"))
    array([[1., 9.],
           [1., 4.],
           [9., 4.]])
    """
    n = len(rows)
    from_rows = np.arange(n) if chosen is None else chosen
    squared = np.empty((len(from_rows), n - 1))
    height = max(1, BLOCK // n)
    for start in range(0, len(from_rows), height):
        which = from_rows[start : start + height]
        others = np.arange(n - 1, dtype=np.int32) + (np.arange(n - 1) >= which[:, None])
        squared[start : start + height] = distances_to(rows, rows, which, others.astype(np.int32))
    return squared


@lru_cache
def dense_distances(kind: str, target_kind: str) -> Kernel[Any]:
    """Return the kernel for arrays of these types."""
    return kernel(f"{kind}[:,:] f8[:] {target_kind}[:,:] f8[:] i8[:] i4[:,:] f8[:,:]!")(_dense_distances)


def _dense_distances(
    start: int,
    stop: int,
    X: Array,
    factor: Array,
    T: Array,
    target_factor: Array,
    which: Array,
    candidates: Array,
    squared: Array,
) -> None:
    for r in range(start, stop):
        row, a = T[which[r]], target_factor[which[r]]
        for c in range(candidates.shape[1]):
            other, b = X[candidates[r, c]], factor[candidates[r, c]]
            total = 0.0
            if a == b:  # so that equal rows are at distance zero, whatever their factor
                for d in range(row.shape[0]):
                    difference = (number(row[d]) - number(other[d])) * a
                    total += difference * difference
            else:
                for d in range(row.shape[0]):
                    difference = number(row[d]) * a - number(other[d]) * b
                    total += difference * difference
            squared[r, c] = total


@lru_cache
def sparse_distances(kind: str, target_kind: str) -> Kernel[Any]:
    """Return the kernel for sparse matrices with values of these types."""
    types = f"i8[:] i4[:] {kind}[:] i8[:] i4[:] {target_kind}[:] i8[:] i4[:,:] f8[:,:]!"
    return kernel(types)(_sparse_distances)


def _sparse_distances(
    start: int,
    stop: int,
    indptr: Array,
    columns: Array,
    data: Array,
    target_indptr: Array,
    target_columns: Array,
    target_data: Array,
    which: Array,
    candidates: Array,
    squared: Array,
) -> None:
    for r in range(start, stop):
        for c in range(candidates.shape[1]):
            p, end = target_indptr[which[r]], target_indptr[which[r] + 1]
            q, other_end = indptr[candidates[r, c]], indptr[candidates[r, c] + 1]
            total = 0.0
            while p < end or q < other_end:
                mine = q == other_end or (p < end and target_columns[p] <= columns[q])
                theirs = p == end or (q < other_end and columns[q] <= target_columns[p])
                difference = 0.0
                if mine:
                    difference += target_data[p]
                    p += 1
                if theirs:
                    difference -= data[q]
                    q += 1
                total += difference * difference
            squared[r, c] = total


@kernel("i8[:] i4[:,:] f8[:,:] i8[:] i4[:,:]! f8[:,:]!")
def keep_nearest(
    start: int,
    stop: int,
    which: Array,
    candidates: Array,
    distances: Array,
    selves: Array,
    indices: Array,
    squared: Array,
) -> None:
    """Keep the k nearest candidates of each target ``which[r]``, equal distances by position; never itself."""
    k = indices.shape[1]
    for r in range(start, stop):
        best, near, itself = indices[which[r]], squared[which[r]], selves[which[r]]
        filled = 0
        for c in range(candidates.shape[1]):
            j, distance = candidates[r, c], distances[r, c]
            if j == itself or (filled == k and (distance, j) >= (near[k - 1], best[k - 1])):
                continue
            place = filled if filled < k else k - 1
            while place > 0 and (distance, j) < (near[place - 1], best[place - 1]):
                near[place], best[place] = near[place - 1], best[place - 1]
                place -= 1
            near[place], best[place] = distance, j
            filled = min(filled + 1, k)
