"""Items in the order of their distance, block by block of queries, with ties in random order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from mrsne.compilation import share, threads
from mrsne.matrices import PARTS

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
    rows = max(1, BLOCK // max(width, 1))
    bounds = np.linspace(0, count, PARTS + 1).astype(int).tolist()
    found: list[NDArray[np.float64] | None] = [None] * PARTS

    def do(part: int) -> None:
        total: NDArray[np.float64] | None = None
        for start in range(bounds[part], bounds[part + 1], rows):
            block = work(slice(start, min(start + rows, bounds[part + 1])))
            total = block.astype(np.float64) if total is None else total + block
        found[part] = total

    with threads(n_jobs):
        share(PARTS, do)
    return np.asarray(np.sum([part for part in found if part is not None], axis=0))


def squared_distances(A: NDArray[np.float64], B: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Σ (a − b)², from the differences themselves, so that equal positions are at exactly equal distances."""
    return np.asarray(cdist(A, B, "sqeuclidean"))


class Order:
    """Candidates by distance, for a block of queries; candidates at equal distances form groups.

    Parameters
    ----------
    distances : array of shape (queries, candidates)
        Infinite for those that are no candidates.
    places : int, optional
        How many places of the order will be asked for; all by default.

    Attributes
    ----------
    items : array of shape (queries, at least places)
        The candidate at each place.
    first, size : arrays of the same shape
        Where the group of each place begins, and how many are in it. Groups that reach into ``places`` are whole.

    Examples
    --------
    >>> order = Order(np.array([[2.0, 1.0, 2.0, 3.0]]))
    >>> order.first, order.size
    (array([[0, 1, 1, 3]]), array([[1, 2, 2, 1]]))
    """

    def __init__(self, distances: NDArray[np.float64], places: int | None = None) -> None:
        kept = None
        if places is not None and places < distances.shape[1] // 2:
            last = np.partition(distances, places - 1, axis=1)[:, places - 1]
            width = int((distances <= last[:, None]).sum(axis=1).max())
            kept = np.argpartition(distances, width - 1, axis=1)[:, :width]
            distances = np.take_along_axis(distances, kept, axis=1)
        order = np.argsort(distances, axis=1)
        ordered = np.take_along_axis(distances, order, axis=1)
        self.items = order if kept is None else np.take_along_axis(kept, order, axis=1)
        queries, candidates = ordered.shape
        begins = np.ones((queries, candidates + 1), dtype=bool)
        begins[:, 1:-1] = ordered[:, 1:] != ordered[:, :-1]
        place = np.arange(candidates)
        self.first = np.maximum.accumulate(np.where(begins[:, :-1], place, 0), axis=1)
        after = np.where(begins[:, 1:], place + 1, candidates)
        self.size = np.minimum.accumulate(after[:, ::-1], axis=1)[:, ::-1] - self.first

    def sum_of_group(self, values: NDArray[np.float64] | NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return, for every place, the sum over its group of ``values``, which are by candidate."""
        ordered = np.take_along_axis(values, self.items, axis=1)
        before = np.zeros((ordered.shape[0], ordered.shape[1] + 1))
        np.cumsum(ordered, axis=1, out=before[:, 1:])
        found: NDArray[np.float64] = np.take_along_axis(before, self.first + self.size, axis=1)
        found -= np.take_along_axis(before, self.first, axis=1)
        return found
