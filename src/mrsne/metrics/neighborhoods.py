"""How well the map keeps neighbourhoods: those of the vectors, domain by domain, and those of the links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Float64, Int64
from mrsne.data.relational import RelationalData
from mrsne.metrics.arguments import METRICS, Map, check_domain, check_map, check_queries, metrics_of, positions
from mrsne.metrics.distances import (
    Distances,
    Order,
    distances_of,
    exclude_self,
    for_each_query,
    knows_all_distances,
    squared_distances,
)
from mrsne.parameters import ParameterError, check_integer, check_option

NEEDS_ALL = "needs vectors, or the distances of all pairs"
Score: TypeAlias = Callable[[NDArray[Any], Float64, int], Float64]
COUNTED_UP_TO = 4  # times k: with no more candidates for the first k places, ranks are counted one by one


def neighborhood_preservation(
    embedding: Map,
    data: RelationalData,
    domain: str | None = None,
    k: int = 10,
    metric: str | None = None,
    *,
    queries: Any = None,
) -> float:
    """Return the share of an item's k nearest by vector that are also among its k nearest in the map.

    Parameters
    ----------
    embedding : Embedding
    data : RelationalData
    domain : str, optional
        A domain with vectors, the first such one by default. Its items without a vector are left out.
    k : int, default=10
    metric : {"euclidean", "cosine", "precomputed"}, optional
        Distance between vectors; by default that of the map.
    queries : array of int, optional
        Positions of the query items among those with a vector; all of these by default.

    Returns
    -------
    score : float
        The mean over the items: 1 is perfect, chance is k / (n − 1).

    See Also
    --------
    mrsne.metrics.trustworthiness : Sees false neighbours where this sees lost ones.
    mrsne.metrics.report : Few scores that do not overlap.

    Examples
    --------
    >>> import numpy as np, mrsne
    >>> X = np.arange(20.0)[:, None] ** 2
    >>> embedding, data = mrsne.Embedding({"x": X}), mrsne.RelationalData({"x": X})
    >>> mrsne.metrics.neighborhood_preservation(embedding, data, k=3)
    1.0
    """
    return _mean(embedding, data, domain, k, metric, queries, kept_shares)


def trustworthiness(
    embedding: Map,
    data: RelationalData,
    domain: str | None = None,
    k: int = 10,
    metric: str | None = None,
    *,
    queries: Any = None,
) -> float:
    """Return how far an item's k nearest in the map can be trusted to be near by vector too.

    1 − 2/(n k (2n − 3k − 1)) Σ_i Σ_j max(0, r(i, j) − k), over the k nearest j in the map of every item i; r(i, j) is
    the rank of j by vector. The same as ``sklearn.manifold.trustworthiness``, but in blocks, and with ties in
    random order.

    Parameters
    ----------
    embedding, data, domain, k, metric, queries
        As for :func:`neighborhood_preservation`; k must be less than half the number of items.

    Returns
    -------
    score : float
        1 is perfect.

    See Also
    --------
    mrsne.metrics.neighborhood_preservation : Sees lost neighbours where this sees false ones.
    mrsne.metrics.report : Few scores that do not overlap.

    Examples
    --------
    >>> import numpy as np, mrsne
    >>> X = np.arange(20.0)[:, None] ** 2
    >>> mrsne.metrics.trustworthiness(mrsne.Embedding({"x": X}), mrsne.RelationalData({"x": X}), k=3)
    1.0
    """
    check_map(embedding, data)
    n = data.count_vectors(_domain(data, domain))
    if not check_integer("k", k, minimum=1) < n / 2:
        raise ParameterError(f"k must be less than half the number of items with vectors, {n}, got {k}")
    return 1 - penalty_scale(n, k) * _mean(embedding, data, domain, k, metric, queries, rank_penalties)


def _mean(
    embedding: Map, data: RelationalData, domain: str | None, k: int, metric: str | None, queries: Any, score: Score
) -> float:
    """Return the mean over the queries of a score of their distances by vector and of their k nearest in the map."""
    check_map(embedding, data)
    domain = _domain(data, domain)
    metric = metrics_of(embedding, data)[domain] if metric is None else check_option("metric", metric, METRICS)
    if not knows_all_distances(data, domain, metric):
        raise ParameterError(f"{domain!r} has distances to known neighbours only; this score {NEEDS_ALL}")
    distances, present = distances_of(data, domain, metric)
    if not check_integer("k", k, minimum=1) < len(present):
        raise ParameterError(f"k must be less than the number of items with vectors, {len(present)}, got {k}")
    Y = positions(embedding, domain)[present]
    query_items = check_queries(queries, len(Y))
    return float(scores_by_vector(distances, Y, query_items, k, [score]).mean())


def scores_by_vector(distances: Distances, Y: Float64, queries: Int64, k: int, scores: Sequence[Score]) -> Float64:
    """Return scores, one in each column, of each query's distances by vector and of its k nearest in the map."""

    def block(rows: slice) -> Float64:
        items = queries[rows]
        by_vector, in_map = distances(items), squared_distances(Y[items], Y)
        for to_others in (by_vector, in_map):
            exclude_self(to_others, items, np.inf)
        chances = membership(in_map, k)
        return np.stack([score(by_vector, chances, k) for score in scores], axis=1)

    return for_each_query(len(queries), len(Y), block)


def _domain(data: RelationalData, domain: str | None) -> str:
    """Return the name of a domain with vectors; None stands for the first."""
    with_vectors = [name for name, vectors in data.vectors.items() if vectors is not None]
    if domain is None and not with_vectors:
        raise ParameterError("no domain of the data has vectors, so there are no neighbourhoods to keep")
    domain = check_domain("domain", with_vectors[0] if domain is None else domain, data)
    if domain not in with_vectors:
        raise ParameterError(f"domain must be one with vectors ({', '.join(map(repr, with_vectors))}), got {domain!r}")
    return domain


def membership(distances: NDArray[Any], k: int) -> Float64:
    """Return the probability that each candidate is among the k nearest, with ties in random order."""
    last = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    return tied_membership(distances, last, np.full(len(distances), k))


def tied_membership(distances: NDArray[Any], last: NDArray[Any], k: Int64) -> Float64:
    """Return the probability that a candidate is among the k nearest of its row, the last of which is so far."""
    nearer, tied = distances < last, distances == last
    share = (k[:, None] - nearer.sum(axis=1, keepdims=True)) / tied.sum(axis=1, keepdims=True)
    return np.asarray(nearer + share * tied)


def kept_shares(by_vector: NDArray[Any], chances: Float64, k: int) -> Float64:
    """Return the share of each query's k nearest by vector that are among its k nearest in the map."""
    return np.asarray((membership(by_vector, k) * chances).sum(axis=1) / k)


def rank_penalties(by_vector: NDArray[Any], chances: Float64, k: int) -> Float64:
    """Return Σ_j max(0, r(i, j) − k) over the k nearest j in the map of each query i; r is the rank by vector."""
    width = int((chances > 0).sum(axis=1).max())
    if width > COUNTED_UP_TO * k:
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
