"""Items in the order of their distance, block by block of queries, with ties in random order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from mrsne.matrices import PARTS
from mrsne.threads import share, threads

BLOCK = 1_000_000  # distances that a thread holds at a time


def sum_over_queries(
    count: int, width: int, work: Callable[[slice], NDArray[np.float64]], n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Return the sum of what ``work`` gives for blocks of queries, each block with at most ``BLOCK`` distances.

    The order of the sum does not depend on the number of threads.

    Examples
    --------
    >>> sum_over_queries(5, 300_000, lambda block: np.array([block.stop - block.start]))
    array([5.])
    """
    block_size = max(1, BLOCK // max(width, 1))
    bounds = np.linspace(0, count, PARTS + 1).astype(int).tolist()
    totals: list[NDArray[np.float64] | None] = [None] * PARTS

    def add_up(part: int) -> None:
        total: NDArray[np.float64] | None = None
        for start in range(bounds[part], bounds[part + 1], block_size):
            block = work(slice(start, min(start + block_size, bounds[part + 1])))
            total = block.astype(np.float64) if total is None else total + block
        totals[part] = total

    with threads(n_jobs):
        share(PARTS, add_up)
    return np.asarray(np.sum([total for total in totals if total is not None], axis=0))


def for_each_query(
    count: int, width: int, work: Callable[[slice], NDArray[np.float64]], n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Return what ``work`` gives for each query, which it gets in blocks with at most ``BLOCK`` distances.

    Examples
    --------
    >>> for_each_query(3, 300_000, lambda block: np.arange(block.start, block.stop) * 2.0)
    array([0., 2., 4.])
    """
    block_size = max(1, BLOCK // max(width, 1))
    blocks = [slice(start, min(start + block_size, count)) for start in range(0, count, block_size)]
    results: list[NDArray[np.float64]] = [np.empty(0)] * len(blocks)

    def work_on(block: int) -> None:
        results[block] = work(blocks[block])

    with threads(n_jobs):
        share(len(blocks), work_on)
    return np.concatenate(results) if results else np.empty(0)


def squared_distances(A: NDArray[np.float64], B: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Σ (a − b)², from the differences themselves, so that equal positions are at exactly equal distances."""
    return np.asarray(cdist(A, B, "sqeuclidean"))


def exclude_self(values: NDArray[Any], items: NDArray[np.int64], fill: float) -> None:
    """Overwrite each query's own entry: row i of ``values`` belongs to ``items[i]``, and a column to each item.

    Examples
    --------
    >>> distances = np.zeros((2, 3))
    >>> exclude_self(distances, np.array([2, 0]), np.inf)
    >>> distances
    array([[ 0.,  0., inf],
           [inf,  0.,  0.]])
    """
    values[np.arange(len(items)), items] = fill


class Order:
    """Candidates by distance, for a block of queries; candidates at equal distances form groups.

    Parameters
    ----------
    distances : array of shape (queries, candidates)
        Infinite for items that are no candidates.
    places : int, optional
        How many places of the order are needed; all by default.

    Attributes
    ----------
    items : array of shape (queries, at least places)
        The candidate at each place.
    first, size : arrays of the same shape
        Where the group of each place begins, and its size. Groups that reach into the first ``places`` are complete.

    Examples
    --------
    >>> order = Order(np.array([[2.0, 1.0, 2.0, 3.0]]))
    >>> order.first, order.size
    (array([[0, 1, 1, 3]]), array([[1, 2, 2, 1]]))
    """

    def __init__(self, distances: NDArray[np.float64], places: int | None = None) -> None:
        nearest = None
        if places is not None and places < distances.shape[1] // 2:
            last = np.partition(distances, places - 1, axis=1)[:, places - 1]
            width = int((distances <= last[:, None]).sum(axis=1).max())
            nearest = np.argpartition(distances, width - 1, axis=1)[:, :width]
            distances = np.take_along_axis(distances, nearest, axis=1)
        order = np.argsort(distances, axis=1)
        ascending = np.take_along_axis(distances, order, axis=1)
        self.items = order if nearest is None else np.take_along_axis(nearest, order, axis=1)
        queries, candidates = ascending.shape
        starts_group = np.ones((queries, candidates + 1), dtype=bool)
        starts_group[:, 1:-1] = ascending[:, 1:] != ascending[:, :-1]
        place = np.arange(candidates)
        self.first = np.maximum.accumulate(np.where(starts_group[:, :-1], place, 0), axis=1)
        end = np.where(starts_group[:, 1:], place + 1, candidates)
        self.size = np.minimum.accumulate(end[:, ::-1], axis=1)[:, ::-1] - self.first

    def sum_of_group(self, values: NDArray[np.float64] | NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return, for every place, the sum of ``values``, one for each candidate, over the group of that place."""
        by_place = np.take_along_axis(values, self.items, axis=1)
        cumulative = np.zeros((by_place.shape[0], by_place.shape[1] + 1))
        np.cumsum(by_place, axis=1, out=cumulative[:, 1:])
        sums: NDArray[np.float64] = np.take_along_axis(cumulative, self.first + self.size, axis=1)
        sums -= np.take_along_axis(cumulative, self.first, axis=1)
        return sums
