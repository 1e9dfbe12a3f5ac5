"""Nearest neighbours in large domains: points in lists around centres, and for each query only the nearest lists.

The lists are those of an inverted file, with the centres of faiss's k-means. faiss would search them query by query;
here all queries of a stretch that ask for one list are multiplied with it at once, which a matrix product does several
times as fast.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mrsne.affinity.exact import QUERIES, Emit, Standard, search_all, squares_of
from mrsne.affinity.lists import PointsInLists, Workplace, stretch_length
from mrsne.affinity.rows import Rows, blocks_of
from mrsne.affinity.shortlist import move_smallest
from mrsne.compilation import Array, kernel, share

TRAINING = 64  # points per list that k-means looks at
ROUNDS = 8  # of k-means
SAMPLE = 400  # queries whose neighbours are searched exactly, to learn how many lists are needed
RECALL = 0.96  # share of the true neighbours to be found
FEWEST_PROBES = 8  # lists searched in any case
FEWEST_NEARBY, NEARBY = 64, 6  # lists around its own that a query chooses from: so many, or times its probes
_f = np.float32


class Sample(NamedTuple):
    """Some points and their true neighbours, as places among the points."""

    which: NDArray[np.int64]
    true: NDArray[np.int32]

    def recall(self, found: NDArray[np.int32], points: NDArray[np.float32]) -> float:
        """Return the share of the true neighbours that were found, or others as near as the last of them."""
        hits = 0
        for place, true, near in zip(self.which, self.true, found, strict=True):
            farthest = np.square(points[true] - points[place]).sum(axis=1).max()
            hits += int((np.square(points[near] - points[place]).sum(axis=1) <= farthest * (1 + 1e-5)).sum())
        return hits / self.true.size


class InvertedLists(PointsInLists):
    """Points, list by list.

    Parameters
    ----------
    rows : Rows
        Read in blocks; the lists hold the only copy.
    standard : Standard
        What the copy is made with.
    workers : int
        Threads of k-means.
    """

    def __init__(self, rows: Rows, standard: Standard, workers: int) -> None:
        self.n_lists = int(np.sqrt(len(rows)))
        self.centres = _centres(rows, standard, self.n_lists, workers)
        self.centre_squares = squares_of(self.centres)
        home = self.homes(rows, standard)
        self.order = np.argsort(home, kind="stable")  # the row at each place
        self.home = home[self.order]
        places = np.empty(len(rows), np.int64)
        places[self.order] = np.arange(len(rows))
        super().__init__(standard.whole(rows, places), np.searchsorted(self.home, np.arange(self.n_lists + 1)))

    def homes(self, rows: Rows, standard: Standard) -> NDArray[np.int64]:
        """Return the list around the nearest centre for every row."""
        home = np.empty(len(rows), np.int64)
        blocks = blocks_of(rows)

        def assign(number: int) -> None:
            points = standard(rows, blocks[number])
            for first in range(0, len(points), QUERIES):
                products = points[first : first + QUERIES] @ self.centres.T
                start = blocks[number].start + first
                home[start : start + len(products)] = (self.centre_squares - 2 * products).argmin(axis=1)

        with threadpool_limits(1, "blas"):
            share(len(blocks), assign)
        return home

    def needed_probes(self, wanted: int) -> tuple[int, Sample]:
        """Return how many lists must be searched for the wanted recall, and the sample of points that tells it.

        The true neighbours of the sample are searched among all points, and it is counted how far down in each query's
        order of lists they are.
        """
        which = np.arange(0, len(self.points), max(1, len(self.points) // SAMPLE))[:SAMPLE]
        true = np.empty((len(which), wanted), np.int32)
        queries = self.points[which]
        search_all(self.points, self.squares, queries, wanted, true.__setitem__)
        lists = np.searchsorted(self.starts, true, side="right") - 1
        distances = self.centre_squares - 2 * queries @ self.centres.T
        rank = np.empty_like(distances, dtype=np.int64)
        np.put_along_axis(rank, distances.argsort(axis=1), np.arange(self.n_lists)[None], axis=1)
        found = np.bincount(np.take_along_axis(rank, lists, axis=1).ravel(), minlength=self.n_lists)
        probes = int(np.searchsorted(np.cumsum(found) / lists.size, RECALL)) + 1
        return max(probes, min(FEWEST_PROBES, self.n_lists)), Sample(which, true)

    def search(
        self, queries: NDArray[np.float32], homes: NDArray[np.int64], wanted: int, probes: int, emit: Emit
    ) -> None:
        """Find the nearest points of every query, as places among the points; queries are sorted by their home.

        A query that meets fewer points than wanted is searched among all.
        """
        spare: list[Workplace] = []
        near = self._nearby(probes)
        length = stretch_length(wanted)

        def stretch(number: int) -> None:
            work = spare.pop() if spare else self.workplace(wanted, min(length, len(queries)))
            first = number * length
            asked = queries[first : first + length]
            work.best.begin(len(asked))
            lists = self._lists_of(asked, homes[first : first + length], near, probes)
            found = self.search_bands(work, asked, lists)
            spare.append(work)
            short = np.flatnonzero((found < 0).any(axis=1))
            if len(short):

                def keep(which: NDArray[np.int64], candidates: NDArray[np.int32]) -> None:
                    found[short[which]] = candidates

                search_all(self.points, self.squares, asked[short], wanted, keep)
            emit(first + np.arange(len(asked)), found)

        with threadpool_limits(1, "blas"):
            share(-(-len(queries) // length), stretch)

    def _nearby(self, probes: int) -> NDArray[np.int32]:
        """Return, for each list, the lists around it that its queries choose from."""
        count = min(self.n_lists, max(FEWEST_NEARBY, NEARBY * probes))
        near = np.empty((self.n_lists, count), np.int32)

        def keep(which: NDArray[np.int64], candidates: NDArray[np.int32]) -> None:
            near[which] = candidates

        search_all(self.centres, self.centre_squares, self.centres, count, keep)
        return near

    def _lists_of(
        self, asked: NDArray[np.float32], homes: NDArray[np.int64], near: NDArray[np.int32], probes: int
    ) -> NDArray[np.int32]:
        """Return the lists that each query asks for, in the order of bands."""
        lists = np.empty((len(asked), probes), np.int32)
        moves = (np.flatnonzero(np.diff(homes)) + 1).tolist()
        for first, last in zip([0, *moves], [*moves, len(asked)], strict=True):
            choice = near[homes[first]]
            products = asked[first:last] @ self.centres[choice].T
            _nearest_lists.alone(last - first, products, self.centre_squares[choice], choice, lists[first:last])
        return lists


def _centres(rows: Rows, standard: Standard, n_lists: int, workers: int) -> NDArray[np.float32]:
    import faiss

    sample = rows.take(np.arange(0, len(rows), max(1, len(rows) // (TRAINING * n_lists))))
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(workers)
    try:
        means = faiss.Kmeans(rows.shape[1], n_lists, niter=ROUNDS, seed=0, max_points_per_centroid=2 * TRAINING)
        means.train(standard.whole(sample))
    finally:
        faiss.omp_set_num_threads(before)
    return np.asarray(means.centroids)


@kernel("f4[:,:] f4[:] i4[:] i4[:,:]!")
def _nearest_lists(start: int, stop: int, products: Array, squares: Array, choice: Array, lists: Array) -> None:
    """Fill each row with its nearest lists, in the order of bands; inside a band in none."""
    n_lists, probes = products.shape[1], lists.shape[1]
    values, places = np.empty(n_lists, np.float32), np.empty(n_lists, np.int32)
    for i in range(start, stop):
        for position in range(n_lists):
            values[position] = squares[position] - _f(2) * products[i, position]
            places[position] = choice[position]
        count, wanted = n_lists, probes
        while True:
            move_smallest(values, places, count, wanted)
            if wanted == 1:
                break
            count, wanted = wanted, max(1, wanted // 4)
        lists[i] = places[:probes]
