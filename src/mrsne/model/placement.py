"""New items into a fixed map: each gets a row of affinities to the fitted items, and settles there."""

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.affinity.joint import Affinities
from mrsne.affinity.settings import CONDITIONAL, RECALL, AffinitySettings, norm_exponents, per_domain, resolved_norm
from mrsne.arrays import Float32, Float64, Int64
from mrsne.backends.cpu.probabilities import known_probabilities, neighbor_probabilities
from mrsne.backends.cpu.search.neighbors import nearest_to
from mrsne.backends.cpu.settling import settle
from mrsne.backends.distances import PRECOMPUTED, KnownDistances, check_not_negative
from mrsne.backends.kernel import StudentKernel
from mrsne.backends.links import strengths, within_graph
from mrsne.backends.rows import prepare
from mrsne.data.outline import Outline
from mrsne.data.relational import RelationalData, require_in_memory
from mrsne.data.relations import edge_columns, read_relation
from mrsne.data.vectors import DataError, read_vectors
from mrsne.layout.inputs import check_layout
from mrsne.model.lineage import Lineage
from mrsne.parameters import ParameterError
from mrsne.threads import threads

PERPLEXITY = 5.0  # a new item settles among its very nearest, as in openTSNE's transform
SAME_WITHIN = 1e-9  # of the squared distance to the last neighbour
MOST_PAIRS = 2**24  # of new and fitted items whose links are compared at a time
Relations = Mapping[tuple[str, str], Any]


@dataclass(frozen=True)
class FittedMap:
    """What a fit leaves: a map, the affinities that it follows from, and how both were made."""

    data: Outline
    settings: AffinitySettings
    affinities: Affinities
    Y: Float32  # places of all items, domain after domain
    kl_divergence: float = math.nan
    n_iter: int = 0
    dof: float = 1.0
    n_jobs: int | None = None
    lineage: Lineage | None = None  # of a map that continues another

    def perplexity(self, domain: str) -> float:
        fitted = per_domain("perplexity", self.settings.perplexity, self.data)
        return min(PERPLEXITY, float(fitted.get(domain, PERPLEXITY)))


def place(into: FittedMap, vectors: Mapping[str, Any], relations: Relations) -> dict[str, Float32]:
    """Return positions of new items by domain.

    A new item i gets a row p_{·|i} over the fitted items: neighbours of its vector and its links, or, where it has no
    vector in a domain of vectors, the fitted items with the most similar links. Each part weighs what it weighs for the
    fitted items, on average. The item moves to a minimum of KL(p_{·|i} ‖ q_{·|i}) with q_{j|i} ∝ w(‖y_i−y_j‖).
    """
    data = require_in_memory(into.data, "transform places new items into a map of")
    Y = check_layout("the map", into.Y, data.n_items)  # the mesh would write wherever a place is that is no number
    new = read_new(data, vectors, relations)
    if not new:
        raise ParameterError("transform needs vectors or relations of new items, got neither")
    result: dict[str, Float32] = {}
    with threads(into.n_jobs):
        for domain, (X, links) in new.items():
            P, twins = _affinities(into, data, domain, X, links)
            positions = settle(P, Y, StudentKernel.checked(into.dof))
            lost = int((np.diff(P.indptr) == 0).sum())
            if lost:
                text = f"new items of {domain!r} without vector and link: {lost}; they are placed beside the map"
                warnings.warn(text, stacklevel=3)
            same = np.flatnonzero(twins >= 0)
            positions[same] = Y[twins[same]]
            result[domain] = positions
    return result


def _affinities(
    into: FittedMap, data: RelationalData, domain: str, X: Any, links: Mapping[str, sparse.csr_matrix]
) -> tuple[sparse.csr_matrix, Int64]:
    """Return a row for each new item of a domain, and the fitted item on which one without links lands, or -1."""
    share = _block_shares(into.affinities.gather(), data, domain)
    parts: list[sparse.csr_matrix] = []
    twins = np.full(0, -1)
    if X is not None:
        row, twins = by_vector(into, data, domain, X)
        parts.append(row * max(share[domain], 1e-12))
        for W in links.values():
            twins[np.diff(W.indptr) > 0] = -1
    if links:
        norm = into.settings.relation_norm
        rows = {other: _by_links(data, domain, other, W, norm) for other, W in links.items()}
        parts += [row * max(share[other, "links"], 1e-12) for other, row in rows.items()]
        if X is None and share[domain] > 0:
            parts.append(_by_similar_links(into, data, domain, rows) * share[domain])
    return _normalised_rows(reduce(add, parts)), twins


def read_new(
    data: RelationalData, vectors: Mapping[str, Any], relations: Relations
) -> dict[str, tuple[Any, dict[str, sparse.csr_matrix]]]:
    """Check the new items; return vectors (or None) and links to other domains for each domain that has new items."""
    new: dict[str, tuple[Any, dict[str, sparse.csr_matrix]]] = {}
    for domain, given in vectors.items():
        fitted = data.vectors.get(domain)
        if fitted is None or data.missing[domain].all():
            known = ", ".join(repr(name) for name, mask in data.missing.items() if not mask.all())
            raise DataError(f"vectors names {domain!r}, but the fitted domains with vectors are {known}")
        X = read_vectors(domain, given, None)[0]
        if X is None or X.shape[1] != fitted.shape[1]:
            found = "a count" if X is None else f"{X.shape[1]} columns"
            raise DataError(f"vectors[{domain!r}] has {found}, but the map was fitted to {fitted.shape[1]} columns")
        new[domain] = (X, {})
    counts: dict[str, int] = {domain: X.shape[0] for domain, (X, _) in new.items()}
    for pair, given in relations.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or not {pair, pair[::-1]} & data.relations.keys():
            known = ", ".join(map(repr, data.relations))
            raise DataError(f"relations names {pair!r}, but the fitted relations are {known}")
        if pair[0] not in vectors:
            counts[pair[0]] = max(counts.get(pair[0], 0), _count_new(pair, given))
    for pair, given in relations.items():
        domain, other = pair
        shape = (counts[domain], data.sizes[other])
        links = new.setdefault(domain, (None, {}))[1]
        links[other] = read_relation(pair, given, shape, (None, data.names.get(other)), empty=True)
    return new


def _count_new(pair: tuple[str, str], given: Any) -> int:
    table = edge_columns(pair, given) if not hasattr(given, "shape") or hasattr(given, "columns") else None
    if table is None:
        return len(given) if isinstance(given, (list, tuple)) else int(getattr(given, "shape", (0,))[0])
    positions = np.asarray(table[0])
    if not np.issubdtype(positions.dtype, np.integer) or positions.size == 0:
        raise DataError(f"relations[{pair!r}] must name the new items of {pair[0]!r} by their positions 0, 1, 2, …")
    return int(positions.max()) + 1


def _block_shares(P: sparse.csr_matrix, data: RelationalData, domain: str) -> dict[Any, float]:
    """Return how the mass of a domain's rows is divided among neighbours in it and links to each other domain."""
    start, stop = data.offsets[domain], data.offsets[domain] + data.sizes[domain]
    entries = slice(P.indptr[start], P.indptr[stop])
    columns = np.bincount(P.indices[entries], P.data[entries], P.shape[1])
    mass = max(columns.sum(), 1e-300)
    share: dict[Any, float] = {}
    for other, offset in data.offsets.items():
        share[other, "links"] = float(columns[offset : offset + data.sizes[other]].sum() / mass)
    # of a domain without vectors, these are neighbours by shared links, or its own graph
    lives_by_neighbors = data.vectors[domain] is not None or (domain, domain) not in data.relations
    share[domain] = share[domain, "links"] if lives_by_neighbors else 0.0
    if share[domain] and (domain, domain) in data.relations:
        # neighbours and links inside a domain are one block of P̃: half of it for each
        share[domain] = share[domain, "links"] = share[domain] / 2
    return share


def by_vector(into: FittedMap, data: RelationalData, domain: str, X: Any) -> tuple[sparse.csr_matrix, Int64]:
    """Return p_{j|i} over the nearest fitted vectors, and for each new item the fitted one with its vector, or -1."""
    present = np.flatnonzero(~data.missing[domain])
    perplexity = into.perplexity(domain)
    k = min(len(present), max(1, math.ceil(3 * perplexity)))
    metric = per_domain("metric", into.settings.metric, data)[domain]
    if metric == PRECOMPUTED:
        return _by_distance(data, domain, X[:, present], present, k, perplexity)
    fitted = data.vectors[domain]
    assert fitted is not None
    base = prepare(fitted if len(present) == data.sizes[domain] else fitted[present], metric)
    # in the precision of the fitted ones: equal vectors must be equal to the last bit
    with np.errstate(over="ignore"):
        precise = X if fitted.dtype == np.float16 else X.astype(fitted.dtype, copy=False)
    if not np.isfinite(precise.data if sparse.issparse(precise) else precise).all():
        raise DataError(f"vectors[{domain!r}] holds numbers too large for {fitted.dtype}, which the map was fitted to")
    targets = prepare(precise, metric, like=base)
    projection = into.affinities.projections.get(domain)
    if projection is not None:
        base, targets = projection(base), projection(targets)
    indices, squared, *_ = nearest_to(targets, base, k, RECALL)
    items = present[indices] + data.offsets[domain]
    p = neighbor_probabilities(squared, perplexity)
    # products of blocks of different size differ in their last digits, so projected twins are not quite equal
    twins = squared[:, 0] <= (0 if projection is None else SAME_WITHIN * squared[:, -1])
    same = np.where(twins, items[:, 0], -1)
    return _rows(p, items, data.n_items), same


def _by_distance(
    data: RelationalData, domain: str, X: Any, present: Int64, k: int, perplexity: float
) -> tuple[sparse.csr_matrix, Int64]:
    """Return what :func:`by_vector` does, for new items whose distances to the fitted ones are given."""
    check_not_negative(X, domain)
    near = KnownDistances(X, own=False).nearest(k)
    items = present[near.indices] + data.offsets[domain]
    p = known_probabilities(near, k, perplexity).data
    same = np.full(len(near.indptr) - 1, -1)
    known = np.flatnonzero(np.diff(near.indptr))
    first = near.indptr[known]
    same[known] = np.where(near.data[first] == 0, items[first], -1)
    return sparse.csr_matrix((p, items, near.indptr), shape=(X.shape[0], data.n_items)), same


def _by_links(data: RelationalData, domain: str, other: str, W: sparse.csr_matrix, norm: Any) -> sparse.csr_matrix:
    """Return the links of new items, normalised as in the fit, each row summing to 1."""
    if resolved_norm(norm) == CONDITIONAL:  # what an item gives to each of its own links
        norm = "unnorm"
    fitted = data.relation(domain, other)
    columns = strengths(within_graph(fitted) if domain == other else fitted)[1]
    columns = np.where(columns > 0, columns, columns[columns > 0].min())
    of_first, of_second = norm_exponents(norm, within=domain == other)
    power = of_second if (domain, other) in data.relations else of_first
    scaled = W.data / columns[W.indices] ** power, W.indices + data.offsets[other], W.indptr
    return _normalised_rows(sparse.csr_matrix(scaled, shape=(W.shape[0], data.n_items)))


def _by_similar_links(
    into: FittedMap, data: RelationalData, domain: str, rows: Mapping[str, sparse.csr_matrix]
) -> sparse.csr_matrix:
    """Return p_{j|i} over the fitted items of the domain whose links point in the most similar direction (cosine)."""
    given, norm, perplexity = reduce(add, rows.values()), into.settings.relation_norm, into.perplexity(domain)
    fitted = reduce(add, [_by_links(data, domain, other, data.relation(domain, other), norm) for other in rows])
    linked = np.flatnonzero(np.diff(fitted.indptr) > 0)
    left, right = _unit_rows(given), _unit_rows(fitted[linked]).T.tocsr()
    k = min(len(linked), max(1, math.ceil(3 * perplexity)))
    blocks = []
    size = max(1, MOST_PAIRS // len(linked))
    for start in range(0, left.shape[0], size):
        block = left[np.arange(start, min(start + size, left.shape[0]))]  # scipy's slices crash without memory
        similarity = (block @ right).toarray()
        best = np.argpartition(-similarity, k - 1, axis=1)[:, :k]
        # round away the last digits, so that items with the same links are at the same distance
        squared = np.maximum(np.round(2 - 2 * np.take_along_axis(similarity, best, axis=1), 12), 0)
        p = neighbor_probabilities(squared, perplexity)
        p[np.diff(block.indptr) == 0] = 0
        blocks.append(_rows(p, linked[best] + data.offsets[domain], data.n_items))
    return sparse.csr_matrix(sparse.vstack(blocks, format="csr"))


def _rows(values: Float32, columns: Int64, n: int) -> sparse.csr_matrix:
    m, k = values.shape
    return sparse.csr_matrix((values.ravel(), columns.ravel(), np.arange(0, m * k + 1, k)), shape=(m, n))


def _normalised_rows(P: sparse.csr_matrix) -> sparse.csr_matrix:
    return _divided_rows(P, np.asarray(P.sum(axis=1)).ravel())


def _unit_rows(P: sparse.csr_matrix) -> sparse.csr_matrix:
    return _divided_rows(P, np.sqrt(np.asarray(P.multiply(P).sum(axis=1)).ravel()))


def _divided_rows(P: sparse.csr_matrix, divisors: Float64) -> sparse.csr_matrix:
    return sparse.csr_matrix(sparse.diags_array(1 / np.where(divisors > 0, divisors, 1)) @ P)
