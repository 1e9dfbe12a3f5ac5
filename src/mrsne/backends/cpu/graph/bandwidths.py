"""Distances into a stochastic neighbour graph P^(d): each item gets the bandwidth that gives it the perplexity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.cpu.graph.symmetry import symmetrized
from mrsne.backends.cpu.search.distances import distances_to_others
from mrsne.backends.cpu.search.neighbors import nearest_neighbors
from mrsne.backends.rows import Dense, Rows, Sparse, prepare
from mrsne.compilation import Array, kernel, threads

ALL_PAIRS_UP_TO = 1_000  # items whose neighbour graph "auto" keeps whole
MOST_PAIRS = 5_000  # items whose neighbour graph "exact" keeps whole: 25 million entries
NEIGHBORS = ("auto", "exact", "approximate")
ENTROPY_TOLERANCE = 1e-10  # nats
MOST_STEPS = 200
FIRST_GUESS = 3.0  # of b, where the distances of a row go from 0 to 1
LONGEST_STEP = 1.5  # of log b
AFFINITIES = ("gaussian", "uniform")


@kernel("f8[:,:] f8 f4[:,:]!")
def conditional_probabilities(
    start: int, stop: int, squared: Array, log_perplexity: float, probabilities: Array
) -> None:
    """Compute p_{j|i} ∝ exp(−‖x_i−x_j‖²/2s_i²), eq. (1), with s_i such that the entropy of row i is the wanted one.

    Newton's method for log b, b = 1/2s², kept between the largest b known to be too small and the smallest known to be
    too large: the entropy H falls as b rises, by dH/d log b = −b² Var(d) with the distances' variance under p. Where
    more neighbours are at the smallest distance than the perplexity allows, the entropy cannot fall that far and the
    row ends as uniform over those. Distances are measured from the smallest in the row, so that no exponential
    underflows altogether.
    """
    k = squared.shape[1]
    weights = np.empty(k)
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
        low, high, b = 0.0, np.inf, FIRST_GUESS
        total = 1.0
        for _ in range(MOST_STEPS):
            total, first, second = 0.0, 0.0, 0.0
            for j in range(k):
                distance = (squared[i, j] - nearest) / scale
                weight = math.exp(-b * distance)
                weights[j] = weight
                total += weight
                first += weight * distance
                second += weight * distance * distance
            mean = first / total
            excess = math.log(total) + b * mean - log_perplexity
            if abs(excess) < ENTROPY_TOLERANCE:
                break
            if excess > 0:
                low = b
            else:
                high = b
            slope = max(b * b * (second / total - mean * mean), 1e-300)
            b *= math.exp(min(max(excess / slope, -LONGEST_STEP), LONGEST_STEP))
            if not low < b < high:
                b = 2 * low if high == np.inf else (low + high) / 2
            if b > 1e30 or high - low <= 1e-15 * b:
                break
        for j in range(k):
            probabilities[i, j] = weights[j] / total


def effective_perplexity(perplexity: float, n: int) -> float:
    """Return the perplexity to use for n items: at most a third of the others, so that 3·perplexity neighbours exist.

    Examples
    --------
    >>> effective_perplexity(30, 1000), effective_perplexity(30, 85)
    (30, 28.0)
    """
    return min(perplexity, (n - 1) / 3)


def neighbor_graph(
    vectors: Any,
    perplexity: float,
    *,
    neighbors: str = "auto",
    affinity: str = "gaussian",
    n_jobs: int | None = None,
) -> tuple[sparse.csr_matrix, float]:
    """Compute the stochastic neighbour graph P^(d) = (p_{j|i} + p_{i|j}) / 2n of one set of vectors.

    Parameters
    ----------
    vectors : Rows, or array or sparse matrix of shape (n, d)
        At least 2 rows.
    perplexity : float
        Used as it is; see :func:`effective_perplexity`.
    neighbors : {"auto", "exact", "approximate"}
        Which pairs to keep. "exact": all pairs up to 5,000 items, beyond that the exact 3·perplexity nearest
        neighbours; "approximate": 3·perplexity neighbours, searched approximately in large domains; "auto": all pairs
        up to 1,000 items, then as "approximate".
    affinity : {"gaussian", "uniform"}
        "uniform": only as many neighbours as the perplexity, rounded, and all of them alike.
    n_jobs : int, optional

    Returns
    -------
    P : CSR matrix of shape (n, n), float32
        Symmetric, without a diagonal, summing to 1.
    recall : float
        Share of the true neighbours found, on a sample.
    """
    rows = vectors if isinstance(vectors, Dense | Sparse) else prepare(vectors, "euclidean")
    n = len(rows)
    exactly = True if neighbors == "exact" else None
    if affinity == "uniform":
        k = min(n - 1, max(1, round(perplexity)))
        found = nearest_neighbors(rows, k, exactly=exactly, n_jobs=n_jobs)
        probabilities = np.full((n, k), 1 / k, np.float32)
    elif neighbors != "approximate" and n <= (MOST_PAIRS if neighbors == "exact" else ALL_PAIRS_UP_TO):
        return _whole_graph(rows, perplexity, n_jobs), 1.0
    else:
        k = min(n - 1, max(1, math.ceil(3 * perplexity)))
        found = nearest_neighbors(rows, k, exactly=exactly, n_jobs=n_jobs)
        probabilities = neighbor_probabilities(found.squared, perplexity, n_jobs)
    indices, recall, order = found.indices, found.recall, found.order
    del found  # the distances are as large as all the rest
    with threads(n_jobs):
        return symmetrized(indices, probabilities, order), recall


def _whole_graph(rows: Rows, perplexity: float, n_jobs: int | None) -> sparse.csr_matrix:
    """Return the graph over all pairs."""
    n = len(rows)
    with threads(n_jobs):
        squared = distances_to_others(rows)
    conditional = np.zeros((n, n), np.float32)
    conditional[~np.eye(n, dtype=bool)] = neighbor_probabilities(squared, perplexity, n_jobs).ravel()
    return sparse.csr_matrix((conditional + conditional.T) / np.float32(2 * n))


def neighbor_probabilities(
    squared: NDArray[np.float64], perplexity: float, n_jobs: int | None = None
) -> NDArray[np.float32]:
    """Turn squared distances to neighbours into probabilities of the given perplexity, each row summing to 1.

    Examples
    --------
    >>> p = neighbor_probabilities(np.array([[1.0, 2.0, 3.0]]), perplexity=2.0)
    >>> round(float(2 ** -(p * np.log2(p)).sum()), 5)
    2.0
    """
    probabilities = np.empty(squared.shape, np.float32)
    # with fewer than five items a third of the others is at most one, and every other item counts the same
    goal = math.log(perplexity) if perplexity > 1 else math.inf
    with threads(n_jobs):
        conditional_probabilities.over(len(squared), squared, min(goal, math.log(squared.shape[1])), probabilities)
    return probabilities
