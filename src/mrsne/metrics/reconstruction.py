"""Experiment 2: the graph, within and across domains, reconstructed from nearness in the map."""

from __future__ import annotations

from typing import Any

import numpy as np

from mrsne.arrays import Float64
from mrsne.data.relational import RelationalData
from mrsne.metrics.arguments import Map, check_domain, check_map, check_queries, positions
from mrsne.metrics.distances import Order, exclude_self, squared_distances, sum_over_queries
from mrsne.metrics.links import across_truth, linked_domains, within_truth
from mrsne.parameters import ParameterError


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
