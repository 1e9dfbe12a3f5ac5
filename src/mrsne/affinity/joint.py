"""All graphs into one joint probability matrix P̃."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

from scipy import sparse

from mrsne.affinity.automatic import shares_of, vectors_from_links
from mrsne.affinity.balance import balance
from mrsne.affinity.norms import CONDITIONAL, norm_exponents
from mrsne.affinity.plan import effective_perplexity, graph_plan
from mrsne.affinity.settings import DEFAULT_PERPLEXITY, AffinitySettings, CheckedAffinitySettings
from mrsne.affinity.shares import Shares
from mrsne.affinity.telling import warn
from mrsne.affinity.weights import block_weights
from mrsne.backends.base import Backend, Block, LinkNorm, Matrix
from mrsne.backends.choice import choose_backend
from mrsne.backends.projection import Projection
from mrsne.data import Outline, RelationalData
from mrsne.parameters import ParameterError

logger = logging.getLogger("mrsne")


class Affinities(NamedTuple):
    """P̃, and what was learned and chosen on the way to it."""

    P: Any  # Matrix, in the engine's memory
    recall: dict[str, float]  # by domain, the share of the true neighbours found
    projections: dict[str, Projection]
    weights: dict[Block, float]  # β
    relation_norm: Any


def joint_affinities(
    data: RelationalData,
    perplexity: float | Mapping[str, float] = 30.0,
    relation_norm: str | float | tuple[float, float] = "pmi",
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
    across domains; a graph inside a domain adds β_dd R to its own block. Normalisation and weights are the paper's by
    default; :class:`mrsne.MRSNE` takes "auto" for both.

    Parameters
    ----------
    data : RelationalData
    perplexity : float or mapping of str to float
        Effective number of neighbours, more than 1; for all domains or for each. Where all pairs of a domain of n items
        are kept it may be anything below n − 1, else at most (n − 1)/3: one number for all domains is lowered to that
        in a domain too small for it, with a warning.
    relation_norm : {"pmi", "norm", "unnorm", "conditional", "auto"}, float or pair of float
        How links are normalised: w_ij / (r_i^a c_j^b), with the sums r and c of the links of both ends. a = b = 1 for
        "pmi", 0.5 for "norm", 0 for "unnorm", any number from 0 to 1, or a pair (a, b) for first and second domain.
        "conditional": w_ij (u_i + v_j), as every item shares out its own links; "auto" chooses that.
    weights : {"size", "equal", "balanced", "auto"}, float or mapping
        The weights β of the blocks. "auto": they follow from how every item shares out its mass among links and
        neighbours (docs/algorithm.md), and domains without vectors get neighbours by shared links. "size": in
        proportion to their number of pairs; "equal": all the same; "balanced":
        equal, then scaled so that every item carries the same mass; a number from 0 to 1: the share of all relations
        together, "size" for the rest; or a mapping with a weight for every domain with vectors and every relation, such
        as ``{"image": 0.5, "tag": 0.1, ("image", "tag"): 0.4}``, divided by its sum.
    neighbors : {"auto", "exact", "approximate"}
        "exact": all pairs of a domain, up to 20,000 items where memory allows; "approximate": 3·perplexity nearest
        neighbours; "auto": all pairs up to 1,000 items, then nearest neighbours.
    metric : {"euclidean", "cosine"} or mapping of str to str
    n_jobs : int, optional
        Most threads; as many as there are cores by default. The result does not depend on it.
    affinity : {"gaussian", "uniform"}
        How neighbours weigh. "gaussian": 3·perplexity of them, by distance; "uniform": as many as the perplexity, all
        alike, for a third of the memory in large domains.
    n_pca : int, None or mapping of str to int or None
        Reduce wider vectors to this many principal components before neighbours are searched.
    device : {"cpu", "cuda", "auto"}
        "cuda" computes them on a GPU (extra ``gpu``), "auto" where there is one. Sparse vectors are searched,
        and masses balanced, on the processor all the same.

    Returns
    -------
    P : CSR matrix of shape (n, n), float32
        Domains stacked in the order of ``data.vectors``; symmetric, without a diagonal, summing to 1. For data on a
        cluster to which this program has a ``distributed.Client``, a matrix whose
        blocks stay there; its ``to_csr()`` brings it.

    See Also
    --------
    mrsne.MRSNE : Affinities and layout in one.
    mrsne.embed : Lays out P̃.

    Examples
    --------
    >>> import numpy as np, mrsne
    >>> W = np.tile(np.eye(4), (5, 1))
    >>> data = mrsne.RelationalData({"photo": np.eye(20), "tag": 4}, {("photo", "tag"): W})
    >>> P = mrsne.joint_affinities(data, perplexity=5)
    >>> P.shape, round(float(P.sum()), 6)
    ((24, 24), 1.0)
    """
    settings = AffinitySettings(perplexity, relation_norm, weights, neighbors, metric, affinity, n_pca)
    backend = choose_backend(data, device, n_jobs)
    with backend.session():
        return backend.gather(compute_affinities(data, settings, backend).P)


def compute_affinities(data: Outline, settings: AffinitySettings, backend: Backend) -> Affinities:
    """Compute P̃ on an engine; also return what was learned and chosen on the way."""
    if not isinstance(data, Outline):
        raise ParameterError(f"data must be a RelationalData, got {type(data).__name__}")
    backend.check_affinities(data, settings.weights)
    checked = settings.checked(data)
    scheme = checked.weights if isinstance(checked.weights, str) else ""
    items = {name: data.has_vector(name) for name in data.sizes if data.count_vectors(name) >= 2}
    perplexities = checked.perplexities_for({name: int(mask.sum()) for name, mask in items.items()})
    derived = vectors_from_links(data, items, backend) if scheme == "auto" else {}
    items |= {name: mask for name, (_, mask) in derived.items()}
    shares = None
    if scheme == "auto" or (checked.relation_norm == CONDITIONAL and data.pairs):
        shares = shares_of(data, items, derived, checked, backend)
    if shares is not None and scheme == "auto" and shares.beta:
        beta = shares.beta
        logger.info("weights: %s", ", ".join(f"{_shown(block)} {value:.3f}" for block, value in beta.items()))
    else:
        known = {"auto": "size", "balanced": "equal"}.get(scheme, checked.weights)
        beta = block_weights(known, [*items, *data.pairs], data.sizes)

    blocks: dict[Block, Any] = {}
    recall: dict[str, float] = {}
    projections: dict[str, Projection] = {}
    for name, mask in items.items():
        count = int(mask.sum())
        masses = shares.neighbors[name][mask] if shares is not None and scheme == "auto" else None
        if masses is not None and (masses == masses[0]).all():  # the paper's P^(d), to the last bit
            masses = None
        if name in derived:
            plan = graph_plan(count, _perplexity_of(name, checked, count), checked.neighbors, checked.affinity)
            blocks[name], _ = backend.neighbor_graph(derived.pop(name)[0], plan, masses)
            continue
        plan = graph_plan(count, perplexities[name], checked.neighbors, checked.affinity)
        vectors, projection = backend.vectors(data, name, checked.metric[name], checked.n_pca[name], plan.k)
        if projection is not None:
            projections[name] = projection
        blocks[name], recall[name] = backend.neighbor_graph(vectors, plan, masses)
        del vectors  # as large as the data
        logger.info("%s: %.1f %% of the true neighbours found", name, 100 * recall[name])
    for pair in data.pairs:
        blocks[pair] = backend.relation_graph(data, pair, _norm(pair, checked, shares))
    P = backend.assemble(blocks, beta, data, items)
    if scheme == "balanced":  # by the processor, which needs all of P̃ at once
        P = backend.load(balance(backend.gather(P)))
    warn_of_lost_items(P, data)
    return Affinities(P, recall, projections, beta, checked.relation_norm)


def _norm(pair: tuple[str, str], checked: CheckedAffinitySettings, shares: Shares | None) -> LinkNorm:
    """Return how the links of a relation are normalised."""
    if checked.relation_norm == CONDITIONAL and shares is not None:
        return shares.links[pair]
    return norm_exponents(checked.relation_norm, within=pair[0] == pair[1])


def _perplexity_of(name: str, checked: CheckedAffinitySettings, count: int) -> float:
    """Return the perplexity of neighbours by links; nobody asked for them, so there is no word about a lower one."""
    return effective_perplexity(checked.perplexity.get(name, DEFAULT_PERPLEXITY), count)


def _shown(block: Block) -> str:
    return block if isinstance(block, str) else "-".join(block)


def warn_of_lost_items(P: Matrix, data: Outline) -> None:
    """Warn of items without any affinity."""
    empty = P.row_lengths() == 0
    if empty.any():
        counts = [
            f"{lost} of {name!r}"
            for name, start in data.offsets.items()
            if (lost := int(empty[start : start + data.sizes[name]].sum()))
        ]
        number = int(empty.sum())
        have, their, are = ("item has", "its", "it is") if number == 1 else ("items have", "their", "they are")
        warn(
            f"{number} {have} neither a vector nor a link that counts ({', '.join(counts)}), so nothing determines "
            f"{their} place; {are} drawn on a circle around the map",
            stacklevel=4,
        )
