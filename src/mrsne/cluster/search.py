"""The nearest neighbours of every row, where rows are blocks on the workers of a cluster.

A few rows are compared all with all, block by block. Many are searched with an inverted file: centres learned from a
sample, and each block a shard of the lists around them, which faiss searches. In both cases every block of queries
meets every block of points, and the k nearest of each meeting are merged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrsne.affinity.distances import distances_to
from mrsne.affinity.exact import Standard
from mrsne.affinity.inverted import RECALL, ROUNDS, TRAINING
from mrsne.affinity.neighbors import SEARCH_EXACTLY_UP_TO, SPARE, nearest_to
from mrsne.affinity.rows import Dense
from mrsne.cluster.blocks import gathered
from mrsne.compilation import threads

SAMPLE = 400  # rows whose neighbours are searched exactly
FEWEST_PROBES = 8
MOST_NUMBERS, FEWEST_TRAINING = 2**24, 1_000  # numbers of rows, and rows, that centres are learned from
FEWEST_POINTS = 4  # times as many as neighbours are wanted, in the lists that a query looks into
MERGED = 8  # sets of neighbours merged by one task


class Found(NamedTuple):
    """Neighbours of a block of rows, sorted by distance."""

    indices: NDArray[np.int64]  # (m, k), numbers of rows
    squared: NDArray[np.float64]  # (m, k)


@dataclass(frozen=True)
class Lists:
    """Centres of an inverted file, and how many lists a query looks into."""

    standard: Standard
    centres: NDArray[np.float32]
    probes: int = 0

    def home(self, rows: Dense) -> NDArray[np.int64]:
        """Return the list of each row."""
        index = _flat(self.centres)
        return np.asarray(index.search(self.standard(rows, slice(None)), 1)[1][:, 0], dtype=np.int64)


class Sample(NamedTuple):
    """Some rows, and their true neighbours."""

    numbers: NDArray[np.int64]
    found: Found


def neighbors(
    blocks: list[Any], starts: NDArray[np.int64], k: int, exactly: bool, submit: Any
) -> tuple[list[Any], Any]:
    """Return the k nearest other rows of the rows of every block, as futures, and the recall, a future too.

    Parameters
    ----------
    blocks : list of futures
        Blocks of rows.
    starts : array
        The number of the first row of each block, and of all rows.
    k : int
    exactly : bool
        Whether to compare all with all, however many there are.
    submit : callable
        Of a client.
    """
    n = int(starts[-1])
    exactly = exactly or n <= SEARCH_EXACTLY_UP_TO
    if exactly:
        found = [
            _merge([submit(compare, asked, block, p, k) for block, p in _with(blocks, starts)], q, k, submit)
            for asked, q in _with(blocks, starts)
        ]
        return found, submit(float, 1.0)
    n_lists = int(np.sqrt(n))
    lists = submit(train, [submit(taken, block, TRAINING * n_lists, n) for block in blocks], n_lists)
    numbers = np.arange(0, n, max(1, n // SAMPLE))[:SAMPLE]
    asked = submit(gathered, [submit(some, block, numbers, p) for block, p in _with(blocks, starts)])
    meetings = [submit(compare, asked, block, p, k + 1) for block, p in _with(blocks, starts)]
    sample = submit(sampled, numbers, _merge(meetings, -1, k + 1, submit), k)
    homes = [submit(home, lists, block) for block in blocks]
    ranks = [submit(ranks_of, lists, asked, sample, h, p) for h, p in _with(homes, starts)]
    lists = submit(with_probes, lists, ranks, -(-FEWEST_POINTS * k * n_lists // n))
    found = [
        _merge(
            [
                submit(search_shard, lists, asked_block, block, homes[number], q, p, k)
                for number, (block, p) in enumerate(_with(blocks, starts))
            ],
            q,
            k,
            submit,
        )
        for asked_block, q in _with(blocks, starts)
    ]
    hits = [submit(count_hits, sample, near, q) for near, q in _with(found, starts)]
    return found, submit(partial(share_of, total=len(numbers) * k), hits)


def _with(blocks: list[Any], starts: NDArray[np.int64]) -> list[tuple[Any, int]]:
    return list(zip(blocks, starts[:-1].tolist(), strict=True))


def _merge(parts: list[Any], first: int, k: int, submit: Any) -> Any:
    """Merge sets of neighbours, a few at a time."""
    while len(parts) > 1:
        parts = [submit(merge, parts[at : at + MERGED], first, k) for at in range(0, len(parts), MERGED)]
    return submit(merge, parts, first, k)


def compare(asked: Dense, rows: Dense, first: int, k: int) -> Found:
    """Compare all queries with all rows of a block."""
    with threads(1):
        # a copy: for an object that is both, every row would be left out of its own neighbours already
        found = nearest_to(replace(asked), rows, min(k + 1, len(rows)), exactly=True, n_jobs=1)
    return Found(found.indices.astype(np.int64) + first, found.squared)


def merge(parts: list[Found], first: int, k: int) -> Found:
    """Keep the k nearest of several sets, equal distances by number; a row is not its own neighbour.

    Examples
    --------
    >>> one, two = Found(np.array([[0, 3]]), np.array([[0.0, 4.0]])), Found(np.array([[7]]), np.array([[1.0]]))
    >>> merge([one, two], 0, 2).indices.tolist()
    [[7, 3]]
    """
    indices = np.concatenate([part.indices for part in parts], axis=1)
    squared = np.concatenate([part.squared for part in parts], axis=1)
    if first >= 0:
        own = indices == (first + np.arange(len(indices)))[:, None]
        squared = np.where(own, np.inf, squared)
    squared = np.where(indices < 0, np.inf, squared)  # what a shard had too few of
    order = np.lexsort((indices, squared), axis=1)[:, : min(k + 1, indices.shape[1])]
    indices, squared = np.take_along_axis(indices, order, 1), np.take_along_axis(squared, order, 1)
    indices = np.where(np.isinf(squared), -1, indices)
    return Found(indices[:, :k], squared[:, :k])


def taken(rows: Dense, wanted: int, n: int) -> Dense:
    """Return the share of a block in so many of all n rows; fewer where they are wide."""
    count = min(wanted, max(FEWEST_TRAINING, MOST_NUMBERS // rows.shape[1]))
    return rows.take(np.arange(0, len(rows), max(1, n // count)))


def some(rows: Dense, numbers: NDArray[np.int64], first: int) -> Dense:
    """Return those of a block's rows whose numbers are listed."""
    return rows.take(numbers[(numbers >= first) & (numbers < first + len(rows))] - first)


def train(parts: list[Dense], n_lists: int) -> Lists:
    """Learn the centres of an inverted file."""
    import faiss

    sample = gathered(parts)
    standard = Standard(sample)
    points = standard(sample, slice(None))
    means = faiss.Kmeans(
        points.shape[1],
        min(n_lists, len(points)),
        niter=ROUNDS,
        seed=0,
        min_points_per_centroid=1,
        max_points_per_centroid=2 * TRAINING,
    )
    means.train(points)
    return Lists(standard, np.asarray(means.centroids))


def home(lists: Lists, rows: Dense) -> NDArray[np.int64]:
    """Return the list of each row of a block."""
    return lists.home(rows)


def sampled(numbers: NDArray[np.int64], found: Found, k: int) -> Sample:
    """Take the rows of a sample out of their own neighbours, of which one more than k is given."""
    squared = np.where(found.indices == numbers[:, None], np.inf, found.squared)
    order = np.argsort(squared, axis=1, kind="stable")[:, :k]
    return Sample(numbers, Found(np.take_along_axis(found.indices, order, 1), np.take_along_axis(squared, order, 1)))


def ranks_of(lists: Lists, asked: Dense, sample: Sample, homes: NDArray[np.int64], first: int) -> NDArray[np.int64]:
    """Return how far down in a query's order of lists its true neighbours are, for those in one block."""
    points = lists.standard(asked, slice(None))
    distances = (lists.centres**2).sum(axis=1) - 2 * points @ lists.centres.T
    rank = np.empty(distances.shape, np.int64)
    np.put_along_axis(rank, distances.argsort(axis=1), np.arange(len(lists.centres))[None], axis=1)
    true = sample.found.indices
    rows, columns = np.nonzero((true >= first) & (true < first + len(homes)))
    return np.asarray(rank[rows, homes[true[rows, columns] - first]])


def with_probes(lists: Lists, ranks: list[NDArray[np.int64]], fewest: int) -> Lists:
    """Look into as many lists as the wanted recall needs, and at least a few."""
    counts = np.bincount(np.concatenate(ranks), minlength=len(lists.centres))
    probes = int(np.searchsorted(np.cumsum(counts) / counts.sum(), RECALL)) + 1
    return Lists(lists.standard, lists.centres, min(len(lists.centres), max(FEWEST_PROBES, fewest, probes)))


def search_shard(
    lists: Lists, asked: Dense, rows: Dense, homes: NDArray[np.int64], first_query: int, first: int, k: int
) -> Found:
    """Search the lists' share of one block with faiss; distances are computed again in double precision."""
    import faiss

    points = lists.standard(rows, slice(None))
    quantizer = _flat(lists.centres)
    index = faiss.IndexIVFFlat(quantizer, points.shape[1], len(lists.centres))
    index.is_trained, index.nprobe = True, lists.probes
    index.add_core(len(points), faiss.swig_ptr(points), None, faiss.swig_ptr(homes))
    wanted = min(k + SPARE + 1, len(rows))
    _, candidates = index.search(lists.standard(asked, slice(None)), wanted)
    present = np.where(candidates < 0, 0, candidates).astype(np.int32)
    with threads(1):
        squared = distances_to(rows, asked, np.arange(len(asked)), present)
    squared[candidates < 0] = np.inf
    return merge([Found(np.where(candidates < 0, -1, candidates + first), squared)], first_query, k)


def _flat(centres: NDArray[np.float32]) -> Any:
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatL2(centres.shape[1])
    index.add(centres)
    return index


def count_hits(sample: Sample, near: Found, first: int) -> int:
    """Count the neighbours of a block's sampled rows that are as near as the true ones."""
    here = np.flatnonzero((sample.numbers >= first) & (sample.numbers < first + len(near.indices)))
    farthest = sample.found.squared[here, -1:]
    return int((near.squared[sample.numbers[here] - first] <= farthest * (1 + 1e-5)).sum())


def share_of(counts: list[int], total: int) -> float:
    """Return what share of a total some counts are."""
    return sum(counts) / total
