"""Distances on the map and by vector, block by block of queries, and the order of items by distance."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from mrsne.arrays import Array, Bool, Float64, Int64
from mrsne.backends.distances import PRECOMPUTED, known_distances
from mrsne.data.relational import RelationalData
from mrsne.matrices import PARTS
from mrsne.threads import share, threads

BLOCK = 1_000_000  # distances that a thread holds at a time
WIDE = 32  # dimensions from which products of matrices are several times as fast as differences
ROUNDING = 1e-13  # of the lengths of two vectors: where their distance is no more, they count as equal
Distances: TypeAlias = Callable[[Int64], Array]  # query items -> their distances to all


def sum_over_queries(count: int, width: int, work: Callable[[slice], Float64]) -> Float64:
    """Return the sum of what ``work`` gives for blocks of queries, in an order that no number of threads changes."""
    bounds = np.linspace(0, count, PARTS + 1).astype(int).tolist()
    totals: list[Any] = [None] * PARTS

    def add_up(part: int) -> None:
        for rows in _blocks(bounds[part], bounds[part + 1], width):
            block = work(rows)
            totals[part] = block.astype(np.float64) if totals[part] is None else totals[part] + block

    with threads(None):
        share(PARTS, add_up)
    return np.asarray(np.sum([total for total in totals if total is not None], axis=0))


def for_each_query(count: int, width: int, work: Callable[[slice], Float64]) -> Float64:
    """Return what ``work`` gives for each query, which it gets in blocks with at most ``BLOCK`` distances."""
    blocks = _blocks(0, count, width)
    results: list[Float64] = [np.empty(0)] * len(blocks)

    def work_on(block: int) -> None:
        results[block] = work(blocks[block])

    with threads(None):
        share(len(blocks), work_on)
    return np.concatenate(results) if results else np.empty(0)


def _blocks(start: int, stop: int, width: int) -> list[slice]:
    size = max(1, BLOCK // max(width, 1))
    return [slice(first, min(first + size, stop)) for first in range(start, stop, size)]


def squared_distances(A: Float64, B: Float64) -> Float64:
    """Return Σ (a − b)², from the differences themselves, so that equal positions are at exactly equal distances."""
    return np.asarray(cdist(A, B, "sqeuclidean"))


def exclude_self(values: Array, items: Int64, fill: float) -> None:
    """Overwrite each query's own entry: row i of ``values`` belongs to ``items[i]``, and a column to each item."""
    values[np.arange(len(items)), items] = fill


def _unit_rows(X: Any) -> Any:
    """Return vectors of length 1; those of length 0 stay."""
    if not sparse.issparse(X):
        lengths = np.sqrt(np.einsum("ij,ij->i", X, X))
        return X / np.where(lengths > 0, lengths, 1)[:, None]
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    lengths = np.sqrt(np.bincount(rows, X.data**2, X.shape[0]))
    return sparse.csr_matrix((X.data / np.where(lengths > 0, lengths, 1)[rows], X.indices, X.indptr), X.shape)


def knows_all_distances(data: RelationalData, domain: str, metric: str) -> bool:
    """Return whether the distances of all pairs are known, and not only those to some neighbours."""
    return metric != PRECOMPUTED or not sparse.issparse(data.vectors[domain])


def distances_of(data: RelationalData, domain: str, metric: str, quick: bool = False) -> tuple[Distances, Int64]:
    """Return a function that gives distances from items with a vector to all of these, and where they are."""
    present = np.flatnonzero(~data.missing[domain])
    if metric == PRECOMPUTED:
        matrix = known_distances(data, domain).matrix
        return lambda items: np.array(matrix[items], np.float64), present
    X: Any = data.vectors[domain]
    X = (X if len(present) == X.shape[0] else X[present]).astype(np.float64)  # a copy
    X = _unit_rows(X) if metric == "cosine" else X
    return (quick_distances if quick else exact_distances)(X), present


def exact_distances(X: Any) -> Distances:
    """Return a function that gives squared distances to all rows; dense rows that are equal are exactly as far."""
    if not sparse.issparse(X):
        return lambda items: squared_distances(X[items], X)
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return lambda items: np.asarray(squares[items, None] + squares[None, :] - 2 * (X[items] @ X.T).toarray())


def quick_distances(X: Any) -> Distances:
    """Return the same but for a factor, single precision and ties where vectors are wide; X is overwritten."""
    if sparse.issparse(X) or X.shape[1] <= WIDE:
        return exact_distances(X)
    X /= max(float(X.max()), -float(X.min()), 1e-300)  # squares neither overflow nor vanish
    X -= X.mean(axis=0)
    squares = np.einsum("ij,ij->i", X, X)

    def distances(items: Int64) -> Array:
        lengths = squares + squares[items, None]
        squared = lengths - 2 * (X[items] @ X.T)
        squared[squared < ROUNDING * lengths] = 0
        return np.asarray(squared, dtype=np.float32)

    return distances


class Order:
    """Candidates by distance, for a block of queries; candidates at equal distances form groups.

    ``items`` is the candidate at each place, ``first`` and ``size`` are where its group begins, and its size. If only
    the first ``places`` are asked for, the groups that reach into these are complete. What is no candidate is at
    infinity.
    """

    def __init__(self, distances: Float64, places: int | None = None) -> None:
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

    def sum_of_group(self, values: Float64 | Bool) -> Float64:
        """Return, for every place, the sum of ``values``, one for each candidate, over the group of that place."""
        by_place = np.take_along_axis(values, self.items, axis=1)
        cumulative = np.zeros((by_place.shape[0], by_place.shape[1] + 1))
        np.cumsum(by_place, axis=1, out=cumulative[:, 1:])
        sums: Float64 = np.take_along_axis(cumulative, self.first + self.size, axis=1)
        sums -= np.take_along_axis(cumulative, self.first, axis=1)
        return sums
