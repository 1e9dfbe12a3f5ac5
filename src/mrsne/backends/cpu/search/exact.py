"""The nearest of all points: products of blocks of vectors, and what stays of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mrsne.arrays import Float32, Floating, Int32, Int64
from mrsne.backends.cpu.search.ranking import FARTHEST, Ranking, SecondLook
from mrsne.backends.cpu.search.shortlist import QUERIES, TILE, Selection, Shortlist, products_of
from mrsne.backends.rows import Rows, Sparse, blocks_of
from mrsne.loops import kernel
from mrsne.threads import one_blas_thread, share

TASKS = 24  # to share, where there are enough queries; fixed, so that it does not depend on the number of threads
FEWEST_QUERIES = 64  # of a task
TALLEST = 4096  # rows converted by one thread at a time
FEWEST_ROWS = 8  # sparse queries at a time
SAMPLE, FEWEST_SAMPLED, SAMPLED_NUMBERS = 1_000, 50, 2**22  # vectors, and numbers in them, that tell middle and spread

Emit = Callable[[Int64, Int32], None]  # takes queries and their candidates


class Standard:
    """Vectors around the middle of some rows, in units of their spread.

    Distances from products of vectors lose digits with the distance from the origin, and single precision overflows
    where double does not: a stray value of 1e20 must not disturb the search for all others.
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
        """Return some of the rows."""
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


def search_all(points: Floating, squares: Floating, queries: Floating, wanted: int, emit: Emit) -> None:
    """Find the nearest points of every query among all of them."""
    height = min(QUERIES, max(FEWEST_QUERIES, -(-len(queries) // TASKS)))

    def block(number: int) -> None:
        asked = queries[number * height : (number + 1) * height]
        best = Shortlist(wanted, len(asked))
        best.begin(len(asked))
        _offer_all(points, squares, asked, best)
        emit(number * height + np.arange(len(asked)), best.found())

    with one_blas_thread():
        share(-(-len(queries) // height), block)


def search_all_again(
    points: Floating, squares: Floating, queries: Floating, ranking: Ranking, order: Int64 | None = None
) -> None:
    """Compare doubtful queries with all points again; ``order`` has the row of each point."""
    doubtful = ranking.doubtful()

    def block(number: int) -> None:
        which = doubtful[number * QUERIES : (number + 1) * QUERIES]
        look = SecondLook(ranking, which, order)
        _offer_all(points, squares, queries[which], look)
        look.finish()

    with one_blas_thread():
        share(-(-len(doubtful) // QUERIES), block)


def _offer_all(points: Floating, squares: Floating, asked: Floating, best: Selection) -> None:
    everything = np.arange(len(asked))
    width = TILE * QUERIES // max(len(asked), FEWEST_QUERIES)
    room = np.empty(len(asked) * width, np.float32)  # once: memory that comes and goes is slow where it is given back
    for first in range(0, len(points), width):
        tile = points[first : first + width]
        products = room[: len(asked) * len(tile)].reshape(len(asked), len(tile))
        best.add(*products_of(asked, tile, squares[first : first + width], products), first, everything)


class SparsePoints:
    """Sparse rows, to be compared with sparse targets: a target adds up the columns of the numbers it holds."""

    def __init__(self, rows: Sparse, targets: Sparse) -> None:
        points = rows.matrix.astype(np.float32)
        self.squares = np.asarray(points.multiply(points).sum(axis=1), dtype=np.float32).ravel()
        columns = points.T.tocsr()
        self._columns = (columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data)
        self._targets = (targets.matrix.indptr, targets.matrix.indices, targets.matrix.data.astype(np.float32))
        asked = targets.matrix.astype(np.float32)
        self.lengths = np.asarray(asked.multiply(asked).sum(axis=1), dtype=np.float32).ravel()

    def search(self, wanted: int, emit: Emit) -> None:
        """Find the nearest rows of every target."""

        def block(which: Int64) -> None:
            best = Shortlist(wanted, len(which))
            best.begin(len(which))
            best.add(self._products(which), self.squares, 0, np.arange(len(which)))
            emit(which, best.found())

        self._share(np.arange(len(self.lengths)), block)

    def search_again(self, ranking: Ranking) -> None:
        """Compare doubtful targets with all rows again."""

        def block(which: Int64) -> None:
            look = SecondLook(ranking, which)
            look.add(self._products(which), self.squares, 0, np.arange(len(which)))
            look.finish()

        self._share(ranking.doubtful(), block)

    def _products(self, which: Int64) -> Float32:
        products = np.empty((len(which), len(self.squares)), np.float32)
        _multiply.alone(len(which), which, *self._targets, *self._columns, products)
        return products

    def _share(self, which: Int64, block: Callable[[Int64], None]) -> None:
        height = max(FEWEST_ROWS, TILE * QUERIES // len(self.squares))
        share(-(-len(which) // height), lambda number: block(which[number * height : (number + 1) * height]))


@kernel("i8[:] i8[:] i4[:] f4[:] i8[:] i4[:] f4[:] f4[:,:]!")
def _multiply(start, stop, which, indptr, indices, values, column_indptr, column_indices, column_values, products):
    """Fill row r with the products of the sparse row ``which[r]`` with all rows, which are given column by column."""
    for r in range(start, stop):
        products[r, :] = 0
        for position in range(indptr[which[r]], indptr[which[r] + 1]):
            value, column = values[position], indices[position]
            for there in range(column_indptr[column], column_indptr[column + 1]):
                products[r, column_indices[there]] += value * column_values[there]
