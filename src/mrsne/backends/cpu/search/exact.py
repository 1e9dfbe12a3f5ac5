"""The nearest of all points: products of blocks of vectors, dense or sparse, and what stays of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mrsne.arrays import Floating, Int32, Int64
from mrsne.backends.cpu.search.ranking import FARTHEST, Ranking, SecondLook, Selection
from mrsne.backends.cpu.search.shortlist import QUERIES, TILE, Shortlist, products_of
from mrsne.backends.rows import Rows, Sparse, blocks_of
from mrsne.loops import kernel
from mrsne.matrices import arrays_of
from mrsne.threads import one_blas_thread, share

TASKS = 24  # to share, where there are enough queries; fixed, so that it does not depend on the number of threads
FEWEST_QUERIES = 64  # of a task
TALLEST = 4096  # rows converted by one thread at a time
FEWEST_ROWS = 8  # sparse queries at a time
SAMPLE, FEWEST_SAMPLED, SAMPLED_NUMBERS = 1_000, 50, 2**22  # vectors, and numbers in them, that tell middle and spread

Emit = Callable[[Int64, Int32], None]  # takes queries and their candidates


class Standard:
    """Vectors around the middle of some rows, in units of their spread.

    Products lose digits with the distance from the origin, and a stray value of 1e20 must not disturb all others.
    """

    def __init__(self, rows: Rows, dtype: Any = np.float32) -> None:
        self.dtype = np.dtype(dtype)
        count = max(FEWEST_SAMPLED, min(SAMPLE, SAMPLED_NUMBERS // rows.shape[1]))
        sample = rows.block(np.arange(0, len(rows), -(-len(rows) // count)))
        self.middle = np.median(sample, axis=0)
        # of whole rows: columns of nothing but rounding errors must not set the scale
        deviations = np.sqrt(np.mean((sample - self.middle) ** 2, axis=1))
        self.spread = float(np.median(deviations[deviations > 0])) if deviations.any() else 1.0

    def __call__(self, rows: Rows, which: slice) -> Floating:
        farthest = FARTHEST[self.dtype.str[1:]]
        shifted = (rows.block(which) - self.middle) / self.spread
        return np.asarray(np.clip(shifted, -farthest, farthest), dtype=self.dtype)

    def whole(self, rows: Rows, places: Int64 | None = None) -> Floating:
        """Return all rows, row i at ``places[i]``, read in blocks."""
        result = np.empty(rows.shape, self.dtype)
        blocks = blocks_of(rows, tallest=TALLEST)

        def convert(number: int) -> None:
            block = blocks[number]
            result[block if places is None else places[block]] = self(rows, block)

        share(len(blocks), convert)
        return result


def search_all(points: Points, wanted: int, emit: Emit) -> None:

    def search(which: Int64) -> None:
        best = Shortlist(wanted, len(which))
        best.begin(len(which))
        points.offer_all(which, best)
        emit(which, best.found())

    _share_blocks(np.arange(len(points)), points.height, search)


def search_all_again(points: Points, ranking: Ranking, order: Int64 | None = None) -> None:
    """Compare doubtful queries with all points again; ``order`` has the row of each point."""

    def search(which: Int64) -> None:
        look = SecondLook(ranking, which, order)
        points.offer_all(which, look)
        look.finish()

    _share_blocks(ranking.doubtful(), points.height, search)


def _share_blocks(which: Int64, height: int, search: Callable[[Int64], None]) -> None:
    with one_blas_thread():
        share(-(-len(which) // height), lambda number: search(which[number * height : (number + 1) * height]))


class DensePoints:
    """Points and queries around one middle; see :class:`Standard`."""

    def __init__(self, points: Floating, squares: Floating, queries: Floating) -> None:
        self._points, self._squares, self._queries = points, squares, queries
        self.height = min(QUERIES, max(FEWEST_QUERIES, -(-len(queries) // TASKS)))

    def __len__(self) -> int:
        return len(self._queries)

    def offer_all(self, which: Int64, best: Selection) -> None:
        asked, everything = self._queries[which], np.arange(len(which))
        width = TILE * QUERIES // max(len(asked), FEWEST_QUERIES)
        room = np.empty(len(asked) * width, np.float32)  # once: memory that comes and goes is slow
        for first in range(0, len(self._points), width):
            tile, squares = self._points[first : first + width], self._squares[first : first + width]
            products = room[: len(asked) * len(tile)].reshape(len(asked), len(tile))
            best.add(*products_of(asked, tile, squares, products), first, everything)


class SparsePoints:
    """Sparse rows, to be compared with sparse targets: a target adds up the columns of the numbers it holds."""

    def __init__(self, rows: Sparse, targets: Sparse) -> None:
        points, asked = rows.matrix.astype(np.float32), targets.matrix.astype(np.float32)
        self._squares, self.lengths = (
            np.asarray(matrix.multiply(matrix).sum(axis=1), dtype=np.float32).ravel() for matrix in (points, asked)
        )
        self._arrays = (*arrays_of(asked), *arrays_of(points.T.tocsr()))
        self.height = max(FEWEST_ROWS, TILE * QUERIES // len(rows))

    def __len__(self) -> int:
        return len(self.lengths)

    def offer_all(self, which: Int64, best: Selection) -> None:
        products = np.empty((len(which), len(self._squares)), np.float32)
        _multiply.alone(len(which), which, *self._arrays, products)
        best.add(products, self._squares, 0, np.arange(len(which)))


Points = DensePoints | SparsePoints  # and queries that are compared with all of them, ``height`` at a time


@kernel("i8[:] i8[:] i4[:] f4[:] i8[:] i4[:] f4[:] f4[:,:]!")
def _multiply(start, stop, which, indptr, indices, values, column_indptr, column_indices, column_values, products):
    """Fill row r with the products of the sparse row ``which[r]`` with all rows, which are given column by column."""
    for r in range(start, stop):
        products[r, :] = 0
        for position in range(indptr[which[r]], indptr[which[r] + 1]):
            value, column = values[position], indices[position]
            for there in range(column_indptr[column], column_indptr[column + 1]):
                products[r, column_indices[there]] += value * column_values[there]
