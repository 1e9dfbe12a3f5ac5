"""Points in lists, and queries that ask for some of the lists, multiplied with each of them at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg.cython_blas  # noqa: F401  products in compiled loops are its own: one_blas_thread has to find it

from mrsne.arrays import Float32, Floating, Int32, Int64
from mrsne.backends.cpu.search.shortlist import ROOM, Selection, Shortlist, offer, products_of, squares_of, tighten
from mrsne.loops import kernel

SMALLEST_BATCH, LARGEST_BATCH = 512, 1024  # queries handled together; larger products are not faster
MOST_VALUES = 2**22  # in the shortlist of a batch
MOST_TOGETHER, MOST_PRODUCTS = 1024, 2**19  # queries multiplied with a list at once, and products of them


class Workspace(NamedTuple):
    """The memory of one thread."""

    best: Shortlist
    rows: Floating
    products: Float32


class PointsInLists:
    """Points, list by list."""

    def __init__(self, points: Floating, starts: Int64) -> None:
        self.points, self.starts = points, starts
        self.squares = squares_of(points)

    def workspace(self, wanted: int, length: int) -> Workspace:
        """Return memory for ``wanted`` neighbours of ``length`` queries at a time."""
        largest = int(np.diff(self.starts).max())
        rows = np.empty((MOST_TOGETHER, self.points.shape[1]), self.points.dtype)
        return Workspace(Shortlist(wanted, length), rows, np.empty(max(MOST_PRODUCTS, largest), np.float32))

    def search_bands(self, work: Workspace, best: Selection, asked: Floating, lists: Int32) -> None:
        """Compare each query with the points of the lists in its row: the nearest, the next few, then the rest.

        After its nearest lists a query has a tight limit, and takes little from the others. A list that is not here has
        the number after the last.
        """
        if isinstance(best, Shortlist) and self.points.dtype == np.float32:
            bands = np.array(band_ends(lists.shape[1]))
            _meet_lists.alone(
                1, asked, lists, bands, self.starts, self.points, self.squares, work.rows, work.products, *best.memory
            )
            return
        start, edges = 0, np.arange(len(self.starts))
        for stop in band_ends(lists.shape[1]):
            order = np.argsort(lists[:, start:stop], axis=None, kind="stable")
            members, ends = order // (stop - start), np.searchsorted(lists[:, start:stop].ravel()[order], edges)
            for position in np.flatnonzero(np.diff(ends)).tolist():
                self._offer(work, best, asked, position, members[ends[position] : ends[position + 1]])
            best.tighten()
            start = stop

    def _offer(self, work: Workspace, best: Selection, asked: Floating, position: int, members: Int64) -> None:
        """Compare some queries with the points of one list."""
        start, stop = self.starts[position], self.starts[position + 1]
        height = max(1, min(len(work.rows), len(work.products) // max(stop - start, 1)))
        for first in range(0, len(members), height):
            batch = members[first : first + height]
            rows = np.take(asked, batch, axis=0, out=work.rows[: len(batch)], mode="clip")
            products = work.products[: len(batch) * (stop - start)].reshape(len(batch), stop - start)
            best.add(*products_of(rows, self.points[start:stop], self.squares[start:stop], products), start, batch)


def batch_size(wanted: int) -> int:
    """Return how many queries to handle together."""
    return max(SMALLEST_BATCH, min(LARGEST_BATCH, MOST_VALUES // (ROOM * wanted)))


def band_ends(probes: int) -> list[int]:
    """Return where the bands of lists end: each holds four times as many as those before it."""
    ends = [probes]
    while ends[0] > 1:
        ends.insert(0, max(1, ends[0] // 4))
    return ends


@kernel("f4[:,:] i4[:,:] i8[:] i8[:] f4[:,:] f4[:] f4[:,:]! f4[:]! f4[:,:]! i4[:,:]! i8[:]! f4[:]! i8")
def _meet_lists(
    start, stop, asked, lists, bands, starts, points, squares, rows, products, values, places, counts, limits, k
):
    """Do all of :meth:`PointsInLists.search_bands` in one go, so that threads do not wait for each other's Python."""
    n_lists, first = starts.shape[0] - 1, 0
    ends = np.empty(n_lists + 2, np.int64)
    members = np.empty(lists.size, np.int64)
    for last in bands:
        ends[:] = 0  # queries that ask for list l will be members[ends[l] : ends[l + 1]]
        for query in range(lists.shape[0]):
            for c in range(first, last):
                ends[lists[query, c] + 1] += 1
        for position in range(1, ends.shape[0]):
            ends[position] += ends[position - 1]
        filled = ends.copy()
        for query in range(lists.shape[0]):
            for c in range(first, last):
                members[filled[lists[query, c]]] = query
                filled[lists[query, c]] += 1
        for position in range(n_lists):
            begin, end = starts[position], starts[position + 1]
            height = max(1, min(rows.shape[0], products.shape[0] // max(end - begin, 1)))
            for low in range(ends[position], ends[position + 1], height):
                batch = members[low : min(low + height, ends[position + 1])]
                size = batch.shape[0]
                for row in range(size):
                    rows[row] = asked[batch[row]]
                part = products[: size * (end - begin)].reshape(size, end - begin)
                np.dot(rows[:size], points[begin:end].T, part)
                for row in range(size):
                    offer(part[row], squares[begin:end], begin, batch[row], values, places, counts, limits, k)
        for query in range(asked.shape[0]):
            tighten(query, values, places, counts, limits, k)
        first = last
