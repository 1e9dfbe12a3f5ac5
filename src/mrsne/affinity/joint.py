"""All graphs into one joint probability matrix P̃."""

from __future__ import annotations

import logging
import math
import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from scipy import sparse

from mrsne.affinity.balance import balance
from mrsne.affinity.settings import CONDITIONAL, AffinitySettings, graph_plan, norm_exponents
from mrsne.affinity.weights import block_weights, shares_of
from mrsne.arrays import Bool, Int64
from mrsne.backends.base import Backend, Block, GraphPlan, Matrix
from mrsne.backends.choice import choose_backend
from mrsne.backends.distances import PRECOMPUTED, known_counts
from mrsne.backends.projection import Projection
from mrsne.data.outline import Outline
from mrsne.parameters import ParameterError
from mrsne.threads import one_for_each_process

logger = logging.getLogger("mrsne")
_gather_lock = one_for_each_process(threading.Lock)


@dataclass
class Affinities:
    """P̃, and what was learned and chosen on the way to it; computed once, and handed on to all who need it.

    P̃ stays in the memory of its engine until :meth:`gather` is called; a pickle holds what that returns.
    """

    P: Any  # a Matrix of the engine; what a caller gets once it has been gathered
    backend: Backend | None = None  # whose matrix it is; None once it has been gathered
    recall: dict[str, float] = field(default_factory=dict)  # by domain, the share of the true neighbours found
    projections: dict[str, Projection] = field(default_factory=dict)
    weights: dict[Block, float] = field(default_factory=dict)  # β
    relation_norm: Any = None

    def gather(self) -> Any:
        """Return P̃ as a caller gets it, a CSR matrix or one on a cluster; the engine's own copy is released."""
        with _gather_lock():
            if self.backend is not None:
                self.P, self.backend = self.backend.gather(self.P), None
            return self.P

    def __getstate__(self) -> dict[str, Any]:
        self.gather()
        return self.__dict__


def joint_affinities(
    data: Outline,
    perplexity: float | Mapping[str, float] = AffinitySettings.perplexity,
    relation_norm: str | float | tuple[float, float] = AffinitySettings.relation_norm,
    weights: str | float | Mapping[Any, float] = AffinitySettings.weights,
    neighbors: str = AffinitySettings.neighbors,
    metric: str | Mapping[str, str] = AffinitySettings.metric,
    n_jobs: int | None = None,
    *,
    affinity: str = AffinitySettings.affinity,
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
        proportion to their number of pairs; "equal": the same for every block; "balanced": equal, then scaled so that
        every item carries the same mass; a number from 0 to 1: the share of all relations together, divided as by
        "size"; or a mapping with a weight for every domain with vectors and every relation, such
        as ``{"image": 0.5, "tag": 0.1, ("image", "tag"): 0.4}``, divided by its sum.
    neighbors : {"auto", "exact", "approximate"}
        "exact": all pairs of a domain, up to 20,000 items where memory allows; "approximate": 3·perplexity nearest
        neighbours; "auto": all pairs up to 1,000 items, then nearest neighbours.
    metric : {"euclidean", "cosine", "precomputed"} or mapping of str to str
        "precomputed": vectors are distances, as for :class:`mrsne.MRSNE`.
    n_jobs, affinity, n_pca : int, {"gaussian", "uniform"}, int or mapping of str to int or None
        As for :class:`mrsne.MRSNE`.
    device : {"cpu", "cuda", "auto"}
        "cuda" computes them on a GPU (extra ``gpu``), "auto" where there is one. Sparse vectors are
        always searched, and masses balanced, on the processor.

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
        return compute_affinities(data, settings, backend).gather()


def affinities_of(data: Outline, settings: Mapping[str, Any]) -> Affinities:
    """Compute the affinities of a map again, from the settings that an Embedding keeps.

    No warnings are given: that was done when the map was made.
    """
    backend = choose_backend(data)
    with backend.session():
        return compute_affinities(data, AffinitySettings(**settings), backend, quiet=True)


def compute_affinities(
    data: Outline, settings: AffinitySettings, backend: Backend, *, quiet: bool = False, depth: int = 0
) -> Affinities:
    """Compute P̃ on an engine.

    Warnings point at the line that called the caller of this function, or ``depth`` calls further out.
    """

    def warn(message: str) -> None:
        if not quiet:
            warnings.warn(message, stacklevel=5 + depth)

    if not isinstance(data, Outline):
        raise ParameterError(f"data must be a RelationalData, got {type(data).__name__}")
    checked = settings.checked(data)
    backend.check_affinities(data, checked)
    scheme = checked.weights if isinstance(checked.weights, str) else ""
    items = {name: data.has_vector(name) for name in data.sizes if data.count_vectors(name) >= 2}
    perplexities = checked.perplexities_for({name: int(mask.sum()) for name, mask in items.items()}, warn)
    derived = neighbors_from_links(data, items, checked.plan_by_links, backend) if scheme == "auto" else {}
    items |= {name: mask for name, (_, mask) in derived.items()}
    shares = None
    if scheme == "auto" or (checked.relation_norm == CONDITIONAL and data.pairs):
        shares = shares_of(data, items, derived, checked.metric if scheme == "auto" else {}, backend)
    if shares is not None and scheme == "auto" and shares.beta:
        beta = shares.beta
        shown = (f"{block if isinstance(block, str) else '-'.join(block)} {value:.3f}" for block, value in beta.items())
        logger.info("weights: %s", ", ".join(shown))
    else:
        known = {"auto": "size", "balanced": "equal"}.get(scheme, checked.weights)
        beta = block_weights(known, [*items, *data.pairs], data.sizes)

    found = Affinities(None, backend, weights=beta, relation_norm=checked.relation_norm)
    blocks: dict[Block, Any] = {}
    for name, mask in items.items():
        masses = shares.neighbors[name][mask] if shares is not None and scheme == "auto" else None
        if masses is not None and (masses == masses[0]).all():  # the paper's P^(d), to the last bit
            masses = None
        count = int(mask.sum())
        if name in derived:
            blocks[name], _ = backend.neighbor_graph(derived.pop(name)[0], checked.plan_by_links(name, count), masses)
            continue
        plan = graph_plan(count, perplexities[name], checked.neighbors, checked.affinity)
        vectors, projection = backend.vectors(data, name, checked.metric[name], checked.n_pca[name], plan.k)
        if projection is not None:
            found.projections[name] = projection
        if checked.metric[name] == PRECOMPUTED and sparse.issparse(vectors.matrix):
            _warn_of_few_neighbors(name, known_counts(vectors.matrix), plan, warn)
        blocks[name], found.recall[name] = backend.neighbor_graph(vectors, plan, masses)
        del vectors  # as large as the data
        logger.info("%s: %.1f %% of the true neighbours found", name, 100 * found.recall[name])
    for pair in data.pairs:
        factors = shares.links[pair] if shares is not None and checked.relation_norm == CONDITIONAL else None
        norm = factors or norm_exponents(checked.relation_norm, within=pair[0] == pair[1])
        blocks[pair] = backend.relation_graph(data, pair, norm)
    found.P = backend.assemble(blocks, beta, data, items)
    if scheme == "balanced":  # by the processor, which needs all of P̃ at once
        found.P = backend.load(balance(backend.gather(found.P), warn))
    warn_of_lost_items(found.P, data, warn)
    return found


def _warn_of_few_neighbors(name: str, known: Int64, plan: GraphPlan, warn: Callable[[str], None]) -> None:
    """Warn where a perplexity is lowered because too few distances are known."""
    wanted = plan.k if plan.perplexity is None else min(plan.k, math.ceil(3 * plan.perplexity))
    if few := int((known < wanted).sum()):
        warn(
            f"perplexity is lowered for {few} of {len(known)} items of {name!r}, which have distances to fewer than "
            f"{wanted} neighbours (at least {known.min()}), to a third of their number"
        )


def neighbors_from_links(
    data: Outline, items: Mapping[str, Any], plan_for: Callable[[str, int], GraphPlan], backend: Backend
) -> dict[str, tuple[Any, Bool]]:
    """Return neighbours by what is shared, and which items have any, for domains without a neighbour graph."""
    linked = [name for name in data.sizes if name not in items and any(name in pair for pair in data.pairs)]
    found = {name: backend.link_neighbors(data, name, partial(plan_for, name)) for name in linked}
    return {name: neighbors for name, neighbors in found.items() if neighbors is not None}


def warn_of_lost_items(P: Matrix, data: Outline, warn: Callable[[str], None]) -> None:
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
            f"{their} place; {are} drawn on a circle around the map"
        )
