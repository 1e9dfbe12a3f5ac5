"""How two domains lie beside each other on the map: evenly mixed or not, and one wider than the other."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import xlogy

from mrsne.arrays import Float64, Int64
from mrsne.metrics.arguments import Map, positions
from mrsne.metrics.distances import exclude_self, for_each_query, squared_distances
from mrsne.parameters import ParameterError

LARGEST_SHARE = 0.1  # of each domain that a circle holds where they are mixed; more would not be a neighbourhood


def variance_ratio(embedding: Map, a: str, b: str) -> float:
    """Return how much farther one domain spreads than another: r = tr Σ̂ᵃ / tr Σ̂ᵇ, Experiment 3 of the paper.

    Near 1 both fill the same area; far above 1 domain ``b`` is crowded together, near 0 domain ``a`` is.

    Parameters
    ----------
    embedding : Embedding
    a, b : str
        Domains with at least two items each.

    Returns
    -------
    ratio : float
        Of the traces of the sample covariances; infinite if all items of ``b`` are on one spot.

    See Also
    --------
    mrsne.metrics.report : Its mixing sees what this score does not.

    Examples
    --------
    >>> import mrsne
    >>> embedding = mrsne.Embedding({"image": [[0, 0], [4, 0]], "tag": [[1, 0], [3, 0]]})
    >>> mrsne.metrics.variance_ratio(embedding, "image", "tag")
    4.0
    """
    traces = []
    for domain in (a, b):
        Y = positions(embedding, domain)
        if len(Y) < 2:
            raise ParameterError(f"variance_ratio needs at least two items of {domain!r}, got {len(Y)}")
        traces.append(float(Y.var(axis=0, ddof=1).sum()))
    if traces[1] == 0:
        return float("nan") if traces[0] == 0 else float("inf")
    return traces[0] / traces[1]


def mixing(A: Float64, B: Float64, queries: tuple[Int64, Int64], k: int = 10) -> float:
    """Return how evenly two domains are mixed: 1 if evenly, 0 if they lie apart or one is crowded into a spot.

    Around an item, take the smallest circle that holds as large a share of both domains as k items are of the smaller,
    at most a tenth. With q for what the other domain has of it, the score is the mean of −q log₂ q − (1 − q) log₂(1 −
    q) over the query items of each domain, and then of both.
    """
    return (_mean_entropy(A, B, queries[0], k) + _mean_entropy(B, A, queries[1], k)) / 2


def _mean_entropy(own: Float64, other: Float64, items: Int64, k: int) -> float:
    sizes = len(own) - 1, len(other)
    wanted = min(2 * k / min(sizes), 2 * LARGEST_SHARE)
    # of the domain alone, no more than these can be inside the circle that is just large enough
    most_own, most_other = (min(size, math.ceil(wanted * size) + 1) for size in sizes)

    def entropies(rows: slice) -> Float64:
        to_own, to_other = (squared_distances(own[items[rows]], Y) for Y in (own, other))
        exclude_self(to_own, items[rows], np.inf)
        nearest = np.concatenate([_nearest(to_own, most_own), _nearest(to_other, most_other)], axis=1)
        weights = np.repeat([1 / sizes[0], 1 / sizes[1]], [most_own, most_other])
        order = np.argsort(nearest, axis=1)
        reached = np.cumsum(weights[order], axis=1) >= wanted * (1 - 1e-9)
        edge = np.take_along_axis(nearest, np.take_along_axis(order, reached.argmax(axis=1)[:, None], axis=1), axis=1)
        own_part, other_part = (to_own <= edge).sum(axis=1) / sizes[0], (to_other <= edge).sum(axis=1) / sizes[1]
        q = other_part / (own_part + other_part)
        return np.asarray(-(xlogy(q, q) + xlogy(1 - q, 1 - q)) / math.log(2))

    return float(for_each_query(len(items), len(own) + len(other), entropies).mean())


def _nearest(distances: Float64, count: int) -> Float64:
    return distances if count >= distances.shape[1] else np.partition(distances, count - 1, axis=1)[:, :count]
