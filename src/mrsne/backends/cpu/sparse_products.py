"""Products with sparse rows that are added to dense blocks, and the largest numbers of each row."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from mrsne.arrays import Float32, Int64
from mrsne.loops import kernel
from mrsne.matrices import PARTS, arrays_of, equal_parts

TILE = 256  # columns at a time: of 10,000 rows of them, 10 MB, which the last cache holds


@kernel("i8[:] i8[:] i4[:] f4[:] f4[:,:] f4[:,:]!")
def _add_dense(start, stop, parts, indptr, indices, values, B, result):
    n = B.shape[1]
    for first in range(0, n, TILE):
        last = min(first + TILE, n)
        for i in range(parts[start], parts[stop]):
            for position in range(indptr[i], indptr[i + 1]):
                value, j = values[position], indices[position]
                for k in range(first, last):
                    result[i, k] += value * B[j, k]


def add_dense(A: sparse.csr_matrix, B: Float32, result: Float32) -> None:
    """Add A B to a dense block, for sparse A and dense B."""
    indptr, indices, values = arrays_of(A)
    _add_dense.over(PARTS, equal_parts(indptr), indptr, indices, values, np.ascontiguousarray(B), result)


@kernel("i8[:] i8[:] i4[:] f4[:] i8[:] i4[:] f4[:] f4 f4[:,:]!")
def _add_sparse(start, stop, parts, indptr, indices, values, starts, columns, weights, factor, result):
    for i in range(parts[start], parts[stop]):
        for position in range(indptr[i], indptr[i + 1]):
            value, j = factor * values[position], indices[position]
            for other in range(starts[j], starts[j + 1]):
                result[i, columns[other]] += value * weights[other]


def add_sparse(A: sparse.csr_matrix, B: sparse.csr_matrix, factor: float, result: Float32) -> None:
    """Add factor · A B to a dense block, for sparse A and B."""
    indptr, indices, values = arrays_of(A)
    _add_sparse.over(PARTS, equal_parts(indptr), indptr, indices, values, *arrays_of(B), np.float32(factor), result)


@kernel("f4[:,:] i4[:,:]! f4[:,:]!")
def _largest(start, stop, scores, places, values):
    count = places.shape[1]
    for i in range(start, stop):
        filled = 0
        for j in range(scores.shape[1]):
            value = scores[i, j]
            if not value > 0 or (filled == count and value <= values[i, count - 1]):
                continue
            at = filled if filled < count else count - 1
            while at > 0 and values[i, at - 1] < value:
                values[i, at] = values[i, at - 1]
                places[i, at] = places[i, at - 1]
                at -= 1
            values[i, at] = value
            places[i, at] = j
            filled = min(filled + 1, count)


def largest(scores: Float32, count: int) -> tuple[Int64, Float32]:
    """Return the columns of the largest positive numbers of each row, in descending order, and these numbers.

    Where there are fewer, -1 and 0. Of equal numbers the one that comes first stays first.
    """
    places = np.full((len(scores), count), -1, np.int32)
    values = np.zeros((len(scores), count), np.float32)
    _largest.over(len(scores), np.ascontiguousarray(scores), places, values)
    return places.astype(np.int64), values
