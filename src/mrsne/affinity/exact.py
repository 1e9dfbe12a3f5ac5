"""The nearest of all points: products of blocks of vectors, and what stays of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mrsne.affinity.rows import Rows, Sparse, blocks_of
from mrsne.affinity.shortlist import Shortlist
from mrsne.compilation import Array, kernel, share

QUERIES = 512  # at a time: with TILE points their products stay in the second-level cache
TILE = 1024
FEWEST_ROWS = 8  # sparse queries at a time
SAMPLE, FEWEST_SAMPLED, SAMPLED_NUMBERS = 1_000, 50, 2**22  # vectors, and numbers in them, that tell middle and spread
FARTHEST = 1e6  # coordinate of a vector in the search, in units of the spread

Emit = Callable[[NDArray[np.int64], NDArray[np.int32]], None]  # takes queries and their candidates


class Standard:
    """Single-precision vectors around the middle of some rows, in units of their spread.

    Distances from products of vectors lose digits with the distance from the origin, and single precision overflows
    where double does not: a stray value of 1e20 must not disturb the search for everybody else.
    """

    def __init__(self, rows: Rows) -> None:
        count = max(FEWEST_SAMPLED, min(SAMPLE, SAMPLED_NUMBERS // rows.shape[1]))
        sample = rows.block(np.arange(0, len(rows), -(-len(rows) // count)))
        self.middle = np.median(sample, axis=0)
        # of whole rows: columns of nothing but rounding errors must not set the scale
        deviations = np.sqrt(np.mean((sample - self.middle) ** 2, axis=1))
        self.spread = float(np.median(deviations[deviations > 0])) if deviations.any() else 1.0

    def __call__(self, rows: Rows, which: slice) -> NDArray[np.float32]:
        """Return some of the rows."""
        shifted = (rows.block(which) - self.middle) / self.spread
        return np.asarray(np.clip(shifted, -FARTHEST, FARTHEST), dtype=np.float32)

    def whole(self, rows: Rows, places: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """Return all rows, row i at ``places[i]``, read in blocks."""
        result = np.empty(rows.shape, np.float32)
        blocks = blocks_of(rows)

        def convert(number: int) -> None:
            block = blocks[number]
            result[block if places is None else places[block]] = self(rows, block)

        share(len(blocks), convert)
        return result


def squares_of(points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the squared length of every point."""
    return np.asarray(np.einsum("ij,ij->i", points, points))


def search_all(
    points: NDArray[np.float32], squares: NDArray[np.float32], queries: NDArray[np.float32], wanted: int, emit: Emit
) -> None:
    """Find the nearest points of every query among all of them."""
    everything = np.arange(QUERIES)

    def block(number: int) -> None:
        asked = queries[number * QUERIES : (number + 1) * QUERIES]
        best = Shortlist(wanted, len(asked))
        best.begin(len(asked))
        for first in range(0, len(points), TILE):
            tile = points[first : first + TILE]
            best.add(asked @ tile.T, squares[first : first + TILE], first, everything[: len(asked)])
        emit(number * QUERIES + everything[: len(asked)], best.found())

    with threadpool_limits(1, "blas"):
        share(-(-len(queries) // QUERIES), block)


def search_sparse(rows: Sparse, targets: Sparse, wanted: int, emit: Emit) -> None:
    """Do the same for sparse rows: a query adds up the columns of the numbers it holds."""
    points = rows.matrix.astype(np.float32)
    squares = np.asarray(points.multiply(points).sum(axis=1), dtype=np.float32).ravel()
    columns = points.T.tocsr()
    columns = (columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data)
    asked = targets.matrix
    values = asked.data.astype(np.float32)
    height = max(FEWEST_ROWS, TILE * QUERIES // len(rows))

    def block(number: int) -> None:
        which = np.arange(number * height, min((number + 1) * height, len(targets)))
        products = np.empty((len(which), len(rows)), np.float32)
        _multiply.alone(len(which), which, asked.indptr, asked.indices, values, *columns, products)
        best = Shortlist(wanted, len(which))
        best.begin(len(which))
        best.add(products, squares, 0, np.arange(len(which)))
        emit(which, best.found())

    share(-(-len(targets) // height), block)


@kernel("i8[:] i8[:] i4[:] f4[:] i8[:] i4[:] f4[:] f4[:,:]!")
def _multiply(
    start: int,
    stop: int,
    which: Array,
    indptr: Array,
    indices: Array,
    values: Array,
    column_indptr: Array,
    column_indices: Array,
    column_values: Array,
    products: Array,
) -> None:
    """Fill row r with the products of the sparse row ``which[r]`` with all rows, which are given column by column."""
    for r in range(start, stop):
        products[r, :] = 0
        for position in range(indptr[which[r]], indptr[which[r] + 1]):
            value, column = values[position], indices[position]
            for there in range(column_indptr[column], column_indptr[column + 1]):
                products[r, column_indices[there]] += value * column_values[there]
