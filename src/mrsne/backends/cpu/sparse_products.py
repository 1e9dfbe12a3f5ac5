"""Products with sparse rows that are added to dense blocks, and the largest numbers of each row."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from mrsne.arrays import Float32, Int64
from mrsne.lanes import WIDTH, put, spread_out, take
from mrsne.loops import kernel
from mrsne.matrices import PARTS, arrays_of, equal_parts

TILE = 4 * WIDTH  # columns at a time, whose sums stay in registers: of 10,000 rows 2.5 MB, which the caches hold
_f, _u = np.float32, np.uint64
LANES = _u(WIDTH)


def packed(B: Float32) -> Float32:
    """Return a dense matrix in tiles of columns, one after the other, the last filled up with zeros."""
    rows, columns = B.shape
    tiles = np.zeros((-(-columns // TILE), rows, TILE), np.float32)
    for number, tile in enumerate(tiles):
        own = B[:, number * TILE : (number + 1) * TILE]
        tile[:, : own.shape[1]] = own
    return tiles


@kernel("i8[:] i4[:] f4[:] i8 f4[:] f4[:,:]!")
def _add_dense(start, stop, indptr, indices, values, n_rows, B, result):
    sums = np.empty(TILE, np.float32)
    for tile in range(start, stop):
        first = tile * TILE
        count = min(TILE, result.shape[1] - first)
        for i in range(result.shape[0]):
            a = spread_out(_f(0))
            b, c, d = a, a, a
            for position in range(indptr[i], indptr[i + 1]):
                value = spread_out(values[position])
                at = _u(tile * n_rows + indices[position]) * _u(TILE)
                a = a + value * take(B, at)
                b = b + value * take(B, at + LANES)
                c = c + value * take(B, at + _u(2) * LANES)
                d = d + value * take(B, at + _u(3) * LANES)
            put(sums, _u(0), a)
            put(sums, LANES, b)
            put(sums, _u(2) * LANES, c)
            put(sums, _u(3) * LANES, d)
            for k in range(count):
                result[i, first + k] += sums[k]


def add_dense(A: sparse.csr_matrix, tiles: Float32, result: Float32) -> None:
    """Add A B to a dense block, for sparse A and a dense B that is packed in tiles."""
    _add_dense.over(len(tiles), *arrays_of(A), tiles.shape[1], tiles.ravel(), result)


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
