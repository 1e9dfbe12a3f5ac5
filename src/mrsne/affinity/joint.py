"""All graphs into one joint probability matrix P̃."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.affinity.balance import balance
from mrsne.affinity.neighbors import METRICS
from mrsne.affinity.perplexity import MOST_PAIRS, NEIGHBORS, effective_perplexity, neighbor_graph
from mrsne.affinity.relations import NORMS, relation_probabilities, within_graph
from mrsne.affinity.weights import Block, block_weights
from mrsne.data import RelationalData
from mrsne.parameters import ParameterError, check_number, check_option


def joint_affinities(
    data: RelationalData,
    perplexity: float | Mapping[str, float] = 30.0,
    relation_norm: str = "pmi",
    weights: str | Mapping[Any, float] = "size",
    neighbors: str = "auto",
    metric: str | Mapping[str, str] = "euclidean",
    n_jobs: int | None = None,
) -> sparse.csr_matrix:
    """Compute the joint affinities P̃ of all items, eq. (2) of the paper.

    P̃ has a block β_d P^(d) for every domain with vectors, and blocks (β_de/2) R and (β_de/2) Rᵀ for every relation
    across domains; a graph inside a domain adds β_dd R to its own block.

    Parameters
    ----------
    data : RelationalData
    perplexity : float or mapping of str to float
        Effective number of neighbours, more than 1; for all domains or for each. In a domain of n items with vectors it
        is lowered to (n − 1)/3, with a warning.
    relation_norm : {"pmi", "norm", "unnorm"}
        How links are normalised.
    weights : {"size", "equal", "balanced"} or mapping
        The weights β of the blocks. "size": in proportion to their number of pairs; "equal": all the same; "balanced":
        equal, then scaled so that every item carries the same mass; or a mapping with a weight for every domain with
        vectors and every relation, such as ``{"image": 0.5, "tag": 0.1, ("image", "tag"): 0.4}``, divided by its sum.
    neighbors : {"auto", "exact", "approximate"}
        "exact": all pairs of a domain, up to 5,000 items; "approximate": 3·perplexity nearest neighbours; "auto": all
        pairs up to 1,000 items, then nearest neighbours.
    metric : {"euclidean", "cosine"} or mapping of str to str
    n_jobs : int, optional
        Threads; all cores by default.

    Returns
    -------
    P : CSR matrix of shape (n, n), float32
        Domains stacked in the order of ``data.vectors``; symmetric, without a diagonal, summing to 1.

    Examples
    --------
    >>> import numpy as np, mrsne
    >>> data = mrsne.RelationalData({"photo": np.eye(20), "tag": 4}, {("photo", "tag"): np.tile(np.eye(4), (5, 1))})
    >>> P = mrsne.joint_affinities(data, perplexity=5)
    >>> P.shape, round(float(P.sum()), 6)
    ((24, 24), 1.0)
    """
    if not isinstance(data, RelationalData):
        raise ParameterError(f"data must be a RelationalData, got {type(data).__name__}")
    check_option("neighbors", neighbors, NEIGHBORS)
    check_option("relation_norm", relation_norm, NORMS)
    perplexities = per_domain("perplexity", perplexity, data)
    metrics = per_domain("metric", metric, data)
    for name, value in metrics.items():
        check_option("metric" if value is metric else f"metric[{name!r}]", value, METRICS)
    for name, value in perplexities.items():
        check_number("perplexity" if value is perplexity else f"perplexity[{name!r}]", value, above=1)
    present = {name: np.flatnonzero(~mask) for name, mask in data.missing.items() if np.count_nonzero(~mask) >= 2}
    links = {pair: within_graph(W) if pair[0] == pair[1] else W for pair, W in data.relations.items()}
    linked = [pair for pair, W in links.items() if W.nnz]
    balanced = isinstance(weights, str) and weights == "balanced"
    beta = block_weights("equal" if balanced else weights, [*present, *linked], data.sizes)

    blocks: dict[Block, sparse.csr_matrix] = {}
    blocks.update(_neighbor_graphs(data, present, perplexities, metrics, neighbors, n_jobs))
    blocks.update({pair: relation_probabilities(links[pair], relation_norm) for pair in linked})
    P = _assemble(blocks, beta, data)
    if balanced:
        P = balance(P)
    P = P.astype(np.float32)
    P.data[P.data < np.finfo(np.float32).tiny] = 0  # subnormal numbers would only slow down every sum over them
    P.eliminate_zeros()
    _warn_of_lost_items(P, data)
    return P


def _neighbor_graphs(
    data: RelationalData,
    present: Mapping[str, NDArray[np.int64]],
    perplexities: Mapping[str, float],
    metrics: Mapping[str, str],
    neighbors: str,
    n_jobs: int | None,
) -> dict[str, sparse.csr_matrix]:
    """Return P^(d) for every domain with at least two vectors; items without one have no neighbours."""
    graphs: dict[str, sparse.csr_matrix] = {}
    lowered: list[str] = []
    for name, items in present.items():
        vectors: Any = data.vectors[name]
        whole = len(items) == data.sizes[name]
        used = effective_perplexity(perplexities[name], len(items))
        if used < perplexities[name]:
            # a third of fewer than four others is no perplexity: then all others count the same
            shown = f"{used:g}" if used > 1 else "all others alike"
            lowered.append(f"{shown} for {name!r} ({len(items)} items)")
        if neighbors == "exact" and len(items) > MOST_PAIRS:
            warnings.warn(
                f"neighbors='exact' keeps all pairs of at most {MOST_PAIRS} items; {name!r} has {len(items)}, "
                "of which each keeps its exact 3·perplexity nearest",
                stacklevel=3,
            )
        P = neighbor_graph(vectors if whole else vectors[items], used, metrics[name], neighbors, n_jobs)
        graphs[name] = P if whole else _embedded(P, items, data.sizes[name])
    if lowered:
        warnings.warn(f"perplexity is lowered to (n - 1)/3: {', '.join(lowered)}", stacklevel=3)
    return graphs


def per_domain(argument: str, given: Any, data: RelationalData) -> dict[str, Any]:
    """Return one value for every domain, from one for all or from a mapping that names every domain with vectors."""
    if not isinstance(given, Mapping):
        return dict.fromkeys(data.sizes, given)
    for name in given:
        if name not in data.sizes:
            raise ParameterError(
                f"{argument} names the domain {name!r}, but the domains are {', '.join(map(repr, data.sizes))}"
            )
    lacking = [name for name, vectors in data.vectors.items() if vectors is not None and name not in given]
    if lacking:
        raise ParameterError(
            f"{argument} has no value for the domain {lacking[0]!r}; give one for every domain with vectors"
        )
    return dict(given)


def _embedded(P: sparse.csr_matrix, present: NDArray[np.int64], size: int) -> sparse.csr_matrix:
    """Return a graph over some items of a domain as one over all of them, the others without neighbours."""
    entries = P.tocoo()
    return sparse.csr_matrix((entries.data, (present[entries.row], present[entries.col])), shape=(size, size))


def _assemble(
    blocks: Mapping[Block, sparse.csr_matrix], beta: Mapping[Block, float], data: RelationalData
) -> sparse.csr_matrix:
    """Put the weighted blocks at their places in one matrix."""
    position = {name: index for index, name in enumerate(data.sizes)}
    grid: list[list[Any]] = [[None] * len(position) for _ in position]
    for name, index in position.items():
        grid[index][index] = sparse.csr_matrix((data.sizes[name], data.sizes[name]))
    for block, matrix in blocks.items():
        if isinstance(block, str) or block[0] == block[1]:
            index = position[block if isinstance(block, str) else block[0]]
            grid[index][index] = grid[index][index] + beta[block] * matrix
        else:
            a, b = position[block[0]], position[block[1]]
            grid[a][b] = (beta[block] / 2) * matrix
            grid[b][a] = grid[a][b].T
    P = sparse.csr_matrix(sparse.bmat(grid, format="csr"))
    P.eliminate_zeros()
    P.sort_indices()
    return P


def _warn_of_lost_items(P: sparse.csr_matrix, data: RelationalData) -> None:
    empty = np.diff(P.indptr) == 0
    if empty.any():
        counts = [
            f"{lost} of {name!r}"
            for name, start in data.offsets.items()
            if (lost := int(empty[start : start + data.sizes[name]].sum()))
        ]
        warnings.warn(
            f"items without vector and link that count: {int(empty.sum())} ({', '.join(counts)}); "
            "nothing tells where they belong",
            stacklevel=3,
        )
