"""All graphs into one joint probability matrix P̃."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.affinity.balance import balance
from mrsne.affinity.relations import relation_probabilities, within_graph
from mrsne.affinity.settings import check_affinity_settings, warn_of_limits
from mrsne.affinity.weights import Block, block_weights
from mrsne.backends.choice import choose_device
from mrsne.backends.cpu.graph.assembly import assemble, embedded, without_zeros
from mrsne.backends.cpu.graph.bandwidths import effective_perplexity, neighbor_graph
from mrsne.backends.cpu.graph.projection import Projection, principal_axes
from mrsne.backends.dask.connection import connected, where_it_is
from mrsne.backends.rows import Rows, prepare
from mrsne.compilation import threads
from mrsne.data import RelationalData
from mrsne.data.lazy import DistributedData, check_on_a_cluster
from mrsne.matrices import as_csr, row_lengths
from mrsne.parameters import ParameterError

logger = logging.getLogger("mrsne")


class Affinities(NamedTuple):
    """P̃, and what was learned on the way to it."""

    P: Any  # CSR matrix, or a DeviceMatrix where it was computed on a GPU
    recall: dict[str, float]  # by domain, the share of the true neighbours found
    projections: dict[str, Projection]


def joint_affinities(
    data: RelationalData,
    perplexity: float | Mapping[str, float] = 30.0,
    relation_norm: str = "pmi",
    weights: str | float | Mapping[Any, float] = "size",
    neighbors: str = "auto",
    metric: str | Mapping[str, str] = "euclidean",
    n_jobs: int | None = None,
    *,
    affinity: str = "gaussian",
    n_pca: int | Mapping[str, int | None] | None = None,
    device: str = "cpu",
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
    weights : {"size", "equal", "balanced"}, float or mapping
        The weights β of the blocks. "size": in proportion to their number of pairs; "equal": all the same; "balanced":
        equal, then scaled so that every item carries the same mass; a number from 0 to 1: the share of all relations
        together, "size" for the rest; or a mapping with a weight for every domain with vectors and every relation, such
        as ``{"image": 0.5, "tag": 0.1, ("image", "tag"): 0.4}``, divided by its sum.
    neighbors : {"auto", "exact", "approximate"}
        "exact": all pairs of a domain, up to 5,000 items; "approximate": 3·perplexity nearest neighbours; "auto": all
        pairs up to 1,000 items, then nearest neighbours.
    metric : {"euclidean", "cosine"} or mapping of str to str
    n_jobs : int, optional
        Threads; all cores by default.
    affinity : {"gaussian", "uniform"}
        How neighbours weigh. "gaussian": 3·perplexity of them, by distance; "uniform": as many as the perplexity, all
        alike, for a third of the memory in large domains.
    n_pca : int, None or mapping of str to int or None
        Reduce vectors wider than this to so many principal components before neighbours are searched.
    device : {"cpu", "cuda", "auto"}
        "cuda" computes them on a GPU (extra ``gpu``), "auto" where there is one. Sparse vectors are searched,
        and masses balanced, on the processor all the same.

    Returns
    -------
    P : CSR matrix of shape (n, n), float32
        Domains stacked in the order of ``data.vectors``; symmetric, without a diagonal, summing to 1. For data on a
        cluster to which this program has a ``distributed.Client``, a matrix whose
        blocks stay there; its ``to_csr()`` brings it.

    Examples
    --------
    >>> import numpy as np, mrsne
    >>> data = mrsne.RelationalData({"photo": np.eye(20), "tag": 4}, {("photo", "tag"): np.tile(np.eye(4), (5, 1))})
    >>> P = mrsne.joint_affinities(data, perplexity=5)
    >>> P.shape, round(float(P.sum()), 6)
    ((24, 24), 1.0)
    """
    more = {"affinity": affinity, "n_pca": n_pca, "device": device}
    with where_it_is(data) as ends:
        P = compute_affinities(data, perplexity, relation_norm, weights, neighbors, metric, n_jobs, **more).P
        return P.to_csr() if ends else as_csr(P)


def compute_affinities(
    data: RelationalData,
    perplexity: Any,
    relation_norm: Any,
    weights: Any,
    neighbors: Any,
    metric: Any,
    n_jobs: int | None,
    *,
    affinity: Any,
    n_pca: Any,
    device: Any = "cpu",
) -> Affinities:
    """Do what :func:`joint_affinities` says, and tell more about it."""
    if not isinstance(data, RelationalData):
        raise ParameterError(f"data must be a RelationalData, got {type(data).__name__}")
    settings: dict[str, Any] = {
        "perplexity": perplexity,
        "relation_norm": relation_norm,
        "weights": weights,
        "neighbors": neighbors,
        "metric": metric,
        "affinity": affinity,
        "n_pca": n_pca,
    }
    if isinstance(data, DistributedData):
        check_on_a_cluster(data.n_items, "auto", 2, weights, device)
        from mrsne.backends.dask.graph.affinities import cluster_affinities

        with connected() as client:
            return cluster_affinities(data, client, settings)
    where = choose_device(device)
    perplexities, metrics, components = check_affinity_settings(data, settings)
    present = {name: np.flatnonzero(~mask) for name, mask in data.missing.items() if np.count_nonzero(~mask) >= 2}
    links = {pair: within_graph(W) if pair[0] == pair[1] else W for pair, W in data.relations.items()}
    linked = [pair for pair, W in links.items() if W.nnz]
    balanced = isinstance(weights, str) and weights == "balanced"
    beta = block_weights("equal" if balanced else weights, [*present, *linked], data.sizes)

    blocks: dict[Block, Any] = {}
    recall: dict[str, float] = {}
    projections: dict[str, Projection] = {}
    warn_of_limits({name: len(items) for name, items in present.items()}, perplexities, settings)
    for name, items in present.items():
        rows = _rows(data, name, items, metrics[name], components[name], projections)
        used = effective_perplexity(perplexities[name], len(items))
        blocks[name], recall[name] = _graph(rows, used, neighbors, affinity, n_jobs, where)
        logger.info("%s: %.1f %% of the true neighbours found", name, 100 * recall[name])
    blocks.update({pair: relation_probabilities(links[pair], relation_norm) for pair in linked})
    with threads(n_jobs):
        P = _combined(blocks, present, beta, data.sizes, balanced, where)
    warn_of_lost_items(P, data)
    return Affinities(P, recall, projections)


def _graph(
    rows: Rows, perplexity: float, neighbors: str, affinity: str, n_jobs: int | None, device: str
) -> tuple[Any, float]:
    """Return the neighbour graph of some rows, on the device where it is computed, and the recall."""
    settings: dict[str, Any] = {"neighbors": neighbors, "affinity": affinity, "n_jobs": n_jobs}
    if device == "cpu":
        return neighbor_graph(rows, perplexity, **settings)
    from mrsne.backends.gpu.graph.bandwidths import neighbor_graph as graph_there

    return graph_there(rows, perplexity, **settings, device=device)


def _combined(
    blocks: dict[Block, Any],
    present: Mapping[str, NDArray[np.int64]],
    beta: Mapping[Block, float],
    sizes: Mapping[str, int],
    balanced: bool,
    device: str,
) -> Any:
    """Return P̃ from its blocks, which are forgotten on the way; masses are balanced on the processor."""
    if device == "cpu":
        for name, items in present.items():
            if len(items) < sizes[name]:
                blocks[name] = embedded(blocks[name], items, sizes[name])
        P: Any = assemble(blocks, beta, sizes)
        blocks.clear()
        return without_zeros(balance(without_zeros(P)) if balanced else P)
    from mrsne.backends.gpu.graph.assembly import assemble as assemble_there
    from mrsne.backends.gpu.matrix.matrix import DeviceMatrix

    P = assemble_there(blocks, present, beta, sizes, device)
    blocks.clear()
    P = P.without_zeros()
    return DeviceMatrix.of(balance(P.to_csr()), device).without_zeros() if balanced else P


def _rows(
    data: RelationalData,
    name: str,
    items: NDArray[np.int64],
    metric: str,
    n_pca: int | None,
    projections: dict[str, Projection],
) -> Rows:
    """Return the vectors of a domain as the search reads them, projected where that is wanted and narrower."""
    vectors: Any = data.vectors[name]
    rows = prepare(vectors if len(items) == data.sizes[name] else vectors[items], metric)
    if n_pca is None or n_pca >= rows.shape[1]:
        return rows
    projections[name] = principal_axes(rows, n_pca)
    return projections[name](rows)


def warn_of_lost_items(P: Any, data: RelationalData) -> None:
    """Warn of items without any affinity."""
    empty = row_lengths(P) == 0
    if empty.any():
        counts = [
            f"{lost} of {name!r}"
            for name, start in data.offsets.items()
            if (lost := int(empty[start : start + data.sizes[name]].sum()))
        ]
        warnings.warn(
            f"items without vector and link that count: {int(empty.sum())} ({', '.join(counts)}); "
            "nothing tells where they belong",
            stacklevel=4,
        )
