"""Metrics (I) and (II) of the paper's supplement: true links among the k nearest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.data import RelationalData
from mrsne.embedding import Embedding
from mrsne.metrics.arguments import check_domain, check_ks, check_map, check_queries, linked_domains, positions
from mrsne.metrics.ordering import Order, squared_distances, sum_over_queries
from mrsne.metrics.truth import across_truth, within_truth
from mrsne.parameters import ParameterError


def hit_rate(
    embedding: Embedding,
    data: RelationalData,
    k: int | Sequence[int] | NDArray[Any],
    query: str | None = None,
    target: str | None = None,
    within: Any = "shared",
    *,
    queries: Any = None,
) -> Any:
    """Return metric (I): the share of query items with at least one true link among their k nearest items.

    Parameters
    ----------
    embedding : Embedding
    data : RelationalData
        The data the map was made from.
    k : int or list of int
        Number of neighbours; for a list, an array of scores comes back.
    query : str, optional
        Domain of the items that are asked about; the first domain by default.
    target : str, optional
        Domain whose items are searched: by default the first one that ``query`` has a relation with. A true link is an
        observed one. If it is ``query`` itself, an item is never its own neighbour and ``within`` says what is true.
    within : {"shared", "identical"} or matrix, default="shared"
        What counts as a true link inside the query's domain: at least one common neighbour in W, the same non-empty row
        of W, or where a matrix is not zero.
    queries : array of int, optional
        Ask only about these items, such as a random sample where there are very many.

    Returns
    -------
    score : float, or array of float
        Between 0 and 1. Items without any link count as queries without a hit.

    Examples
    --------
    >>> import mrsne
    >>> data = mrsne.RelationalData({"image": 3, "tag": 2}, {("image", "tag"): [(0, 0), (1, 0), (2, 1)]})
    >>> embedding = mrsne.Embedding({"image": [[0], [1], [4]], "tag": [[0], [9]]})
    >>> mrsne.metrics.hit_rate(embedding, data, 1, query="image", target="tag")
    0.6666666666666666
    >>> mrsne.metrics.hit_rate(embedding, data, [1, 2], query="image", target="image")
    array([0.66666667, 0.66666667])
    """
    return _average(embedding, data, k, query, target, within, queries, _any_hit)


def hit_count(
    embedding: Embedding,
    data: RelationalData,
    k: int | Sequence[int] | NDArray[Any],
    query: str | None = None,
    target: str | None = None,
    within: Any = "shared",
    *,
    queries: Any = None,
) -> Any:
    """Return metric (II): the mean number of true links among an item's k nearest.

    Parameters
    ----------
    embedding, data, k, query, target, within, queries
        As for :func:`hit_rate`.

    Returns
    -------
    score : float, or array of float
        Between 0 and k.

    Examples
    --------
    >>> import mrsne
    >>> data = mrsne.RelationalData({"image": 3, "tag": 2}, {("image", "tag"): [(0, 0), (1, 0), (2, 1)]})
    >>> embedding = mrsne.Embedding({"image": [[0], [1], [4]], "tag": [[0], [9]]})
    >>> mrsne.metrics.hit_count(embedding, data, [1, 2], query="image", target="tag")
    array([0.66666667, 1.        ])
    """
    return _average(embedding, data, k, query, target, within, queries, _expected_hits)


def _any_hit(order: Order, truth: NDArray[np.bool_], places: int) -> NDArray[np.float64]:
    """Return, for each query, the probability of a hit up to each place.

    None of the first m of a group of g with t true ones is true with probability Π_{i<m} (1 − t/(g − i)).
    """
    place = np.arange(places)
    true, left = order.sum_of_group(truth)[:, :places], (order.first + order.size)[:, :places] - place
    return 1 - np.cumprod(1 - np.minimum(true / left, 1), axis=1)


def _expected_hits(order: Order, truth: NDArray[np.bool_], places: int) -> NDArray[np.float64]:
    """Return, for each query, the expected number of hits up to each place."""
    return np.cumsum((order.sum_of_group(truth) / order.size)[:, :places], axis=1)


def _average(
    embedding: Embedding,
    data: RelationalData,
    k: Any,
    query: str | None,
    target: str | None,
    within: Any,
    queries: Any,
    score: Any,
) -> Any:
    check_map(embedding, data)
    query = check_domain("query", query, data)
    if target is None:
        linked = linked_domains(query, data)
        if not linked:
            raise ParameterError(f"target must be given, since {query!r} has no relation with another domain")
        target = linked[0]
    target = check_domain("target", target, data)
    own = target == query
    ks = check_ks(k, data.sizes[target] - own)
    truth = within_truth(data, query, within) if own else across_truth(data, query, target)
    chosen = check_queries(queries, data.sizes[query])
    from_, to = positions(embedding, query), positions(embedding, target)
    places = int(ks.max())

    def block(rows: slice) -> NDArray[np.float64]:
        items = chosen[rows]
        distances = squared_distances(from_[items], to)
        if own:
            distances[np.arange(len(items)), items] = np.inf
        found = score(Order(distances, places), truth(items), places)
        return np.asarray(found[:, ks - 1].sum(axis=0))

    mean = sum_over_queries(len(chosen), len(to), block) / len(chosen)
    return mean if np.ndim(k) else float(mean[0])
