"""Distances into a stochastic neighbour graph P^(d): each item gets the bandwidth that gives it the perplexity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.affinity.neighbors import nearest_neighbors, prepare, squared_distances_to_others
from mrsne.compilation import Array, kernel, threads

ALL_PAIRS_UP_TO = 1_000  # items whose neighbour graph "auto" keeps whole
MOST_PAIRS = 5_000  # items whose neighbour graph "exact" keeps whole: 25 million entries
NEIGHBORS = ("auto", "exact", "approximate")
ENTROPY_TOLERANCE = 1e-10  # nats
MOST_STEPS = 200


@kernel
def conditional_probabilities(
    start: int, stop: int, squared: Array, log_perplexity: float, probabilities: Array
) -> None:
    """Compute p_{j|i} ∝ exp(−‖x_i−x_j‖²/2s_i²), eq. (1), with s_i such that the entropy of row i is the wanted one.

    The search is by bisection on b = 1/2s², safe for any distances: entropy falls as b rises. Where more neighbours are
    at the smallest distance than the perplexity allows, the entropy cannot fall that far and the row ends as uniform
    over those. Distances are measured from the smallest in the row, so that no exponential underflows altogether.
    """
    k = squared.shape[1]
    for i in range(start, stop):
        nearest = squared[i, 0]
        farthest = nearest
        for j in range(k):
            nearest = min(nearest, squared[i, j])
            farthest = max(farthest, squared[i, j])
        scale = farthest - nearest
        if scale <= 0:
            for j in range(k):
                probabilities[i, j] = 1.0 / k
            continue
        low, high, b = 0.0, np.inf, 1.0
        for _ in range(MOST_STEPS):
            total, moment = 0.0, 0.0
            for j in range(k):
                distance = (squared[i, j] - nearest) / scale
                weight = math.exp(-b * distance)
                probabilities[i, j] = weight
                total += weight
                moment += weight * distance
            excess = math.log(total) + b * moment / total - log_perplexity
            if abs(excess) < ENTROPY_TOLERANCE:
                break
            if excess > 0:
                low = b
                b = b * 2 if high == np.inf else (b + high) / 2
            else:
                high = b
                b = (low + b) / 2
            if b > 1e30 or high - low <= 1e-15 * b:
                break
        for j in range(k):
            probabilities[i, j] /= total


def effective_perplexity(perplexity: float, n: int) -> float:
    """Return the perplexity to use for n items: at most a third of the others, so that 3·perplexity neighbours exist.

    Examples
    --------
    >>> effective_perplexity(30, 1000), effective_perplexity(30, 85)
    (30, 28.0)
    """
    return min(perplexity, (n - 1) / 3)


def neighbor_graph(
    vectors: Any, perplexity: float, metric: str = "euclidean", neighbors: str = "auto", n_jobs: int | None = None
) -> sparse.csr_matrix:
    """Compute the stochastic neighbour graph P^(d) = (p_{j|i} + p_{i|j}) / 2n of one set of vectors.

    Parameters
    ----------
    vectors : array or sparse matrix of shape (n, d)
        At least 2 rows.
    perplexity : float
        Used as it is; see :func:`effective_perplexity`.
    metric : {"euclidean", "cosine"}
    neighbors : {"auto", "exact", "approximate"}
        Which pairs to keep. "exact": all pairs up to 5,000 items, beyond that the exact 3·perplexity nearest
        neighbours; "approximate": 3·perplexity neighbours, searched approximately in large domains; "auto": all pairs
        up to 1,000 items, then as "approximate".
    n_jobs : int, optional

    Returns
    -------
    P : CSR matrix of shape (n, n), float64
        Symmetric, without a diagonal, summing to 1.
    """
    X = prepare(vectors, metric)
    n = X.shape[0]
    if neighbors != "approximate" and n <= (MOST_PAIRS if neighbors == "exact" else ALL_PAIRS_UP_TO):
        return _whole_graph(X, perplexity, n_jobs)
    k = min(n - 1, max(1, math.ceil(3 * perplexity)))
    indices, squared = nearest_neighbors(X, k, exactly=True if neighbors == "exact" else None, n_jobs=n_jobs)
    conditional = neighbor_probabilities(squared, perplexity, n_jobs)
    P = sparse.csr_matrix((conditional.ravel(), indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    P.sort_indices()
    return (P + P.T.tocsr()) / (2 * n)


def _whole_graph(X: NDArray[Any], perplexity: float, n_jobs: int | None) -> sparse.csr_matrix:
    """Return the graph over all pairs."""
    n = X.shape[0]
    squared = np.empty((n, n - 1))
    with threads(n_jobs):
        squared_distances_to_others.over(n, X, squared)
    others = ~np.eye(n, dtype=bool)
    conditional = np.zeros((n, n))
    conditional[others] = neighbor_probabilities(squared, perplexity, n_jobs).ravel()
    return sparse.csr_matrix((conditional + conditional.T) / (2 * n))


def neighbor_probabilities(
    squared: NDArray[np.float64], perplexity: float, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Turn squared distances to neighbours into probabilities of the given perplexity, each row summing to 1.

    Examples
    --------
    >>> p = neighbor_probabilities(np.array([[1.0, 2.0, 3.0]]), perplexity=2.0)
    >>> round(float(2 ** -(p * np.log2(p)).sum()), 6)
    2.0
    """
    probabilities = np.empty_like(squared)
    # with fewer than five items a third of the others is at most one, and every other item counts the same
    goal = math.log(perplexity) if perplexity > 1 else math.inf
    with threads(n_jobs):
        conditional_probabilities.over(len(squared), squared, min(goal, math.log(squared.shape[1])), probabilities)
    return probabilities
