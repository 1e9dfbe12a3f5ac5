"""The graphs that PMvGE can learn from: the observed links, and edges that may be added inside the domains."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from mrsne.affinity.plan import effective_perplexity, graph_plan, keeps_all_pairs
from mrsne.backends.cpu.graph import neighbor_graph
from mrsne.backends.rows import prepare
from mrsne.baselines.features import dense_vectors, links
from mrsne.data import Pair, RelationalData

GRAPHS = ("across", "second-order", "neighbors")
EDGES = ("each", "all")


def training_graph(
    data: RelationalData,
    graph: str,
    perplexity: float,
    n_edges: int,
    random: np.random.RandomState,
    edges: str = "each",
) -> dict[Pair, sparse.csr_matrix]:
    """Return the weighted graph to learn from, by pair of domains.

    ``"across"``: the relations. ``"second-order"``: also W Wᵀ inside every domain. ``"neighbors"``: also ``n_edges``
    edges inside every domain with vectors, drawn from its stochastic neighbour graph; with ``edges="all"`` that many in
    all of them together, in proportion to their numbers of items.

    Examples
    --------
    >>> data = RelationalData({"image": 2, "tag": 2}, {("image", "tag"): [[1, 1], [1, 0]]})
    >>> graph = training_graph(data, "second-order", 30, 1, np.random.RandomState(0))
    >>> graph["image", "image"].toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    weights = {pair: links(data, *pair) for pair in data.relations}
    counts = {name: len(X) for name in data.sizes if (X := dense_vectors(data, name)) is not None and len(X) > 1}
    drawn = {
        name: n_edges if edges == "each" else round(n_edges * count / sum(counts.values()))
        for name, count in counts.items()
    }
    for name in data.sizes:
        if graph == "second-order":
            within = _second_order(data, name)
        elif graph == "neighbors" and name in drawn:
            within = _sampled_neighbors(data, name, perplexity, drawn[name], random)
        else:
            within = None
        if within is not None and within.nnz:
            pair = (name, name)
            weights[pair] = sparse.csr_matrix(weights[pair] + within) if pair in weights else within
    return {pair: W for pair, W in weights.items() if W.nnz}


def _second_order(data: RelationalData, name: str) -> sparse.csr_matrix | None:
    products = []
    for a, b in data.relations:
        if a != b and name in (a, b):
            W = data.relation(name, b if a == name else a)
            products.append(W @ W.T)
    if not products:
        return None
    total = sparse.csr_matrix(sum(products[1:], products[0]))
    total.setdiag(0)
    total.eliminate_zeros()
    return total


def _sampled_neighbors(
    data: RelationalData, name: str, perplexity: float, n_edges: int, random: np.random.RandomState
) -> sparse.csr_matrix:
    X: Any = dense_vectors(data, name)
    plan = graph_plan(len(X), effective_perplexity(perplexity, len(X), keeps_all_pairs(len(X))))
    P = sparse.coo_matrix(neighbor_graph(prepare(X, "euclidean"), plan)[0])
    odds = P.data.astype(np.float64)
    counts = random.multinomial(n_edges, odds / odds.sum())
    occurs = counts > 0
    sampled = sparse.csr_matrix((counts[occurs].astype(np.float64), (P.row[occurs], P.col[occurs])), shape=P.shape)
    return sparse.csr_matrix(sampled + sampled.T)
