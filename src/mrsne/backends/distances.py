"""Distances in place of vectors: between all items of a domain, or in a sparse matrix those to known neighbours."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Float64, Int64
from mrsne.backends.rows import power_of_two
from mrsne.data.vectors import DataError

PRECOMPUTED = "precomputed"
PAIRS_AT_A_TIME = 2**22  # whose distances are in memory, 8 bytes each
SAME_WITHIN = 1e-5  # of the largest distance: the rounding of single precision, by which two ways may differ
ZERO_WITHIN = 1e-2  # of the largest: distances from products of vectors leave that much on the diagonal


@dataclass(frozen=True)
class KnownDistances:
    """Distances of some items, a row for each, to others; what a sparse matrix does not hold is not known."""

    matrix: Any
    own: bool = True  # whether the others are the same items, of which none is its own neighbour

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def dense(self) -> Float64:
        """Return all distances, infinite where they are not known."""
        if not sparse.issparse(self.matrix):
            return np.array(self.matrix, dtype=np.float64)
        found = np.full(self.matrix.shape, np.inf)
        found[np.repeat(np.arange(len(self)), np.diff(self.matrix.indptr)), self.matrix.indices] = self.matrix.data
        return found

    def nearest(self, k: int) -> sparse.csr_matrix:
        """Return the squared distances to the k nearest others, or to all that are known, the nearest first.

        Of others at the same distance those come first that follow the item, so that no few become neighbours of all.
        They are scaled by a power of two.
        """
        values = self.matrix.data if sparse.issparse(self.matrix) else self.matrix
        scale = power_of_two(float(values.max(initial=0)))
        n, m = self.matrix.shape
        height = max(1, n if sparse.issparse(self.matrix) else PAIRS_AT_A_TIME // m)
        parts = [self._nearest(np.arange(start, min(start + height, n)), k, scale) for start in range(0, n, height)]
        columns, squared, counts = (np.concatenate(several) for several in zip(*parts, strict=True))
        return sparse.csr_matrix((squared, columns, np.concatenate([[0], np.cumsum(counts)])), shape=(n, m))

    def _nearest(self, which: Int64, k: int, scale: float) -> tuple[Int64, Float64, Int64]:
        rows, columns, distances = self._candidates(which, k)
        m = self.matrix.shape[1]
        order = np.lexsort(((columns - which[rows]) % m, distances, rows))
        counts = np.bincount(rows, minlength=len(which))
        rank = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        kept = order[rank < k]
        return columns[kept], (distances[kept].astype(np.float64) * scale) ** 2, np.minimum(counts, k)

    def _candidates(self, which: Int64, k: int) -> tuple[Int64, Int64, Any]:
        """Return rows, columns and distances of known others, for each of some rows at least the k nearest."""
        if sparse.issparse(self.matrix):
            rows, columns = np.repeat(which, np.diff(self.matrix.indptr)), self.matrix.indices.astype(np.int64)
            kept = (rows != columns) | (not self.own)
            return rows[kept], columns[kept], self.matrix.data[kept]
        block = KnownDistances(self.matrix[which]).dense()
        if self.own:
            block[np.arange(len(which)), which] = np.inf
        last = np.partition(block, k - 1, axis=1)[:, k - 1 : k] if k < block.shape[1] else np.inf
        rows, columns = np.nonzero((block <= last) & np.isfinite(block))
        return rows, columns, block[rows, columns]


@dataclass(frozen=True)
class KnownNeighbors(KnownDistances):
    """Squared distances to neighbours that have been searched for already."""

    def nearest(self, k: int) -> sparse.csr_matrix:
        return self.matrix


def known_distances(data: Any, domain: str) -> KnownDistances:
    """Return the distances that a domain has in place of vectors, between its items that have any."""
    matrix, present = data.vectors[domain], np.flatnonzero(~data.missing[domain])
    if sparse.issparse(matrix) and not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return KnownDistances(matrix if len(present) == matrix.shape[1] else matrix[present][:, present])


def check_distances(data: Any, domain: str) -> None:
    """Raise unless what a domain has in place of vectors are distances between its items."""
    shape, n = data.vectors[domain].shape, data.sizes[domain]
    whose = f"metric='precomputed' takes the distances between all items of {domain!r}"
    if shape[1] != n:
        raise DataError(f"{whose}, a matrix of shape ({n}, {n}), got shape {shape}")
    matrix = known_distances(data, domain).matrix
    check_not_negative(matrix, domain)
    if sparse.issparse(matrix):
        unknown = known_counts(matrix) == 0
        if unknown.any():
            raise DataError(
                f"{whose} or to known neighbours, but {int(unknown.sum())} of {len(unknown)} items have none, first "
                f"item {int(unknown.argmax())}; mark them in missing="
            )
        return
    largest = float(matrix.max(initial=0))
    diagonal = np.abs(matrix.diagonal())
    if diagonal.max() > ZERO_WITHIN * largest:
        raise DataError(
            f"{whose}, but item {int(diagonal.argmax())} is at distance {diagonal.max():.3g} from itself; "
            "are these similarities? Distances are small where items are alike"
        )
    for start in range(0, len(matrix), height := max(1, PAIRS_AT_A_TIME // len(matrix))):
        apart = np.abs(matrix[start : start + height].astype(np.float64) - matrix[:, start : start + height].T)
        if apart.max() > SAME_WITHIN * largest:
            i, j = (int(place) for place in np.unravel_index(apart.argmax(), apart.shape))
            there, back = matrix[start + i, j], matrix[j, start + i]
            raise DataError(
                f"{whose}, which are the same both ways, but that from {start + i} to {j} is {there:.6g} and back "
                f"{back:.6g}; (D + D.T) / 2 is the mean of both"
            )


def check_not_negative(matrix: Any, domain: str) -> None:
    values = matrix.data if sparse.issparse(matrix) else matrix
    if values.size and values.min() < 0:
        raise DataError(
            f"Negative values in data: metric='precomputed' takes distances of 0 or more, got "
            f"{float(values.min()):.3g} for {domain!r}"
        )


def known_counts(matrix: sparse.csr_matrix) -> Int64:
    """Return how many others each item has a known distance to."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return np.bincount(rows[rows != matrix.indices], minlength=matrix.shape[0])
