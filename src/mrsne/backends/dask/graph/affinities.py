"""P̃ in blocks of rows on the workers of a cluster; see :mod:`mrsne.affinity.joint` for one machine."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.affinity.joint import Affinities, warn_of_lost_items
from mrsne.affinity.settings import check_affinity_settings, warn_of_limits
from mrsne.affinity.weights import block_weights
from mrsne.backends.cpu.graph.bandwidths import (
    ALL_PAIRS_UP_TO,
    MOST_PAIRS,
    effective_perplexity,
    neighbor_probabilities,
)
from mrsne.backends.cpu.graph.projection import Projection
from mrsne.backends.dask.connection import Capacity
from mrsne.backends.dask.graph.relations import relation_links
from mrsne.backends.dask.matrix.matrix import ClusterMatrix
from mrsne.backends.dask.search import blocks
from mrsne.backends.dask.search import neighbors as search
from mrsne.backends.dask.search.merging import Found
from mrsne.backends.dask.shuffle import shuffled
from mrsne.data.lazy import DistributedData
from mrsne.data.triples import Triples, row_block

SHARES = 4  # blocks that the rows of a worker are put together in

logger = logging.getLogger("mrsne")


def cluster_affinities(data: DistributedData, client: Any, settings: Mapping[str, Any]) -> Affinities:
    """Compute P̃ of data on a cluster.

    Parameters
    ----------
    data : DistributedData
    client : distributed.Client
    settings : mapping
        ``perplexity``, ``relation_norm``, ``weights``, ``neighbors``, ``metric``, ``affinity`` and ``n_pca``, as for
        :func:`mrsne.joint_affinities`.
    """
    checked = check_affinity_settings(data, settings)
    present = [name for name, array in data.vectors.items() if array is not None and data.sizes[name] >= 2]
    warn_of_limits({name: data.sizes[name] for name in present}, checked.perplexity, settings)
    beta = block_weights(settings["weights"], [*present, *data.relations], data.sizes)
    submit = partial(client.submit, pure=False)
    capacity = Capacity.of(client)
    projections: dict[str, Projection] = {}
    recall: dict[str, float] = {}
    entries: list[Any] = []
    uniform, exactly = settings["affinity"] == "uniform", settings["neighbors"] == "exact"
    most = 1
    for name in present:
        n = data.sizes[name]
        perplexity = effective_perplexity(checked.perplexity[name], n)
        k = _neighbors_wanted(n, perplexity, settings["neighbors"], uniform)
        how = (checked.metric[name], checked.n_pca[name], k)
        vectors, starts = blocks.prepare_blocks(data, name, *how, client, capacity, projections)
        near, recall[name] = search.neighbors(vectors, starts, k, exactly, capacity, client)
        logger.info("%s: %.1f %% of the true neighbours found", name, 100 * recall[name])
        place = (data.offsets[name], beta[name] / (2 * n))
        entries += [submit(neighbor_links, found, None if uniform else perplexity, *place) for found in near]
        most = max(most, k)
        del vectors, near  # so that workers need not keep them
    for pair, parts in data.relations.items():
        how_related = (settings["relation_norm"], beta[pair], data.sizes, data.offsets, client)
        entries += relation_links(pair, parts, *how_related)
    starts = row_starts(data.n_items, capacity, most)
    pieces = shuffled(entries, starts, submit)
    ranges = pairwise(starts.tolist())
    futures = [
        submit(row_block, inside, first, last - first, data.n_items)
        for inside, (first, last) in zip(pieces, ranges, strict=True)
    ]
    P = ClusterMatrix(client, futures, starts).coalesced(capacity.workers)  # whose cores share a block
    del entries, pieces, futures
    warn_of_lost_items(P, data)
    return Affinities(P, recall, projections)


def row_starts(n: int, capacity: Capacity, k: int) -> NDArray[np.int64]:
    """Return where blocks of rows begin while they are put together, and n: some for each worker, none too large.

    Examples
    --------
    >>> row_starts(100, Capacity(workers=1, slots=2, block_bytes=2**20), 10).tolist()
    [0, 25, 50, 75, 100]
    """
    most = blocks.rows_with_neighbors(capacity.block_bytes, k)
    count = min(n, capacity.workers * max(SHARES, -(-n // (most * capacity.workers))))
    return np.linspace(0, n, count + 1).astype(np.int64)


def _neighbors_wanted(n: int, perplexity: float, neighbors: str, uniform: bool) -> int:
    """Return how many neighbours of each item are kept, as on one machine: all others in small domains."""
    if uniform:
        return min(n - 1, max(1, round(perplexity)))
    if neighbors != "approximate" and n <= (MOST_PAIRS if neighbors == "exact" else ALL_PAIRS_UP_TO):
        return n - 1
    return min(n - 1, max(1, int(np.ceil(3 * perplexity))))


def neighbor_links(found: Found, perplexity: float | None, offset: int, scale: float) -> Triples:
    """Return the entries of β (p_{j|i} + p_{i|j}) / 2n in P̃ that come from the neighbours of some rows."""
    triples = conditional(found, perplexity)
    return Triples.joined([triples.placed(offset, offset, scale, turned) for turned in (False, True)])


def conditional(found: Found, perplexity: float | None) -> Triples:
    """Return the triples (i, j, p_{j|i}) of some rows; uniform ones without a perplexity."""
    numbers, indices, squared = found
    lacking = indices < 0
    if perplexity is None:
        p = np.full(indices.shape, 1 / indices.shape[1], np.float32)
    else:
        farthest = np.where(lacking, 0, squared).max(axis=1, keepdims=True)
        p = neighbor_probabilities(np.where(lacking, farthest, squared), perplexity, n_jobs=1)
    p = np.where(lacking, 0, p)
    p = p / p.sum(axis=1, keepdims=True, dtype=np.float64)
    i = np.repeat(numbers, indices.shape[1])
    kept = ~lacking.ravel()
    return Triples(i[kept], indices.ravel()[kept], p.ravel()[kept].astype(np.float64))
