"""The k nearest neighbours of every vector, with squared distances in double precision.

Candidates come from faiss in single precision, a few more than asked for; their distances are then computed again from
the differences of the vectors, so that neither rounding nor duplicates disturb what follows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.affinity.duplicates import distinct_places, expand
from mrsne.compilation import Array, kernel, threads
from mrsne.parameters import check_option

SEARCH_EXACTLY_UP_TO = 20_000  # items; beyond, an inverted file is faster and finds 99 % of the same neighbours
SPARE = 8  # candidates beyond k, against ties and rounding at the edge
SAMPLE = 1_000  # vectors that tell middle and spread
FARTHEST = 1e6  # coordinate of a vector in the search, in units of the spread
PROBES = 16  # lists of the inverted file that are searched
METRICS = ("euclidean", "cosine")


def prepare(vectors: Any, metric: str) -> NDArray[np.floating[Any]]:
    """Return dense vectors whose Euclidean distance is the wanted one.

    For "cosine" they are scaled to length 1, so that the squared distance is 2 − 2 cos; a zero vector stays as it is.

    Examples
    --------
    >>> prepare(np.array([[3.0, 4.0], [0.0, 0.0]]), "cosine")
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    check_option("metric", metric, METRICS)
    dense = vectors.toarray() if sparse.issparse(vectors) else np.asarray(vectors)
    if dense.dtype not in (np.float32, np.float64):
        dense = dense.astype(np.float32)
    largest = float(np.abs(dense).max(initial=0))
    if largest > 0 and not 1e-15 < largest < 1e15:
        # bandwidths adapt to any scale, but squares overflow or vanish; a power of two leaves all digits as they are
        dense = np.ldexp(dense, -int(np.frexp(largest)[1]))
    if metric == "cosine":
        length = np.linalg.norm(dense.astype(np.float64), axis=1, keepdims=True)
        dense = (dense / np.where(length > 0, length, 1)).astype(dense.dtype)
    return np.ascontiguousarray(dense)


def nearest_neighbors(
    X: NDArray[np.floating[Any]], k: int, *, exactly: bool | None = None, n_jobs: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the positions of the k nearest other rows for every row of X, and their squared distances.

    Among rows at the same place the choice is spread over all of them, so that no few of a thousand duplicates become
    everybody's neighbours.

    Parameters
    ----------
    X : array of shape (n, d)
    k : int
        At most n − 1.
    exactly : bool, optional
        Whether to compare with every row; by default only where X is small.
    n_jobs : int, optional

    Returns
    -------
    indices, squared : arrays of shape (n, k)
        Sorted by distance; never the row itself.

    Examples
    --------
    >>> nearest_neighbors(np.array([[0.0], [1.0], [3.0]]), 1)
    (array([[1],
           [0],
           [1]]), array([[1.],
           [1.],
           [4.]]))
    """
    places = distinct_places(X)
    at = X if len(places.first) == len(X) else X[places.first]
    wanted = min(k, len(at) - 1)
    if wanted == 0:
        indices, squared = np.empty((1, 0), np.int64), np.empty((1, 0))
    else:
        indices, squared = _search(at, at, wanted, True, exactly, n_jobs)
    if len(at) == len(X):
        return indices, squared
    with threads(n_jobs):
        return expand(places, indices, squared, k)


def nearest_to(
    queries: NDArray[np.floating[Any]],
    X: NDArray[np.floating[Any]],
    k: int,
    *,
    exactly: bool | None = None,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the positions of the k nearest rows of X, and their squared distances, for every query.

    Examples
    --------
    >>> nearest_to(np.array([[2.5]]), np.array([[0.0], [1.0], [3.0]]), 2)
    (array([[2, 1]]), array([[0.25, 2.25]]))
    """
    return _search(X, queries, k, False, exactly, n_jobs)


def _search(
    X: NDArray[Any], targets: NDArray[Any], k: int, own: bool, exactly: bool | None, n_jobs: int | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    wanted = min(k + SPARE + own, len(X))
    if exactly is None:
        exactly = len(X) <= SEARCH_EXACTLY_UP_TO
    with threads(n_jobs) as workers:
        candidates = _candidates(X, targets, wanted, exactly, workers)
        indices = np.empty((len(targets), k), np.int64)
        squared = np.empty((len(targets), k))
        _rank.over(len(targets), X, targets, candidates, own, indices, squared)
    return indices, squared


def _candidates(X: NDArray[Any], targets: NDArray[Any], wanted: int, exactly: bool, workers: int) -> NDArray[np.int64]:
    """Return the positions that faiss finds; rows that an inverted file leaves short are searched exactly."""
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(workers)
    try:
        base = _standardised(X, X)
        asked = base if targets is X else _standardised(targets, X)
        flat = faiss.IndexFlatL2(base.shape[1])
        if exactly:
            flat.add(base)
            return np.asarray(flat.search(asked, wanted)[1])
        lists = int(np.sqrt(len(base)))
        index = faiss.IndexIVFFlat(flat, base.shape[1], lists)
        index.cp.seed = 0
        index.train(base[:: max(1, len(base) // (64 * lists))])
        index.add(base)
        index.nprobe = min(PROBES, lists)
        found = np.asarray(index.search(asked, wanted)[1])
        short = (found < 0).any(axis=1)
        if short.any():
            index.nprobe = lists
            found[short] = index.search(asked[short], wanted)[1]
        return found
    finally:
        faiss.omp_set_num_threads(before)


def _standardised(vectors: NDArray[Any], X: NDArray[Any]) -> NDArray[np.float32]:
    """Return single-precision vectors around the middle of X, in units of its spread.

    Distances from products of vectors lose digits with the distance from the origin, and single precision overflows
    where double does not: a stray value of 1e20 must not disturb the search for everybody else.
    """
    sample = X[:: max(1, len(X) // SAMPLE)].astype(np.float64)
    middle = np.median(sample, axis=0)
    deviations = np.abs(sample - middle)
    spread = float(np.median(deviations[deviations > 0])) if deviations.any() else 1.0
    return np.ascontiguousarray(np.clip((vectors - middle) / spread, -FARTHEST, FARTHEST), dtype=np.float32)


@kernel
def _rank(
    start: int, stop: int, X: Array, targets: Array, candidates: Array, own: bool, indices: Array, squared: Array
) -> None:
    """Keep the k best candidates by their exact distance; equal distances are ordered by position."""
    k = indices.shape[1]
    for i in range(start, stop):
        filled = 0
        for everything in range(2):
            if everything and filled == k:
                break
            if everything:  # the search came back with too little: compare with all
                filled = 0
            for c in range(X.shape[0] if everything else candidates.shape[1]):
                j = c if everything else candidates[i, c]
                if j < 0 or (own and j == i):
                    continue
                row, other = targets[i], X[j]
                distance = 0.0
                for d in range(row.shape[0]):
                    difference = np.float64(row[d]) - np.float64(other[d])
                    distance += difference * difference
                place = filled if filled < k else k - 1
                if filled == k and (distance, j) >= (squared[i, k - 1], indices[i, k - 1]):
                    continue
                while place > 0 and (distance, j) < (squared[i, place - 1], indices[i, place - 1]):
                    squared[i, place] = squared[i, place - 1]
                    indices[i, place] = indices[i, place - 1]
                    place -= 1
                squared[i, place] = distance
                indices[i, place] = j
                filled = min(filled + 1, k)


@kernel
def squared_distances_to_others(start: int, stop: int, X: Array, squared: Array) -> None:
    """Fill row i of ``squared`` with the squared distances of row i of X to all other rows, in their order."""
    for i in range(start, stop):
        row = X[i]
        for j in range(X.shape[0]):
            if j != i:
                other = X[j]
                distance = 0.0
                for d in range(row.shape[0]):
                    difference = np.float64(row[d]) - np.float64(other[d])
                    distance += difference * difference
                squared[i, j if j < i else j - 1] = distance
