"""The k nearest neighbours of every vector, with squared distances in double precision.

Candidates are found in single precision, a few more than asked for; their distances are then computed again from the
differences of the vectors, so that neither rounding nor duplicates disturb what follows. Where single precision cannot
tell candidates apart, there is a second look in double (:mod:`mrsne.backends.cpu.search.ranking`).
"""

from typing import NamedTuple

import numpy as np

from mrsne.arrays import Float64, Int32, Int64
from mrsne.backends.cpu.search.duplicates import distinct_places, expand
from mrsne.backends.cpu.search.exact import DensePoints, Points, SparsePoints, Standard, search_all, search_all_again
from mrsne.backends.cpu.search.inverted import InvertedLists, inverse
from mrsne.backends.cpu.search.ranking import Ranking
from mrsne.backends.cpu.search.shortlist import squares_of
from mrsne.backends.recall import DOUBLE_FROM, SPARE, Attempt, RecallGoal, search_until_recalled
from mrsne.backends.rows import Rows, Sparse
from mrsne.parameters import ParameterError

SEARCH_EXACTLY_UP_TO = 10_000  # items; beyond, inverted lists are faster
FEW_QUERIES = 50  # times as many rows as queries: then making lists takes longer than comparing with all rows


class Neighbors(NamedTuple):
    indices: Int32  # (n, k)
    squared: Float64  # (n, k)
    recall: float  # share of the true neighbours found, on a sample; 1 where all rows were compared, NaN for queries
    order: Int64  # all rows; in a large domain so that near ones are close in it


def nearest_neighbors(rows: Rows, k: int, goal: RecallGoal, exactly: bool = False) -> Neighbors:
    """Return the k nearest other rows of every row; among rows at one place the choice is spread over all."""
    places = distinct_places(rows)
    at = rows if len(places.first) == len(rows) else rows.take(places.first)
    wanted = min(k, len(at) - 1)
    if wanted == 0:
        found = Neighbors(np.empty((1, 0), np.int32), np.empty((1, 0)), 1.0, np.zeros(1, np.int64))
    else:
        found = nearest_to(at, at, wanted, goal, exactly or None)
    if len(at) == len(rows):
        return found
    return Neighbors(*expand(places, found.indices, found.squared, k), found.recall, np.arange(len(rows)))


def nearest_to(targets: Rows, rows: Rows, k: int, goal: RecallGoal | None, exactly: bool | None = None) -> Neighbors:
    """Return the k nearest rows for every target, other ones where the targets are the rows."""
    own = targets is rows
    wanted = min(k + SPARE + own, len(rows))
    selves = np.arange(len(rows)) if own else np.full(len(targets), -1)
    points: Points
    if isinstance(rows, Sparse):
        assert isinstance(targets, Sparse)
        points = SparsePoints(rows, targets)
        lengths, unit = points.lengths, 1.0
    else:
        standard = Standard(rows)
        if exactly is None:
            exactly = len(rows) <= SEARCH_EXACTLY_UP_TO or len(targets) <= len(rows) // FEW_QUERIES
        if not exactly:
            if goal is None:
                raise ParameterError("goal must be a RecallGoal where rows are searched approximately, got None")
            return _search_lists(rows, targets, selves, k, wanted, standard, goal)
        whole = standard.whole(rows)
        queries = whole if own else standard.whole(targets)
        points = DensePoints(whole, squares_of(whole), queries)
        lengths, unit = squares_of(queries), standard.spread
    ranking = Ranking(rows, targets, k, selves, lengths, unit)
    search_all(points, wanted, ranking.keep)
    search_all_again(points, ranking)
    return Neighbors(ranking.indices, ranking.squared, 1.0, np.arange(len(targets)))


def _search_lists(
    rows: Rows, targets: Rows, selves: Int64, k: int, wanted: int, standard: Standard, goal: RecallGoal
) -> Neighbors:
    """Search inverted lists, as many as the recall needs; the order of the result is list by list."""
    lists = InvertedLists(rows, standard)
    sample = lists.sample(rows, standard, k, wanted)
    if sample.doubtful > DOUBLE_FROM and standard.dtype == np.float32:
        del lists, sample  # a copy of all rows
        return _search_lists(rows, targets, selves, k, wanted, Standard(rows, np.float64), goal)
    if targets is rows:
        order, homes, queries = lists.order, lists.home, lists.points
    else:
        homes = lists.homes(targets, standard)
        order = np.argsort(homes, kind="stable")
        homes, queries = homes[order], standard.whole(targets, inverse(order))
    lengths = np.empty(len(targets), standard.dtype)
    lengths[order] = squares_of(queries)

    def search(probes: int) -> Attempt:
        ranking = Ranking(rows, targets, k, selves, lengths, standard.spread, standard.dtype)

        def keep(which: Int64, candidates: Int32) -> None:
            ranking.keep(order[which], lists.order[candidates].astype(np.int32))

        lists.search(queries, homes, wanted, probes, keep)
        lists.search_again(queries, homes, order, probes, ranking)
        return Attempt(ranking, sample.recall(ranking.squared) if targets is rows else np.nan, probes)

    ranking, recall, _ = search_until_recalled(search, lists.needed_probes(sample, goal), lists.n_lists, goal)
    return Neighbors(ranking.indices, ranking.squared, recall, order)
