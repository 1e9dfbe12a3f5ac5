"""P̃ in blocks of rows on the workers of a cluster; see :mod:`mrsne.affinity.joint` for one machine."""

from __future__ import annotations

import logging
import operator
from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.affinity.joint import Affinities, warn_of_lost_items
from mrsne.affinity.perplexity import ALL_PAIRS_UP_TO, MOST_PAIRS, effective_perplexity, neighbor_probabilities
from mrsne.affinity.projection import Projection
from mrsne.affinity.settings import check_affinity_settings, warn_of_limits
from mrsne.affinity.weights import block_weights
from mrsne.cluster import blocks, search
from mrsne.cluster.connection import Capacity
from mrsne.cluster.data import DistributedData, Triples
from mrsne.cluster.matrix import ClusterMatrix
from mrsne.cluster.merging import Found
from mrsne.parameters import ParameterError

ROWS_WITHOUT_VECTORS = 1_000_000  # of a domain in one block
SMALLEST = np.finfo(np.float32).tiny

logger = logging.getLogger("mrsne")


class Rows:
    """Where the items of all domains are: blocks of rows, one after the other.

    Parameters
    ----------
    sizes : mapping of str to int
    found : mapping of str to array
        Where the blocks of domains with vectors begin and end.
    """

    def __init__(self, sizes: Mapping[str, int], found: Mapping[str, NDArray[np.int64]]) -> None:
        self.edges = {
            name: found[name] if name in found else np.append(np.arange(0, size, ROWS_WITHOUT_VECTORS), size)
            for name, size in sizes.items()
        }
        self.blocks = [(name, number) for name, edges in self.edges.items() for number in range(len(edges) - 1)]
        self.starts = np.concatenate([[0], np.cumsum([len(self.of(block)) for block in self.blocks])]).astype(np.int64)

    def of(self, block: tuple[str, int]) -> range:
        """Return the items of a block, as positions in their domain."""
        name, number = block
        return range(int(self.edges[name][number]), int(self.edges[name][number + 1]))


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
    if isinstance(settings["weights"], str) and settings["weights"] == "balanced":
        raise ParameterError("weights='balanced' is not computed on a cluster; use 'size', 'equal' or a number")
    present = [name for name, array in data.vectors.items() if array is not None and data.sizes[name] >= 2]
    warn_of_limits({name: data.sizes[name] for name in present}, checked.perplexity, settings)
    beta = block_weights(settings["weights"], [*present, *data.relations], data.sizes)
    submit = partial(client.submit, pure=False)
    capacity = Capacity.of(client)
    projections: dict[str, Projection] = {}
    vectors, edges, wanted = {}, {}, {}
    uniform = settings["affinity"] == "uniform"
    for name in present:
        perplexity = effective_perplexity(checked.perplexity[name], data.sizes[name])
        wanted[name] = _neighbors_wanted(data.sizes[name], perplexity, settings["neighbors"], uniform)
        how = (checked.metric[name], checked.n_pca[name], wanted[name])
        vectors[name], edges[name] = blocks.prepare_blocks(data, name, *how, client, capacity, projections)
    rows = Rows(data.sizes, edges)
    pieces: dict[tuple[str, int], list[Any]] = {block: [] for block in rows.blocks}
    recalls: dict[str, Any] = {}
    near: list[Any] = []
    for name in present:
        perplexity = effective_perplexity(checked.perplexity[name], data.sizes[name])
        exactly = settings["neighbors"] == "exact"
        how_searched = (wanted[name], exactly, capacity.slots, client)
        near, recalls[name] = search.neighbors(vectors.pop(name), rows.edges[name], *how_searched)
        _symmetrize(name, near, None if uniform else perplexity, beta[name], data, rows, pieces, submit)
    for pair, parts in data.relations.items():
        _relate(pair, parts, settings["relation_norm"], beta[pair], data, rows, pieces, client)
    futures = [submit(row_block, pieces[block], len(rows.of(block)), data.n_items) for block in rows.blocks]
    P = ClusterMatrix(client, futures, rows.starts).coalesced(capacity.workers)  # whose cores share a block
    del near, pieces, futures  # so that workers need not keep them
    recall = {name: float(value) for name, value in zip(recalls, client.gather(list(recalls.values())), strict=True)}
    for name, value in recall.items():
        logger.info("%s: %.1f %% of the true neighbours found", name, 100 * value)
    warn_of_lost_items(P, data)
    return Affinities(P, recall, projections)


def _neighbors_wanted(n: int, perplexity: float, neighbors: str, uniform: bool) -> int:
    """Return how many neighbours of each item are kept, as on one machine: all others in small domains."""
    if uniform:
        return min(n - 1, max(1, round(perplexity)))
    if neighbors != "approximate" and n <= (MOST_PAIRS if neighbors == "exact" else ALL_PAIRS_UP_TO):
        return n - 1
    return min(n - 1, max(1, int(np.ceil(3 * perplexity))))


def _symmetrize(
    name: str,
    near: list[Any],
    perplexity: float | None,
    weight: float,
    data: DistributedData,
    rows: Rows,
    pieces: dict[tuple[str, int], list[Any]],
    submit: Any,
) -> None:
    """Add β (p_{j|i} + p_{i|j}) / 2n to the rows of both i and j: triples go to all blocks."""
    offset, scale = data.offsets[name], weight / (2 * data.sizes[name])
    for found in near:
        triples = submit(conditional, found, perplexity)
        _distribute(submit(split, triples, rows.edges[name], offset, scale, (False, True)), name, pieces, submit)


def _distribute(parts: Any, name: str, pieces: dict[tuple[str, int], list[Any]], submit: Any) -> None:
    """Hand the parts of some triples to the blocks of a domain that they belong to."""
    for block, collected in pieces.items():
        if block[0] == name:
            collected.append(submit(operator.getitem, parts, block[1]))


def _relate(
    pair: tuple[str, str],
    parts: list[Any],
    norm: str,
    weight: float,
    data: DistributedData,
    rows: Rows,
    pieces: dict[tuple[str, int], list[Any]],
    client: Any,
) -> None:
    """Add (β/2) R to the rows of the first domain and its transpose to those of the second, or β R inside one."""
    submit = partial(client.submit, pure=False)
    a, b = pair
    within = a == b
    triples = client.compute(parts)
    if within:
        triples = [submit(both_ways, part) for part in triples]
    largest = submit(max, [submit(largest_weight, part) for part in triples])
    triples = [submit(scaled, part, largest) for part in triples]
    sizes = (data.sizes[a], data.sizes[b])
    sums = submit(added, [submit(strengths, part, sizes) for part in triples])
    weighted = [submit(normalized, part, sums, norm) for part in triples]
    total = submit(total_weight, [submit(weight_of, part) for part in weighted], pair)
    scale = submit(operator.truediv, weight if within else weight / 2, total)
    for part in weighted:
        _distribute(submit(split, part, rows.edges[a], data.offsets[b], scale, (False,)), a, pieces, submit)
        if not within:
            _distribute(submit(split, part, rows.edges[b], data.offsets[a], scale, (True,)), b, pieces, submit)


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
    return i[kept], indices.ravel()[kept], p.ravel()[kept].astype(np.float64)


def split(
    triples: Triples, edges: NDArray[np.int64], offset: int, scale: float, turned: tuple[bool, ...]
) -> list[Triples]:
    """Cut triples by the block that their row is in, or with rows and columns exchanged, or both.

    Rows are counted within their block, columns within all items, and weights are multiplied by a scale.
    """
    parts: list[list[Any]] = [[] for _ in edges[1:]]
    for exchanged in turned:
        i, j = triples[:2][:: -1 if exchanged else 1]
        block = np.searchsorted(edges, i, side="right") - 1
        order = np.argsort(block, kind="stable")
        ends = np.searchsorted(block[order], np.arange(len(edges)))
        for number, (first, last) in enumerate(pairwise(ends)):
            which = order[first:last]
            row, column = (i[which] - edges[number]).astype(np.int32), (j[which] + offset).astype(np.int32)
            parts[number].append((row, column, triples[2][which] * scale))
    return [part[0] if len(part) == 1 else joined(part) for part in parts]


def joined(parts: list[Triples]) -> Triples:
    """Put triples together."""
    i, j, w = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return i, j, w


def both_ways(triples: Triples) -> Triples:
    """Return half of every link in each direction, without those of items to themselves."""
    i, j, w = triples
    kept = i != j
    i, j, w = i[kept], j[kept], w[kept] / 2
    return np.concatenate([i, j]), np.concatenate([j, i]), np.concatenate([w, w])


def largest_weight(triples: Triples) -> float:
    """Return the largest weight of some links."""
    return float(triples[2].max(initial=0))


def scaled(triples: Triples, largest: float) -> Triples:
    """Return links with weights of at most 1, so that products of their sums neither overflow nor vanish."""
    i, j, w = triples
    return i, j, w / largest if largest > 0 else w


def strengths(triples: Triples, sizes: tuple[int, int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums of the weights of every row and of every column."""
    i, j, w = triples
    by_row, by_column = (np.bincount(ends, w, minlength=n) for ends, n in zip((i, j), sizes, strict=True))
    return np.asarray(by_row, np.float64), np.asarray(by_column, np.float64)


def added(parts: list[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Add up the sums of several parts."""
    return np.sum([part[0] for part in parts], axis=0), np.sum([part[1] for part in parts], axis=0)


def normalized(triples: Triples, sums: tuple[NDArray[np.float64], NDArray[np.float64]], norm: str) -> Triples:
    """Normalise weights as in Section 4 of the paper; see :func:`mrsne.affinity.relations.normalize`."""
    i, j, w = triples
    if norm == "unnorm":
        return triples
    scale = sums[0][i] * sums[1][j]
    return i, j, w / (np.sqrt(scale) if norm == "norm" else scale)


def weight_of(triples: Triples) -> float:
    """Return the sum of some weights."""
    return float(triples[2].sum())


def total_weight(parts: list[float], pair: tuple[str, str]) -> float:
    """Return the sum of all weights of a relation, which must not be zero."""
    total = sum(parts)
    if not total > 0:
        raise ParameterError(f"relations[{pair!r}] has no link: it is empty, or every weight is zero")
    return total


def row_block(pieces: list[Triples], height: int, width: int) -> sparse.csr_matrix:
    """Return a block of rows of P̃ from the triples that belong to it; those of one place add up."""
    i, j, w = joined([(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)), *pieces])
    total = sparse.coo_matrix((w, (i, j)), shape=(height, width)).tocsr()
    total.sum_duplicates()
    total.data = total.data.astype(np.float32)
    total.data[total.data < SMALLEST] = 0
    total.eliminate_zeros()
    block = sparse.csr_matrix((height, width), dtype=np.float32)
    block.indptr, block.indices, block.data = total.indptr.astype(np.int64), total.indices.astype(np.int32), total.data
    return block
