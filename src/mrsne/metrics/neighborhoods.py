"""How well the map keeps the neighbourhoods of the vectors, domain by domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.data import RelationalData
from mrsne.metrics.arguments import check_domain, check_map, check_queries, positions
from mrsne.model.embedding import Embedding
from mrsne.parameters import ParameterError, check_integer, check_option
from mrsne.quality.neighborhoods import kept_shares, membership, penalty_scale, rank_penalties
from mrsne.quality.ordering import exclude_self, squared_distances, sum_over_queries
from mrsne.quality.vectors import METRICS, exact_distances, vectors_of


def neighborhood_preservation(
    embedding: Embedding,
    data: RelationalData,
    domain: str | None = None,
    k: int = 10,
    metric: str = "euclidean",
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
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distance between vectors.
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
    embedding: Embedding,
    data: RelationalData,
    domain: str | None = None,
    k: int = 10,
    metric: str = "euclidean",
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
    n = len(_vectors(data, _domain(data, domain))[1])
    if not check_integer("k", k, minimum=1) < n / 2:
        raise ParameterError(f"k must be less than half the number of items with vectors, {n}, got {k}")
    return 1 - penalty_scale(n, k) * _mean(embedding, data, domain, k, metric, queries, rank_penalties)


def _mean(
    embedding: Embedding,
    data: RelationalData,
    domain: str | None,
    k: int,
    metric: str,
    queries: Any,
    score: Callable[[NDArray[np.float64], NDArray[np.float64], int], NDArray[np.float64]],
) -> float:
    """Return the mean over the queries of a score of their distances by vector and of their k nearest in the map."""
    check_map(embedding, data)
    check_option("metric", metric, METRICS)
    domain = _domain(data, domain)
    X, present = _vectors(data, domain, metric)
    if not check_integer("k", k, minimum=1) < X.shape[0]:
        raise ParameterError(f"k must be less than the number of items with vectors, {X.shape[0]}, got {k}")
    Y = positions(embedding, domain)[present]
    query_items = check_queries(queries, len(Y))
    distances_by_vector = exact_distances(X)

    def block(rows: slice) -> NDArray[np.float64]:
        items = query_items[rows]
        by_vector, in_map = distances_by_vector(items), squared_distances(Y[items], Y)
        for distances in (by_vector, in_map):
            exclude_self(distances, items, np.inf)
        return np.asarray(score(by_vector, membership(in_map, k), k).sum(keepdims=True))

    return float(sum_over_queries(len(query_items), len(Y), block)[0]) / len(query_items)


def _domain(data: RelationalData, domain: str | None) -> str:
    if domain is None:
        domain = next((name for name, X in data.vectors.items() if X is not None), None)
        if domain is None:
            raise ParameterError("no domain of the data has vectors, so there are no neighbourhoods to keep")
    return check_domain("domain", domain, data)


def _vectors(data: RelationalData, domain: str, metric: str = "euclidean") -> tuple[Any, NDArray[np.int64]]:
    """Return the vectors of a domain's items that have one, in double precision, and where those items are."""
    if data.vectors[domain] is None:
        with_vectors = [name for name, vectors in data.vectors.items() if vectors is not None]
        raise ParameterError(f"domain must be one with vectors ({', '.join(map(repr, with_vectors))}), got {domain!r}")
    return vectors_of(data, domain, metric)
