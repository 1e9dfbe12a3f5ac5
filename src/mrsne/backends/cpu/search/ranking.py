"""Neighbours by their true distance, and a second look where single precision cannot tell them apart.

The products that find candidates have an error that grows with the square of a vector's length. In a group much
narrower than its distance from the middle of all vectors the error is larger than the distances themselves, and
candidates come out at random. Whether that may be so shows in what was found; such queries are compared again, with
every point that may be nearer than what they have, by differences in double precision.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from mrsne.arrays import Bool, Float32, Float64, Floating, Int32, Int64
from mrsne.backends.cpu.search.shortlist import LARGEST, Shortlist
from mrsne.backends.rows import Dense, Rows, Sparse, number
from mrsne.loops import Kernel, kernel

MOST_ROUNDINGS = 33  # that a value is off by at most, in units of the squared length; measured up to d = 10,000
FARTHEST = {"f4": 1e6, "f8": 1e100}  # coordinates in the search, in units of the spread; larger ones are clipped
TOLERATED = 0.01  # share by which a neighbour that was missed may be nearer than the last that was found
BLOCK = 2**20  # pairs whose distances are in memory at a time


class Ranking:
    """The k nearest rows of every target, so far; ``selves`` are the rows that targets are themselves, or −1.

    Their squared ``lengths`` are those of the search, which multiplies in ``dtype`` and in ``unit``.
    """

    def __init__(
        self, rows: Rows, targets: Rows, k: int, selves: Int64, lengths: Floating, unit: float, dtype: Any = np.float32
    ) -> None:
        self.rows, self.targets, self.selves, self.unit = rows, targets, selves, unit
        self.indices = np.empty((len(targets), k), np.int32)
        self.squared = np.empty((len(targets), k))
        self.lengths = lengths
        self.dtype = np.dtype(dtype)
        self._doubtful = np.zeros(len(targets), bool)

    def keep(self, which: Int64, candidates: Int32) -> None:
        """Keep the nearest candidates of some targets, and note whether there may be nearer rows."""
        if candidates.min() < 0:  # kernels do not look whether an index is one
            raise RuntimeError("the search for neighbours came back with too few; please report this")
        distances = distances_to(self.rows, self.targets, which, candidates)
        keep_nearest.over(len(which), which, candidates, distances, self.selves, self.indices, self.squared)
        if candidates.shape[1] < len(self.rows):
            noise = self.noise(which) * self.unit**2
            doubtful = in_doubt(distances.max(axis=1), self.squared[which, -1], noise)
            far = self.lengths[which] > (FARTHEST[self.dtype.str[1:]] / 2) ** 2
            self._doubtful[which] = doubtful | far

    def noise(self, which: Int64) -> Float64:
        """Return the largest error of a squared distance in the search."""
        return roundings(self.rows.shape[1], self.dtype) * self.lengths[which].astype(np.float64)

    def doubtful(self) -> Int64:
        """Return the targets that may have nearer rows than those that were found."""
        return np.flatnonzero(self._doubtful)


def roundings(dimensions: int, dtype: Any = np.float32) -> float:
    """Return the largest error of a squared distance from products, as a share of the squared length of the vectors."""
    return float(np.finfo(dtype).eps / 2 * min(MOST_ROUNDINGS, 5 + 2 * dimensions**0.5))


def in_doubt(farthest: Float64, last: Float64, noise: Float64) -> Bool:
    """Return whether a row that seemed farther than the farthest candidate may be nearer than the last neighbour."""
    return np.asarray((farthest - 2 * noise < (1 - TOLERATED) * last) & (last > 0))


class SecondLook:
    """Some targets that are compared again; takes products as a ``Shortlist`` does."""

    def __init__(self, ranking: Ranking, which: Int64, order: Int64 | None = None) -> None:
        self.ranking, self.which, self.order = ranking, which, order
        self.indices, self.squared = ranking.indices[which].astype(np.int64), ranking.squared[which]
        self._above = ranking.noise(which)
        if ranking.dtype == np.float32:  # what is offered lacks the length of the query
            self._above -= ranking.lengths[which]

    def add(self, products: Float32, squares: Float32, first: int, queries: Int64) -> None:
        """Compare with every point that may be nearer than the last neighbour."""
        bounds = self.squared[queries, -1] / self.ranking.unit**2 + self._above[queries]
        bounds = np.minimum(bounds, LARGEST).astype(np.float32)
        near = np.nonzero(squares - 2 * products < bounds[:, None])
        asked, found = queries[near[0]], first + near[1]
        found = found if self.order is None else self.order[found]
        other = found != self.ranking.selves[self.which[asked]]
        asked, found = asked[other], found[other]
        rows, targets = self.ranking.rows, self.ranking.targets
        squared = distances_to(rows, targets, self.which[asked], found.astype(np.int32)[:, None])[:, 0]
        nearer = squared <= self.squared[asked, -1]
        if nearer.any():
            self._merge(asked[nearer], found[nearer], squared[nearer])

    def tighten(self) -> None:
        """Do nothing: bounds are as tight as they can be."""

    def finish(self) -> None:
        self.ranking.indices[self.which], self.ranking.squared[self.which] = self.indices, self.squared

    def _merge(self, asked: Int64, found: Int64, squared: Float64) -> None:
        """Keep the nearest of old and new neighbours, equal distances by position."""
        k = self.indices.shape[1]
        changed, rank = np.unique(asked, return_inverse=True)
        query = np.concatenate([np.repeat(np.arange(len(changed)), k), rank])
        index = np.concatenate([self.indices[changed].ravel(), found])
        distance = np.concatenate([self.squared[changed].ravel(), squared])
        order = np.lexsort((index, distance, query))
        query, index, distance = query[order], index[order], distance[order]
        # what was found twice is at the same distance, one after the other
        twice = (query[1:] == query[:-1]) & (index[1:] == index[:-1]) & (index[1:] >= 0)
        kept = np.flatnonzero(np.concatenate([[True], ~twice]))
        query, index, distance = query[kept], index[kept], distance[kept]
        starts = np.searchsorted(query, np.arange(len(changed)))
        self.indices[changed] = index[starts[:, None] + np.arange(k)]
        self.squared[changed] = distance[starts[:, None] + np.arange(k)]


Selection = Shortlist | SecondLook  # what takes the nearest points from products of queries with points


def distances_to(rows: Rows, targets: Rows, which: Int64, candidates: Int32) -> Float64:
    squared = np.empty(candidates.shape)
    if isinstance(rows, Sparse) and isinstance(targets, Sparse):
        X, T = rows.matrix, targets.matrix
        both = (X.indptr, X.indices, X.data, T.indptr, T.indices, T.data)
        sparse_distances(rows.kind, targets.kind).over(len(which), *both, which, candidates, squared)
    elif isinstance(rows, Dense) and isinstance(targets, Dense):
        fill = dense_distances(rows.kind, targets.kind)
        fill.over(len(which), rows.values, rows.factor, targets.values, targets.factor, which, candidates, squared)
    else:
        raise TypeError("rows and targets must both be dense or both sparse")
    return squared


def distances_to_others(rows: Rows, chosen: Int64) -> Float64:
    """Return the squared distances of the chosen rows to all others, in their order."""
    n = len(rows)
    squared = np.empty((len(chosen), n - 1))
    height = max(1, BLOCK // n)
    for start in range(0, len(chosen), height):
        which = chosen[start : start + height]
        others = np.arange(n - 1, dtype=np.int32) + (np.arange(n - 1) >= which[:, None])
        squared[start : start + height] = distances_to(rows, rows, which, others.astype(np.int32))
    return squared


@lru_cache
def dense_distances(kind: str, target_kind: str) -> Kernel:
    return kernel(f"{kind}[:,:] f8[:] {target_kind}[:,:] f8[:] i8[:] i4[:,:] f8[:,:]!")(_dense_distances)


def _dense_distances(start, stop, X, factor, T, target_factor, which, candidates, squared):
    for r in range(start, stop):
        row, a = T[which[r]], target_factor[which[r]]
        for c in range(candidates.shape[1]):
            other, b = X[candidates[r, c]], factor[candidates[r, c]]
            total = 0.0
            if a == b:  # so that equal rows are at distance zero, whatever their factor
                for d in range(row.shape[0]):
                    difference = (number(row[d]) - number(other[d])) * a
                    total += difference * difference
            else:
                for d in range(row.shape[0]):
                    difference = number(row[d]) * a - number(other[d]) * b
                    total += difference * difference
            squared[r, c] = total


@lru_cache
def sparse_distances(kind: str, target_kind: str) -> Kernel:
    types = f"i8[:] i4[:] {kind}[:] i8[:] i4[:] {target_kind}[:] i8[:] i4[:,:] f8[:,:]!"
    return kernel(types)(_sparse_distances)


def _sparse_distances(
    start, stop, indptr, columns, data, target_indptr, target_columns, target_data, which, candidates, squared
):
    for r in range(start, stop):
        for c in range(candidates.shape[1]):
            p, end = target_indptr[which[r]], target_indptr[which[r] + 1]
            q, other_end = indptr[candidates[r, c]], indptr[candidates[r, c] + 1]
            total = 0.0
            while p < end or q < other_end:
                mine = q == other_end or (p < end and target_columns[p] <= columns[q])
                theirs = p == end or (q < other_end and columns[q] <= target_columns[p])
                difference = 0.0
                if mine:
                    difference += target_data[p]
                    p += 1
                if theirs:
                    difference -= data[q]
                    q += 1
                total += difference * difference
            squared[r, c] = total


@kernel("i8[:] i4[:,:] f8[:,:] i8[:] i4[:,:]! f8[:,:]!")
def keep_nearest(start, stop, which, candidates, distances, selves, indices, squared):
    """Keep the k nearest candidates of each target ``which[r]``, equal distances by position; never itself."""
    k = indices.shape[1]
    for r in range(start, stop):
        best, near, itself = indices[which[r]], squared[which[r]], selves[which[r]]
        filled = 0
        for c in range(candidates.shape[1]):
            j, distance = candidates[r, c], distances[r, c]
            if j == itself or (filled == k and (distance, j) >= (near[k - 1], best[k - 1])):
                continue
            place = filled if filled < k else k - 1
            while place > 0 and (distance, j) < (near[place - 1], best[place - 1]):
                near[place], best[place] = near[place - 1], best[place - 1]
                place -= 1
            near[place], best[place] = distance, j
            filled = min(filled + 1, k)
