"""What the baselines learn from: links, dense vectors, and graphs that PMvGE may add inside the domains."""

from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Float64
from mrsne.backends.links import within_graph
from mrsne.data.outline import Pair
from mrsne.data.relational import RelationalData, require_in_memory
from mrsne.metrics.links import relations_of
from mrsne.parameters import ParameterError

GRAPHS = ("across", "second-order", "neighbors")
EDGES = ("each", "all")


def check_data(data: Any, method: str) -> RelationalData:
    """Return the data, or raise if it has no relation to learn from."""
    known = require_in_memory(data, f"{method} learns from")
    if not known.relations:
        raise ParameterError(f"{method} learns from links, but data has no relation")
    return known


def dense_vectors(data: RelationalData, domain: str) -> Float64 | None:
    """Return a domain's vectors, or None if it has none; an item without a vector gets the mean of the others."""
    vectors: Any = data.vectors[domain]
    missing = data.missing[domain]
    if vectors is None or missing.all():
        return None
    X = np.array(vectors.toarray() if sparse.issparse(vectors) else vectors, dtype=np.float64)
    if missing.any():
        X[missing] = X[~missing].mean(axis=0)
    return X


def links(data: RelationalData, a: str, b: str) -> sparse.csr_matrix:
    """Return the weights of the links between two domains, (W + Wᵀ)/2 inside one; empty if there is no relation."""
    if not {(a, b), (b, a)} & data.relations.keys():
        return sparse.csr_matrix((data.sizes[a], data.sizes[b]))
    W = data.relation(a, b)
    return within_graph(W) if a == b else W


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
    drawn from the neighbour graph of every domain with vectors; with ``edges="all"`` that many in all of them together.
    """
    weights = {pair: links(data, *pair) for pair in data.relations}
    inside: dict[str, sparse.csr_matrix | None] = {}
    if graph == "second-order":
        inside = {name: _second_order(data, name) for name in data.sizes}
    elif graph == "neighbors":
        vectors = {name: X for name in data.sizes if (X := dense_vectors(data, name)) is not None and len(X) > 1}
        total = sum(len(X) for X in vectors.values())
        for name, X in vectors.items():
            count = n_edges if edges == "each" else round(n_edges * len(X) / total)
            inside[name] = _sampled_neighbors(X, perplexity, count, random)
    for name, W in inside.items():
        if W is not None and W.nnz:
            weights[name, name] = sparse.csr_matrix(weights[name, name] + W) if (name, name) in weights else W
    return {pair: W for pair, W in weights.items() if W.nnz}


def _second_order(data: RelationalData, name: str) -> sparse.csr_matrix | None:
    """Return how many neighbours in other domains each two items have in common."""
    products = [W @ W.T for other, W in relations_of(data, name) if other != name]
    if not products:
        return None
    total = sparse.csr_matrix(sum(products[1:], products[0]))
    total.setdiag(0)
    total.eliminate_zeros()
    return total


def _sampled_neighbors(X: Float64, perplexity: float, n_edges: int, random: np.random.RandomState) -> sparse.csr_matrix:
    """Return edges drawn from the stochastic neighbour graph, with how often each was drawn."""
    from mrsne.affinity.settings import effective_perplexity, graph_plan, keeps_all_pairs
    from mrsne.backends.cpu.graph import neighbor_graph
    from mrsne.backends.rows import prepare
    from mrsne.threads import threads

    plan = graph_plan(len(X), effective_perplexity(perplexity, len(X), keeps_all_pairs(len(X))))
    with threads(None):
        P = sparse.coo_matrix(neighbor_graph(prepare(X, "euclidean"), plan)[0])
    odds = P.data.astype(np.float64)
    counts = random.multinomial(n_edges, odds / odds.sum())
    occurs = counts > 0
    sampled = sparse.csr_matrix((counts[occurs].astype(np.float64), (P.row[occurs], P.col[occurs])), shape=P.shape)
    return sparse.csr_matrix(sampled + sampled.T)
