"""Place new items: read them, give each a row of affinities to the fitted items, let it settle."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.affinity.settings import per_domain
from mrsne.backends.kernel import StudentKernel
from mrsne.backends.projection import Projection
from mrsne.data import Outline, require_in_memory
from mrsne.layout.positions import check_layout
from mrsne.model.placement.newcomers import read_new
from mrsne.model.placement.rows import block_shares, by_links, by_similar_links, by_vector, normalised_rows, total
from mrsne.model.placement.settling import settle
from mrsne.parameters import ParameterError
from mrsne.threads import threads

PERPLEXITY = 5.0  # a new item settles among its very nearest, as in openTSNE's transform


class Fitted(Protocol):
    """What placement needs to know of an estimator."""

    perplexity: Any
    metric: Any
    relation_norm: Any
    n_jobs: int | None
    dof: float
    affinities_: sparse.csr_matrix
    _projections: Mapping[str, Projection]


def place(
    model: Fitted,
    data: Outline,
    Y: NDArray[np.float32],
    vectors: Mapping[str, Any],
    relations: Mapping[tuple[str, str], Any],
) -> dict[str, NDArray[np.float32]]:
    """Return positions of new items by domain.

    A new item i gets a row p_{·|i} over the fitted items, made of the parts that are known of it: neighbours of its
    vector, its links, and, where a domain lives by its vectors but the new item has none, the fitted items with the
    most similar links in their stead. Each part weighs what it weighs for the fitted items of that domain, on average.
    The item then moves to a minimum of KL(p_{·|i} ‖ q_{·|i}) with q_{j|i} ∝ w(‖y_i−y_j‖), all fitted items fixed.
    """
    data = require_in_memory(data, "transform places new items into a map of")
    Y = check_layout("the map", Y, data.n_items)  # the mesh would write wherever a place is that is no number
    new = read_new(data, vectors, relations)
    if not new:
        raise ParameterError("transform needs vectors or relations of new items, got neither")
    metrics = per_domain("metric", model.metric, data)
    perplexities = per_domain("perplexity", model.perplexity, data)
    result: dict[str, NDArray[np.float32]] = {}
    with threads(model.n_jobs) as workers:
        for domain, (X, links) in new.items():
            share = block_shares(model.affinities_, data, domain)
            perplexity = min(PERPLEXITY, perplexities.get(domain, PERPLEXITY))
            parts: list[sparse.csr_matrix] = []
            same = None
            if X is not None:
                projection = model._projections.get(domain)
                row, same = by_vector(data, domain, X, metrics[domain], projection, perplexity, model.n_jobs)
                parts.append(row * max(share[domain], 1e-12))
            if links:
                rows = {other: by_links(data, domain, other, W, model.relation_norm) for other, W in links.items()}
                parts += [row * max(share[other, "links"], 1e-12) for other, row in rows.items()]
                if X is None and share[domain] > 0:
                    parts.append(
                        by_similar_links(data, domain, rows, model.relation_norm, perplexity, model.n_jobs)
                        * share[domain]
                    )
            P = normalised_rows(total(parts))
            positions = settle(P, Y, workers, StudentKernel.checked(model.dof))
            _warn_of_lost_items(P, domain)
            if same is not None:
                twins = (same >= 0) & ~np.any([np.diff(W.indptr) > 0 for W in links.values()] or [False], axis=0)
                positions[twins] = Y[same[twins]]
            result[domain] = positions
    return result


def _warn_of_lost_items(P: sparse.csr_matrix, domain: str) -> None:
    lost = int((np.diff(P.indptr) == 0).sum())
    if lost:
        warnings.warn(
            f"new items of {domain!r} without vector and link: {lost}; they are placed beside the map",
            stacklevel=4,
        )
