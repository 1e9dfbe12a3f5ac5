"""A map from data: affinities, then layout, and what is kept of both."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.affinity.joint import compute_affinities
from mrsne.affinity.settings import AffinitySettings, per_domain
from mrsne.arrays import Float32
from mrsne.backends.choice import choose_backend
from mrsne.backends.distances import PRECOMPUTED
from mrsne.backends.kernel import StudentKernel
from mrsne.backends.rows import prepare
from mrsne.data.outline import Outline, check_known
from mrsne.data.relational import RelationalData, in_memory, require_in_memory
from mrsne.layout.continuing import continue_layout
from mrsne.layout.embed import lay_out
from mrsne.layout.progress import stage
from mrsne.layout.schedule import START_DEVIATION
from mrsne.layout.settings import LayoutSettings
from mrsne.layout.start import PAPER_DEVIATION, principal_layout
from mrsne.metrics.reasons import settings_of
from mrsne.model.continuing import Origin
from mrsne.model.embedding import Embedding
from mrsne.model.lineage import Lineage
from mrsne.model.placement import FittedMap
from mrsne.parameters import ParameterError, random_numbers


def fit_map(
    data: Outline,
    settings: AffinitySettings,
    layout: LayoutSettings,
    device: str = "cpu",
    n_jobs: int | None = None,
    *,
    stacked: bool = False,
    start_from: Any = None,
    anchor: Any = "keep",
) -> FittedMap:
    """Compute a map, perhaps from another one; callbacks get an Embedding or, if ``stacked``, one array."""
    backend = choose_backend(data, device, n_jobs)
    layout = replace(layout, init=_stacked(layout.init, data))
    checked = layout.checked(data.n_items, backend)  # before the affinities, which may take long
    if not stacked:
        callbacks = [partial(_call_with_embedding, callback, data) for callback in checked.run.callbacks]
        checked = replace(checked, run=replace(checked.run, callbacks=callbacks))
    origin = None if start_from is None else Origin.of(start_from, anchor, data, layout.n_components)
    with backend.session():
        if isinstance(layout.init, str) and layout.init == "pca":
            checked = replace(checked, start=_principal_start(data, settings, layout))
        with stage("Neighbours", layout.verbose):
            affinities = compute_affinities(data, settings, backend, depth=1)
        if origin is None:
            Y, kl, n_iter = lay_out(affinities.P, checked, backend)
            return FittedMap(data, settings, affinities, Y, kl, n_iter, layout.dof, n_jobs)
        P = backend.gather(affinities.P) if origin.P is not None else None
        found = continue_layout(affinities.P, checked, origin.old_map(P), backend)
    Y = origin.registered(found.Y)
    lineage = origin.lineage(found, by_domain(Y, data), data)
    known = (Y, found.kl_divergence, found.n_iter, layout.dof, n_jobs)
    return FittedMap(data, settings, affinities, *known, lineage=lineage)


def restored_map(
    data: Outline,
    embedding: Embedding,
    settings: AffinitySettings,
    dof: float = 1.0,
    device: str = "cpu",
    n_jobs: int | None = None,
) -> FittedMap:
    """Return a map that was made before with these settings, to place new items into it."""
    found = {name: len(Y) for name, Y in embedding.items()}
    if found != dict(data.sizes):
        raise ParameterError(f"embedding has items {found}, but data has {dict(data.sizes)}")
    StudentKernel.checked(dof)  # with which new items will be placed
    backend = choose_backend(data, device, n_jobs)
    with backend.session():
        affinities = compute_affinities(data, settings, backend, depth=1)
    kl = math.nan if embedding.kl_divergence is None else embedding.kl_divergence
    return FittedMap(data, settings, affinities, embedding.stacked, kl, embedding.n_iter or 0, dof, n_jobs)


def embedding_of(fitted: FittedMap) -> Embedding:
    """Return a map by domain; of data on a cluster it knows the names."""
    data, affinities = fitted.data, fitted.affinities
    found = Embedding(
        by_domain(fitted.Y, data),
        fitted.kl_divergence,
        fitted.n_iter,
        data=in_memory(data),
        weights=affinities.weights,
        relation_norm=affinities.relation_norm,
        settings=vars(fitted.settings),
    )
    vars(found).update(lineage=fitted.lineage or Lineage.begin())
    if isinstance(data, RelationalData):  # others have no reasons
        found._memory.put("affinities", data, settings_of(found), affinities)
    return found


def by_domain(Y: Float32, data: Outline) -> dict[str, Float32]:
    """Return the places of all items apart, domain by domain."""
    return {name: Y[start : start + data.sizes[name]] for name, start in data.offsets.items()}


def _principal_start(data: Outline, settings: AffinitySettings, layout: LayoutSettings) -> Float32:
    """Return the principal components of all items' vectors together, where these are in one space."""
    known, K = require_in_memory(data, "init='pca' needs"), layout.n_components
    metrics = {per_domain("metric", settings.metric, data).get(name, "") for name in data.sizes}
    widths = {name: 0 if X is None or known.missing[name].any() else X.shape[1] for name, X in known.vectors.items()}
    in_one_space = len({*widths.values()}) == len(metrics) == 1 and PRECOMPUTED not in metrics
    if not in_one_space or min(*widths.values(), data.n_items) < K:
        raise ParameterError(
            f"init='pca' needs a vector of one length, at least {K}, for every item, and one metric for all, "
            f"got lengths {widths} and {', '.join(sorted(map(repr, metrics)))}; use init='spectral'"
        )
    vectors: list[Any] = list(known.vectors.values())
    stack = sparse.vstack if any(map(sparse.issparse, vectors)) else np.concatenate
    rows = prepare(vectors[0] if len(vectors) == 1 else stack(vectors), metrics.pop())
    deviation = PAPER_DEVIATION if layout.is_paper else START_DEVIATION
    return principal_layout(rows, K, random_numbers(layout.random_state), deviation)


def _stacked(init: Any, data: Outline) -> Any:
    """Return an initialisation given by domain as one array."""
    if not isinstance(init, Mapping):
        return init
    check_known("init", init, data.sizes)
    for name, size in data.sizes.items():
        given = len(init[name]) if name in init and np.ndim(init[name]) else "none"
        if given != size:
            raise ParameterError(f"init must have {size} positions for the domain {name!r}, got {given}")
    if len({np.shape(init[name])[1:] for name in data.sizes}) != 1:
        raise ParameterError("init must have the same number of columns for every domain")
    return np.concatenate([np.asarray(init[name], dtype=np.float32) for name in data.sizes])


def _call_with_embedding(callback: Any, data: Outline, iteration: int, kl: float, Y: Float32) -> Any:
    return callback(iteration, kl, Embedding(by_domain(Y, data), kl, iteration, data=in_memory(data)))
