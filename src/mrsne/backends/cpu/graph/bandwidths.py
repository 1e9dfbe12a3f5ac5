"""Distances into conditional probabilities: each item gets the bandwidth that gives it the perplexity."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mrsne.loops import Array, kernel
from mrsne.threads import threads

ENTROPY_TOLERANCE = 1e-10  # nats
MOST_STEPS = 200
FIRST_GUESS = 3.0  # of b, where the distances of a row go from 0 to 1
LONGEST_STEP = 1.5  # of log b


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
    with threads(n_jobs):
        conditional_probabilities.over(len(squared), squared, entropy_of(perplexity, squared.shape[1]), probabilities)
    return probabilities


def entropy_of(perplexity: float, k: int) -> float:
    """Return the entropy of a row of k probabilities, in nats.

    With fewer than five items a third of the others is at most one; then every other item counts the same.
    """
    return min(math.log(perplexity) if perplexity > 1 else math.inf, math.log(k))
