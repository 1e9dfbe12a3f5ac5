"""Scores of single items by their distances to the others: by vector, by links, and on the map."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.quality.ordering import Order

FEW = 4  # times k: up to so many candidates for the first k places, ranks are counted one by one


def membership(distances: NDArray[Any], k: int) -> NDArray[np.float64]:
    """Return the probability that each candidate is among the k nearest, with ties in random order.

    Examples
    --------
    >>> membership(np.array([[2.0, 1.0, 2.0, 3.0]]), 2)
    array([[0.5, 1. , 0.5, 0. ]])
    """
    last = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    return _membership(distances, last, np.full(len(distances), k))


def _membership(distances: NDArray[Any], last: NDArray[Any], k: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probability that a candidate is among the k nearest of its row, the last of which is so far."""
    nearer, tied = distances < last, distances == last
    share = (k[:, None] - nearer.sum(axis=1, keepdims=True)) / tied.sum(axis=1, keepdims=True)
    return np.asarray(nearer + share * tied)


def kept_shares(by_vector: NDArray[Any], chances: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return, for each query, the share of its k nearest by vector that are among its k nearest in the map.

    ``chances`` is the :func:`membership` of the k nearest in the map.
    """
    return np.asarray((membership(by_vector, k) * chances).sum(axis=1) / k)


def rank_penalties(by_vector: NDArray[Any], chances: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return Σ_j max(0, r(i, j) − k) over the k nearest j in the map of each query i; r is the rank by vector.

    ``chances`` is the :func:`membership` of the k nearest in the map.

    Examples
    --------
    >>> rank_penalties(np.array([[np.inf, 1.0, 2.0, 3.0]]), np.array([[0.0, 0.0, 0.0, 1.0]]), 1)
    array([2.])
    """
    width = int((chances > 0).sum(axis=1).max())
    if width > FEW * k:
        order = Order(by_vector)
        first, size, chances = order.first, order.size, np.take_along_axis(chances, order.items, axis=1)
    else:
        neighbours = np.argpartition(-chances, width - 1, axis=1)[:, :width]
        chances = np.take_along_axis(chances, neighbours, axis=1)
        distances = np.take_along_axis(by_vector, neighbours, axis=1)
        first = np.stack([(by_vector < column[:, None]).sum(axis=1) for column in distances.T], axis=1)
        size = np.stack([(by_vector == column[:, None]).sum(axis=1) for column in distances.T], axis=1)
    # the ranks of a group of ties run from low to high, all equally likely
    low, high = np.maximum(first + 1, k + 1), first + size
    excess = np.where(high >= low, (high - low + 1) * (low + high - 2 * k) / 2, 0) / size
    return np.asarray((chances * excess).sum(axis=1))


def penalty_scale(n: int, k: int) -> float:
    """Return what a mean of :func:`rank_penalties` is multiplied with, so that the worst map of n items has 1."""
    return 2 / (k * (2 * n - 3 * k - 1))


def kept_links(in_map: NDArray[np.float64], linked: NDArray[np.bool_], k: int) -> NDArray[np.float64]:
    """Return, for each query, the share of its m linked items that are among its max(m, k) nearest, beyond chance.

    1 where all are, 0 where as many are as by chance; NaN for queries without links, and for those whose max(m, k)
    nearest are all the candidates. Candidates that are none are at infinity.

    Examples
    --------
    >>> kept_links(np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([[True, False, False, False]]), 1)
    array([1.])
    """
    number = linked.sum(axis=1)
    candidates = np.isfinite(in_map).sum(axis=1)
    places = np.maximum(number, k)
    asked = (number > 0) & (places < candidates)
    scores = np.full(len(in_map), np.nan)
    if asked.any():
        distances, places = in_map[asked], places[asked]
        nearest = np.sort(np.partition(distances, places.max() - 1, axis=1)[:, : places.max()], axis=1)
        last = np.take_along_axis(nearest, places[:, None] - 1, axis=1)
        kept = (_membership(distances, last, places) * linked[asked]).sum(axis=1) / number[asked]
        scores[asked] = beyond_chance(kept, places / candidates[asked])
    return scores


def beyond_chance(score: Any, chance: Any) -> Any:
    """Return a score on a scale where chance is 0 and the best is 1.

    Examples
    --------
    >>> beyond_chance(0.25, 0.25), beyond_chance(1.0, 0.25)
    (0.0, 1.0)
    """
    return (score - chance) / (1 - chance)


def harmonic_mean(a: Any, b: Any) -> Any:
    """Return the harmonic mean of two scores between 0 and 1; of one, where the other is not known.

    Examples
    --------
    >>> harmonic_mean(np.array([0.5, 0.0, 0.2]), np.array([1.0, 1.0, np.nan]))
    array([0.66666667, 0.        , 0.2       ])
    """
    a, b = np.clip(a, 0, 1), np.clip(b, 0, 1)
    total = a + b
    mean = 2 * a * b / np.where(total > 0, total, 1)
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, mean))
