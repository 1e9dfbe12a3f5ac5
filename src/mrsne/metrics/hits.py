"""True links among the k nearest items: Experiment 2 of the paper, and metrics (I) and (II) of its supplement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from mrsne.arrays import Array, Bool, Float64
from mrsne.data.relational import RelationalData
from mrsne.metrics.arguments import Map, check_domain, check_ks, check_map, check_queries, positions
from mrsne.metrics.distances import Order, exclude_self, squared_distances, sum_over_queries
from mrsne.metrics.links import across_truth, linked_domains, within_truth
from mrsne.parameters import ParameterError

Score: TypeAlias = Callable[[Order, Bool, int], Float64]  # order of candidates, which are true, places -> by place


def hit_rate(
    embedding: Map,
    data: RelationalData,
    k: int | Sequence[int] | Array,
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
        Number of neighbours; a list of them gives an array of scores.
    query : str, optional
        Domain of the query items; the first domain by default.
    target : str, optional
        Domain whose items are searched: by default the first one that ``query`` has a relation with. True links are the
        observed ones. If it is ``query`` itself, ``within`` says what is true, and an item is never its own neighbour.
    within : {"shared", "identical"} or matrix, default="shared"
        What counts as a true link inside the query's domain: at least one common neighbour in W, the same non-empty row
        of W, or where a matrix is not zero.
    queries : array of int, optional
        Positions of the query items, such as a random sample where there are very many; all items by default.

    Returns
    -------
    score : float, or array of float
        Between 0 and 1. Items without any link count as queries without a hit.

    See Also
    --------
    mrsne.metrics.hit_count : Metric (II): how many of the nearest are true.
    mrsne.metrics.report : Few scores that do not overlap.

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
    return _average(_hit_probabilities, embedding, data, k, query, target, within, queries)


def hit_count(
    embedding: Map,
    data: RelationalData,
    k: int | Sequence[int] | Array,
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

    See Also
    --------
    mrsne.metrics.hit_rate : Metric (I): whether any of the nearest is true.

    Examples
    --------
    >>> import mrsne
    >>> data = mrsne.RelationalData({"image": 3, "tag": 2}, {("image", "tag"): [(0, 0), (1, 0), (2, 1)]})
    >>> embedding = mrsne.Embedding({"image": [[0], [1], [4]], "tag": [[0], [9]]})
    >>> mrsne.metrics.hit_count(embedding, data, [1, 2], query="image", target="tag")
    array([0.66666667, 1.        ])
    """
    return _average(_expected_hits, embedding, data, k, query, target, within, queries)


def _hit_probabilities(order: Order, truth: Bool, places: int) -> Float64:
    """Return the probability of at least one hit up to each place.

    In a group of g ties with t true links, none of the first m is true with probability Π_{i<m} (1 − t/(g − i)).
    """
    true = order.sum_of_group(truth)[:, :places]
    remaining = (order.first + order.size)[:, :places] - np.arange(places)
    return 1 - np.cumprod(1 - np.minimum(true / remaining, 1), axis=1)


def _expected_hits(order: Order, truth: Bool, places: int) -> Float64:
    """Return, for each query, the expected number of hits up to each place."""
    return np.cumsum((order.sum_of_group(truth) / order.size)[:, :places], axis=1)


def _average(
    score: Score, embedding: Map, data: RelationalData, k: Any, query: Any, target: Any, within: Any, queries: Any
) -> Any:
    """Return the mean over the queries of a score of the order of their candidates, for each k."""
    check_map(embedding, data)
    query = check_domain("query", query, data)
    target = next(iter(linked_domains(query, data)), None) if target is None else target
    if target is None:
        raise ParameterError(f"target must be given, since {query!r} has no relation with another domain")
    target = check_domain("target", target, data)
    same_domain = target == query
    ks = check_ks(k, data.sizes[target] - same_domain)
    truth = within_truth(data, query, within) if same_domain else across_truth(data, query, target)
    query_items = check_queries(queries, data.sizes[query])
    query_positions, candidates = positions(embedding, query), positions(embedding, target)
    places = int(ks.max())

    def block(rows: slice) -> Float64:
        items = query_items[rows]
        distances = squared_distances(query_positions[items], candidates)
        if same_domain:
            exclude_self(distances, items, np.inf)
        scores = score(Order(distances, places), truth(items), places)
        return np.asarray(scores[:, ks - 1].sum(axis=0))

    mean = sum_over_queries(len(query_items), len(candidates), block) / len(query_items)
    return mean if np.ndim(k) else float(mean[0])


def reconstruction_roc(
    embedding: Map, data: RelationalData, query: str | None = None, within: Any = "shared", *, queries: Any = None
) -> tuple[Float64, Float64]:
    """Return the ROC curve of predicting that an item is linked to its k nearest items, for k = 0, 1, …, n − 1.

    Experiment 2 of the paper. The k nearest are searched among all other items of the query's own domain and of the
    domains it has a relation with; true links are the observed ones across domains, and ``within`` inside.

    Parameters
    ----------
    embedding : Embedding
    data : RelationalData
    query : str, optional
        Domain of the query items; the first domain by default.
    within : {"shared", "identical"} or matrix, default="shared"
        What counts as a true link inside the query's domain; see :func:`hit_rate`.
    queries : array of int, optional
        Positions of the query items; all items by default.

    Returns
    -------
    fpr, tpr : arrays of shape (n,)
        Share of all false and of all true links, over all queries together, that are predicted at each k.

    See Also
    --------
    mrsne.metrics.reconstruction_auc : The area below it.

    Examples
    --------
    >>> import mrsne
    >>> data = mrsne.RelationalData({"image": 3, "tag": 2}, {("image", "tag"): [(0, 0), (1, 0), (2, 1)]})
    >>> embedding = mrsne.Embedding({"image": [[0], [1], [4]], "tag": [[0.5], [9]]})
    >>> fpr, tpr = mrsne.metrics.reconstruction_roc(embedding, data, query="image")
    >>> fpr
    array([0.        , 0.14285714, 0.28571429, 0.71428571, 1.        ])
    >>> tpr
    array([0. , 0.4, 0.8, 0.8, 1. ])
    """
    check_map(embedding, data)
    query = check_domain("query", query, data)
    linked = linked_domains(query, data)
    truths = [within_truth(data, query, within), *(across_truth(data, query, name) for name in linked)]
    query_items = check_queries(queries, data.sizes[query])
    query_positions = positions(embedding, query)
    candidates = np.concatenate([query_positions, *(positions(embedding, name) for name in linked)])

    def block(rows: slice) -> Float64:
        items = query_items[rows]
        distances = squared_distances(query_positions[items], candidates)
        exclude_self(distances, items, np.inf)
        order = Order(distances)
        truth = np.concatenate([truth_of_domain(items) for truth_of_domain in truths], axis=1)
        return np.asarray((order.sum_of_group(truth) / order.size).sum(axis=0))

    true = sum_over_queries(len(query_items), len(candidates), block)[:-1]  # the last place is the query itself
    false = len(query_items) - true
    if not true.sum() > 0 or not false.sum() > 0:
        kind = "true" if not true.sum() > 0 else "false"
        raise ParameterError(f"the query items of {query!r} have no {kind} link, so there is no ROC curve")
    fpr, tpr = (np.concatenate([[0.0], np.cumsum(links)]) for links in (false, true))
    return fpr / fpr[-1], tpr / tpr[-1]


def reconstruction_auc(
    embedding: Map, data: RelationalData, query: str | None = None, within: Any = "shared", *, queries: Any = None
) -> float:
    """Return the area under :func:`reconstruction_roc`: 1 is perfect, 0.5 is chance.

    Parameters
    ----------
    embedding, data, query, within, queries
        As for :func:`reconstruction_roc`.

    Returns
    -------
    score : float

    See Also
    --------
    mrsne.metrics.reconstruction_roc : The curve above it.
    mrsne.metrics.link_auc : Links alone.

    Examples
    --------
    >>> import mrsne
    >>> data = mrsne.RelationalData({"image": 3, "tag": 2}, {("image", "tag"): [(0, 0), (1, 0), (2, 1)]})
    >>> embedding = mrsne.Embedding({"image": [[0], [1], [4]], "tag": [[0.5], [9]]})
    >>> round(mrsne.metrics.reconstruction_auc(embedding, data, query="image"), 4)
    0.7143
    """
    fpr, tpr = reconstruction_roc(embedding, data, query, within, queries=queries)
    return float((np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2).sum())  # the trapezoidal rule
