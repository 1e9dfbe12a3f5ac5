"""Nearest neighbours in large domains: points in lists around centres, and for each query only the nearest lists.

The lists are those of an inverted file, which faiss would search query by query; here all queries of a batch that ask
for one list are multiplied with it at once, several times as fast.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mrsne.arrays import Float64, Floating, Int32, Int64
from mrsne.backends.cpu.orders import stable_order
from mrsne.backends.cpu.search.centres import learn_centres, lists_asked, nearest_centres, ranks_of_lists, training_rows
from mrsne.backends.cpu.search.exact import TALLEST, DensePoints, Emit, Standard, search_all, search_all_again
from mrsne.backends.cpu.search.lists import PointsInLists, Workspace, batch_size
from mrsne.backends.cpu.search.ranking import Ranking, SecondLook
from mrsne.backends.cpu.search.shortlist import QUERIES, squares_of
from mrsne.backends.recall import SAME_WITHIN, RecallGoal, needed_probes, number_of_lists
from mrsne.backends.rows import Rows, blocks_of
from mrsne.threads import one_blas_thread, share

FEWEST_NEARBY, NEARBY = 64, 6  # lists around its own that a query chooses from: at least 64, or six times its probes
SAMPLE = 400  # queries whose neighbours are searched exactly, to learn how many lists are needed


class Sample(NamedTuple):
    """Some rows and their true neighbours."""

    which: Int64  # (s,)
    true: Int32  # (s, k)
    farthest: Float64  # (s,), the squared distance of the last of them
    doubtful: float  # share that needed a second look

    def recall(self, squared: Float64) -> float:
        """Return the share of the true neighbours that were found, or others as near as the last of them."""
        return float((squared[self.which] <= self.farthest[:, None] * (1 + SAME_WITHIN)).mean())


class InvertedLists(PointsInLists):
    """Points, list by list."""

    def __init__(self, rows: Rows, standard: Standard, workers: int) -> None:
        self.n_lists = number_of_lists(len(rows))
        self.centres = learn_centres(standard.whole(training_rows(rows, self.n_lists)), self.n_lists, workers)
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
        """Return how many lists must be searched for the recall that is aimed at."""
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
