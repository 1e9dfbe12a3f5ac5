"""The k nearest neighbours of every vector, with squared distances in double precision.

Candidates are found in single precision, a few more than asked for; their distances are then computed again from the
differences of the vectors, so that neither rounding nor duplicates disturb what follows.
"""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrsne.affinity.distances import distances_to, keep_nearest
from mrsne.affinity.duplicates import distinct_places, expand
from mrsne.affinity.exact import Emit, Standard, search_all, search_sparse, squares_of
from mrsne.affinity.inverted import InvertedLists
from mrsne.affinity.rows import Dense, Rows, Sparse, prepare
from mrsne.compilation import threads

SEARCH_EXACTLY_UP_TO = 10_000  # items; beyond, inverted lists are faster
FEW_QUERIES = 50  # times as many rows as queries: then making lists takes longer than comparing with all rows
SPARE = 8  # candidates beyond k, against ties and rounding at the edge
LOWEST_RECALL = 0.95  # below it, twice as many lists are searched

logger = logging.getLogger("mrsne")


class Neighbors(NamedTuple):
    """Neighbours of some rows, sorted by distance."""

    indices: NDArray[np.int32]  # (n, k)
    squared: NDArray[np.float64]  # (n, k)
    recall: float  # share of the true neighbours found, on a sample; 1 where all rows were compared, NaN for queries
    order: NDArray[np.int64]  # all rows; in a large domain so that near ones are close in it


def nearest_neighbors(X: Any, k: int, *, exactly: bool | None = None, n_jobs: int | None = None) -> Neighbors:
    """Return the k nearest other rows of every row of X.

    Among rows at the same place the choice is spread over all of them, so that no few of a thousand duplicates become
    everybody's neighbours.

    Parameters
    ----------
    X : Rows, or array or sparse matrix of shape (n, d)
    k : int
        At most n − 1.
    exactly : bool, optional
        Whether to compare with every row; by default only where X is small or sparse.
    n_jobs : int, optional

    Returns
    -------
    neighbors : Neighbors
        Never the row itself.

    Examples
    --------
    >>> found = nearest_neighbors(np.array([[0.0], [1.0], [3.0]]), 1)
    >>> found.indices.tolist(), found.squared.tolist()
    ([[1], [0], [1]], [[1.0], [1.0], [4.0]])
    """
    rows = X if isinstance(X, Dense | Sparse) else prepare(X, "euclidean")
    with threads(n_jobs) as workers:
        places = distinct_places(rows)
        at = rows if len(places.first) == len(rows) else rows.take(places.first)
        wanted = min(k, len(at) - 1)
        if wanted == 0:
            found = Neighbors(np.empty((1, 0), np.int32), np.empty((1, 0)), 1.0, np.zeros(1, np.int64))
        else:
            found = _search(at, at, wanted, exactly, workers)
        if len(at) == len(rows):
            return found
        return Neighbors(*expand(places, found.indices, found.squared, k), found.recall, np.arange(len(rows)))


def nearest_to(queries: Any, X: Any, k: int, *, exactly: bool | None = None, n_jobs: int | None = None) -> Neighbors:
    """Return the k nearest rows of X for every query.

    Examples
    --------
    >>> found = nearest_to(np.array([[2.5]]), np.array([[0.0], [1.0], [3.0]]), 2)
    >>> found.indices.tolist(), found.squared.tolist()
    ([[2, 1]], [[0.25, 2.25]])
    """
    rows = X if isinstance(X, Dense | Sparse) else prepare(X, "euclidean")
    targets = queries if isinstance(queries, Dense | Sparse) else prepare(queries, "euclidean")
    with threads(n_jobs) as workers:
        return _search(rows, targets, k, exactly, workers)


def _search(rows: Rows, targets: Rows, k: int, exactly: bool | None, workers: int) -> Neighbors:
    own = targets is rows
    wanted = min(k + SPARE + own, len(rows))
    indices = np.empty((len(targets), k), np.int32)
    squared = np.empty((len(targets), k))

    def rank(which: NDArray[np.int64], candidates: NDArray[np.int32]) -> None:
        if candidates.min() < 0:  # kernels do not look whether an index is one
            raise RuntimeError("the search for neighbours came back with too few; please report this")
        distances = distances_to(rows, targets, which, candidates)
        keep_nearest.over(len(which), which, candidates, distances, own, indices, squared)

    recall, order = 1.0, np.arange(len(targets))
    if isinstance(rows, Sparse):
        assert isinstance(targets, Sparse)
        search_sparse(rows, targets, wanted, rank)
    else:
        standard = Standard(rows)
        if exactly is None:
            exactly = len(rows) <= SEARCH_EXACTLY_UP_TO or len(targets) <= len(rows) // FEW_QUERIES
        if exactly:
            points = standard.whole(rows)
            search_all(points, squares_of(points), points if own else standard.whole(targets), wanted, rank)
        else:
            recall, order = _search_lists(rows, targets, standard, wanted, rank, workers)
    return Neighbors(indices, squared, recall, order)


def _search_lists(
    rows: Rows, targets: Rows, standard: Standard, wanted: int, rank: Emit, workers: int
) -> tuple[float, NDArray[np.int64]]:
    """Search inverted lists, as many as the wanted recall needs; return the recall, and the targets list by list."""
    lists = InvertedLists(rows, standard, workers)
    probes, sample = lists.needed_probes(wanted)
    found = np.full_like(sample.true, -1)
    if targets is rows:
        order, homes, queries = lists.order, lists.home, lists.points
    else:
        homes = lists.homes(targets, standard)
        order = np.argsort(homes, kind="stable")
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        homes, queries = homes[order], standard.whole(targets, places)

    def by_row(which: NDArray[np.int64], candidates: NDArray[np.int32]) -> None:
        if targets is rows:
            first, last = np.searchsorted(sample.which, [which[0], which[-1] + 1])
            found[first:last] = candidates[sample.which[first:last] - which[0]]
        rank(order[which], lists.order[candidates].astype(np.int32))

    while True:
        lists.search(queries, homes, wanted, probes, by_row)
        recall = sample.recall(found, lists.points) if targets is rows else np.nan
        logger.debug("%d of %d lists searched, recall %.3f", probes, lists.n_lists, recall)
        if not recall < LOWEST_RECALL or probes == lists.n_lists:
            return recall, order
        probes = min(2 * probes, lists.n_lists)
