"""Rows of affinities from new items to fitted ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.affinity.norms import CONDITIONAL, chosen_norm, norm_exponents
from mrsne.affinity.plan import RECALL
from mrsne.backends.cpu.probabilities import neighbor_probabilities
from mrsne.backends.cpu.search.neighbors import nearest_to
from mrsne.backends.links import strengths, within_graph
from mrsne.backends.projection import Projection
from mrsne.backends.rows import prepare
from mrsne.data import DataError, RelationalData

SAME_WITHIN = 1e-9  # of the squared distance to the last neighbour
MOST_PAIRS = 2**24  # of new and fitted items whose links are compared at a time


def block_shares(P: sparse.csr_matrix, data: RelationalData, domain: str) -> dict[Any, float]:
    """Return how the mass of a domain's rows is divided among neighbours in it and links to each other domain."""
    start, stop = data.offsets[domain], data.offsets[domain] + data.sizes[domain]
    columns = np.asarray(P[start:stop].sum(axis=0), dtype=np.float64).ravel()
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


def by_vector(
    data: RelationalData,
    domain: str,
    X: Any,
    metric: str,
    projection: Projection | None,
    perplexity: float,
    n_jobs: int | None,
) -> tuple[sparse.csr_matrix, NDArray[np.int64]]:
    """Return p_{j|i} over the nearest fitted vectors, and for each new item the fitted one with its vector, or -1."""
    present = np.flatnonzero(~data.missing[domain])
    fitted = data.vectors[domain]
    assert fitted is not None
    base = prepare(fitted if len(present) == data.sizes[domain] else fitted[present], metric)
    # in the precision of the fitted ones: equal vectors must be equal to the last bit
    with np.errstate(over="ignore"):
        precise = X if fitted.dtype == np.float16 else X.astype(fitted.dtype, copy=False)
    if not np.isfinite(precise.data if sparse.issparse(precise) else precise).all():
        raise DataError(f"vectors[{domain!r}] holds numbers too large for {fitted.dtype}, which the map was fitted to")
    targets = prepare(precise, metric, like=base)
    if projection is not None:
        base, targets = projection(base), projection(targets)
    k = min(len(present), max(1, math.ceil(3 * perplexity)))
    indices, squared, *_ = nearest_to(targets, base, k, RECALL, n_jobs=n_jobs)
    items = present[indices] + data.offsets[domain]
    p = neighbor_probabilities(squared, perplexity, n_jobs)
    # products of blocks of different size differ in their last digits, so projected twins are not quite equal
    twins = squared[:, 0] <= (0 if projection is None else SAME_WITHIN * squared[:, -1])
    same = np.where(twins, items[:, 0], -1)
    return _rows(p, items, data.n_items), same


def by_links(
    data: RelationalData, domain: str, other: str, W: sparse.csr_matrix, relation_norm: Any
) -> sparse.csr_matrix:
    """Return the links of new items, normalised as in the fit, each row summing to 1."""
    if chosen_norm(relation_norm) == CONDITIONAL:  # what an item gives to each of its own links
        relation_norm = "unnorm"
    fitted = data.relation(domain, other)
    columns = strengths(within_graph(fitted) if domain == other else fitted)[1]
    columns = np.where(columns > 0, columns, columns[columns > 0].min())
    of_first, of_second = norm_exponents(relation_norm, within=domain == other)
    power = of_second if (domain, other) in data.relations else of_first
    scaled = sparse.csr_matrix((W.data / columns[W.indices] ** power, W.indices, W.indptr), shape=W.shape)
    placed = sparse.csr_matrix(
        (scaled.data, scaled.indices + data.offsets[other], scaled.indptr), shape=(W.shape[0], data.n_items)
    )
    return normalised_rows(placed)


def by_similar_links(
    data: RelationalData,
    domain: str,
    rows: Mapping[str, sparse.csr_matrix],
    relation_norm: Any,
    perplexity: float,
    n_jobs: int | None,
) -> sparse.csr_matrix:
    """Return p_{j|i} over the fitted items of the domain whose links point in the most similar direction (cosine)."""
    given = total(list(rows.values()))
    fitted = total([by_links(data, domain, other, data.relation(domain, other), relation_norm) for other in rows])
    linked = np.flatnonzero(np.diff(fitted.indptr) > 0)
    left, right = _unit_rows(given), _unit_rows(fitted[linked]).T.tocsr()
    k = min(len(linked), max(1, math.ceil(3 * perplexity)))
    blocks = []
    size = max(1, MOST_PAIRS // len(linked))
    for start in range(0, left.shape[0], size):
        similarity = (left[start : start + size] @ right).toarray()
        best = np.argpartition(-similarity, k - 1, axis=1)[:, :k]
        # round away the last digits, so that items with the same links are at the same distance
        squared = np.maximum(np.round(2 - 2 * np.take_along_axis(similarity, best, axis=1), 12), 0)
        p = neighbor_probabilities(squared, perplexity, n_jobs)
        p[np.diff(left.indptr)[start : start + size] == 0] = 0
        blocks.append(_rows(p, linked[best] + data.offsets[domain], data.n_items))
    return sparse.csr_matrix(sparse.vstack(blocks, format="csr"))


def _rows(values: NDArray[np.float32], columns: NDArray[np.int64], n: int) -> sparse.csr_matrix:
    m, k = values.shape
    return sparse.csr_matrix((values.ravel(), columns.ravel(), np.arange(0, m * k + 1, k)), shape=(m, n))


def normalised_rows(P: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return P with every non-empty row divided by its sum."""
    sums = np.asarray(P.sum(axis=1)).ravel()
    return sparse.csr_matrix(sparse.diags_array(1 / np.where(sums > 0, sums, 1)) @ P)


def _unit_rows(P: sparse.csr_matrix) -> sparse.csr_matrix:
    length = np.sqrt(np.asarray(P.multiply(P).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags_array(1 / np.where(length > 0, length, 1)) @ P)


def total(matrices: Sequence[sparse.csr_matrix]) -> sparse.csr_matrix:
    """Return the sum of one or more sparse matrices."""
    return reduce(add, matrices)
