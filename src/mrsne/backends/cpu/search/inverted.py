"""Nearest neighbours in large domains: points in lists around centres, and for each query only the nearest lists.

The lists are those of an inverted file, which faiss would search query by query; here all queries of a batch that ask
for one list are multiplied with it at once, several times as fast.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg.cython_blas  # noqa: F401  products in compiled loops are its own: one_blas_thread has to find it

from mrsne.arrays import Float32, Float64, Floating, Int32, Int64
from mrsne.backends.cpu.orders import stable_order
from mrsne.backends.cpu.search.centres import learn_centres, lists_asked, nearest_centres, ranks_of_lists, training_rows
from mrsne.backends.cpu.search.exact import TALLEST, DensePoints, Emit, Standard, search_all, search_all_again
from mrsne.backends.cpu.search.ranking import Ranking, SecondLook, Selection
from mrsne.backends.cpu.search.shortlist import QUERIES, ROOM, Shortlist, offer, products_of, squares_of, tighten
from mrsne.backends.recall import SAME_WITHIN, RecallGoal, needed_probes, number_of_lists
from mrsne.backends.rows import Rows, blocks_of
from mrsne.loops import kernel
from mrsne.threads import one_blas_thread, share

SMALLEST_BATCH, LARGEST_BATCH = 512, 1024  # queries handled together; larger products are not faster
MOST_VALUES = 2**22  # in the shortlist of a batch
MOST_TOGETHER, MOST_PRODUCTS = 1024, 2**19  # queries multiplied with a list at once, and products of them
FEWEST_NEARBY, NEARBY = 64, 6  # lists around its own that a query chooses from: at least 64, or six times its probes
SAMPLE = 400  # queries whose neighbours are searched exactly, to learn how many lists are needed


class Workspace(NamedTuple):
    best: Shortlist
    rows: Floating
    products: Float32


class PointsInLists:
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
        start, stop = self.starts[position], self.starts[position + 1]
        height = max(1, min(len(work.rows), len(work.products) // max(stop - start, 1)))
        for first in range(0, len(members), height):
            batch = members[first : first + height]
            rows = np.take(asked, batch, axis=0, out=work.rows[: len(batch)], mode="clip")
            products = work.products[: len(batch) * (stop - start)].reshape(len(batch), stop - start)
            best.add(*products_of(rows, self.points[start:stop], self.squares[start:stop], products), start, batch)


class Sample(NamedTuple):
    which: Int64  # (s,)
    true: Int32  # (s, k)
    farthest: Float64  # (s,), the squared distance of the last of them
    doubtful: float  # share that needed a second look

    def recall(self, squared: Float64) -> float:
        """Return the share of the true neighbours that were found, or others as near as the last of them."""
        return float((squared[self.which] <= self.farthest[:, None] * (1 + SAME_WITHIN)).mean())


class InvertedLists(PointsInLists):
    def __init__(self, rows: Rows, standard: Standard) -> None:
        self.n_lists = number_of_lists(len(rows))
        self.centres = learn_centres(standard.whole(training_rows(rows, self.n_lists)), self.n_lists)
        home = self.homes(rows, standard)
        self.order = stable_order(home.astype(np.uint32))  # the row at each place
        self.home = home[self.order]
        self.home_of_row = home
        self.places = inverse(self.order)
        super().__init__(standard.whole(rows, self.places), np.searchsorted(self.home, np.arange(self.n_lists + 1)))

    def homes(self, rows: Rows, standard: Standard) -> Int64:
        """Return the list around the nearest centre for every row."""
        home = np.empty(len(rows), np.int64)
        blocks = blocks_of(rows, tallest=TALLEST)

        def assign(number: int) -> None:
            home[blocks[number]] = nearest_centres(standard(rows, blocks[number]), self.centres)

        with one_blas_thread():
            share(len(blocks), assign)
        return home

    def sample(self, rows: Rows, standard: Standard, k: int, wanted: int) -> Sample:
        """Compare some rows with all, by ``wanted`` candidates each."""
        which = self.order[:: max(1, len(self.order) // SAMPLE)][:SAMPLE].copy()
        queries = self.points[self.places[which]]
        ranking = Ranking(rows, rows.take(which), k, which, squares_of(queries), standard.spread, standard.dtype)

        def keep(which_queries: Int64, candidates: Int32) -> None:
            ranking.keep(which_queries, self.order[candidates].astype(np.int32))

        points = DensePoints(self.points, self.squares, queries)
        search_all(points, wanted, keep)
        search_all_again(points, ranking, self.order)
        return Sample(which, ranking.indices, ranking.squared[:, -1], len(ranking.doubtful()) / len(which))

    def needed_probes(self, sample: Sample, goal: RecallGoal) -> int:
        queries = self.points[self.places[sample.which]]
        ranks = np.take_along_axis(ranks_of_lists(queries, self.centres), self.home_of_row[sample.true], axis=1)
        return needed_probes(np.bincount(ranks.ravel(), minlength=self.n_lists), goal)

    def search(self, queries: Floating, homes: Int64, wanted: int, probes: int, emit: Emit) -> None:
        """Find the nearest points of every query, sorted by home; where its lists have too few, among all."""
        spare: list[Workspace] = []
        near = lists_around(self.centres, self.centres, probes)
        length = batch_size(wanted)

        def search_batch(number: int) -> None:
            work = spare.pop() if spare else self.workspace(wanted, min(length, len(queries)))
            first = number * length
            asked = queries[first : first + length]
            work.best.begin(len(asked))
            lists = lists_asked(asked, homes[first : first + length], near, self.centres, probes)
            self.search_bands(work, work.best, asked, lists)
            found = work.best.found()
            spare.append(work)
            short = np.flatnonzero((found < 0).any(axis=1))
            if len(short):

                def keep(which: Int64, candidates: Int32) -> None:
                    found[short[which]] = candidates

                search_all(DensePoints(self.points, self.squares, asked[short]), wanted, keep)
            emit(first + np.arange(len(asked)), found)

        with one_blas_thread():
            share(-(-len(queries) // length), search_batch)

    def search_again(self, queries: Floating, homes: Int64, targets: Int64, probes: int, ranking: Ranking) -> None:
        """Search doubtful queries in the same lists again; each query is one of the targets of a ranking."""
        doubtful = np.flatnonzero(np.isin(targets, ranking.doubtful()))
        if not len(doubtful):
            return
        near = lists_around(self.centres, self.centres, probes)

        def search_batch(number: int) -> None:
            which = doubtful[number * QUERIES : (number + 1) * QUERIES]
            look = SecondLook(ranking, targets[which], self.order)
            asked = queries[which]
            lists = lists_asked(asked, homes[which], near, self.centres, probes)
            self.search_bands(self.workspace(1, 1), look, asked, lists)
            look.finish()

        with one_blas_thread():
            share(-(-len(doubtful) // QUERIES), search_batch)


def lists_around(own: Floating, centres: Floating, probes: int) -> Int32:
    """Return, for the lists around their own centres, the lists that queries in them choose from."""
    near = np.empty((len(own), min(len(centres), max(FEWEST_NEARBY, NEARBY * probes))), np.int32)
    search_all(DensePoints(centres, squares_of(centres), own), near.shape[1], near.__setitem__)
    return near


def inverse(order: Int64) -> Int64:
    """Return where each number stands in an order."""
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return places


def batch_size(wanted: int) -> int:
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
