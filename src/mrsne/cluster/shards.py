"""Shards of an inverted file: rows go to the lists of their nearest centres, and lists near each other to one shard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrsne.affinity.centres import ROUNDS, TRAINING
from mrsne.affinity.distances import distances_to
from mrsne.affinity.exact import Standard, squares_of
from mrsne.affinity.inverted import RECALL
from mrsne.affinity.lists import PointsInLists
from mrsne.affinity.neighbors import SPARE
from mrsne.affinity.rows import Dense
from mrsne.cluster.blocks import Part, gathered, joined
from mrsne.cluster.merging import Found
from mrsne.compilation import one_blas_thread, threads

FEWEST_PROBES = 8
LOOSER = 1e-5  # share by which limits are raised, against rounding in single precision


@dataclass(frozen=True)
class Lists:
    """Centres of an inverted file, and how many lists a query looks into."""

    standard: Standard
    centres: NDArray[np.float32]
    probes: int = 0

    def nearest(self, part: Part, count: int) -> NDArray[np.int32]:
        """Return the lists of the nearest centres of each row."""
        import faiss

        faiss.omp_set_num_threads(1)
        index = faiss.IndexFlatL2(self.centres.shape[1])
        index.add(self.centres)
        return np.asarray(index.search(self.points_of(part.rows), count)[1], dtype=np.int32)

    def points_of(self, rows: Dense) -> NDArray[np.float32]:
        """Return rows as they are compared."""
        with threads(1):
            return self.standard.whole(rows)


class Plan(NamedTuple):
    """Which shards have a list: ``pieces`` of them, from the ``first`` on; more than one for a very long list only."""

    first: NDArray[np.int64]
    pieces: NDArray[np.int64]
    shards: int


class Shard(NamedTuple):
    """Rows, list by list, and the list of each."""

    part: Part
    homes: NDArray[np.int32]


class Dealt(NamedTuple):
    """All shards, as futures, and what is in which."""

    futures: list[Any]
    plan: Plan


def train(parts: list[Part], n_lists: int) -> Lists:
    """Learn the centres of an inverted file."""
    import faiss

    sample = joined([part.rows for part in parts])
    standard = Standard(sample)
    with threads(1):
        points = standard.whole(sample)
    del sample
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


def home(lists: Lists, part: Part) -> NDArray[np.int32]:
    """Return the list of each row of a block."""
    return lists.nearest(part, 1)[:, 0]


def with_probes(lists: Lists, ranks: list[NDArray[np.int64]], fewest: int) -> Lists:
    """Look into as many lists as the wanted recall needs, and at least a few."""
    counts = np.bincount(np.concatenate(ranks), minlength=len(lists.centres))
    probes = int(np.searchsorted(np.cumsum(counts) / counts.sum(), RECALL)) + 1
    return replace(lists, probes=min(len(lists.centres), max(FEWEST_PROBES, fewest, probes)))


def deal(blocks: list[Any], homes: list[Any], lists: Any, height: int, client: Any) -> Dealt:
    """Bring the rows of all blocks to the shards of their lists, of at most so many rows."""
    submit = partial(client.submit, pure=False)
    plan: Plan = submit(planned, lists, [submit(np.bincount, home) for home in homes], height).result()
    places = [submit(placed, home, plan, number) for number, home in enumerate(homes)]
    amounts = client.gather([submit(np.bincount, place, minlength=plan.shards) for place in places])
    pieces: list[list[Any]] = [[] for _ in range(plan.shards)]
    # all pieces of a block before those of the next, so that a block is read once
    for block, inside, place, amount in zip(blocks, homes, places, amounts, strict=True):
        for number in np.flatnonzero(amount).tolist():
            pieces[number].append(submit(piece, block, inside, place, number))
    return Dealt([submit(assembled, parts) for parts in pieces], plan)


def planned(lists: Lists, counts: list[NDArray[np.int64]], height: int) -> Plan:
    """Fill shards with lists in an order in which near ones follow each other."""
    sizes = np.zeros(len(lists.centres), np.int64)
    for count in counts:
        sizes[: len(count)] += count
    first, pieces = np.zeros(len(sizes), np.int64), np.maximum(1, -(-sizes // height))
    number, filled = -1, height
    for list_ in in_order(lists.centres):
        if filled + sizes[list_] > height:
            number, filled = number + 1, 0
        first[list_] = number
        number += pieces[list_] - 1
        filled = height if pieces[list_] > 1 else filled + sizes[list_]
    return Plan(first, pieces, number + 1)


def in_order(centres: NDArray[np.float32]) -> list[int]:
    """Return the numbers of points in an order that keeps near ones together: halves along the longest axis, again.

    Examples
    --------
    >>> in_order(np.array([[0, 0], [9, 0], [1, 0], [8, 1]], np.float32))
    [0, 2, 3, 1]
    """

    def halves(which: NDArray[np.int64], onwards: NDArray[np.float32]) -> list[int]:
        if len(which) == 1:
            return [int(which[0])]
        apart = centres[which] - centres[which].mean(axis=0)
        axis = apart[np.linalg.norm(apart, axis=1).argmax()]
        for _ in range(3):  # of the power method; any axis that is long will do
            axis = apart.T @ (apart @ axis)
            axis = axis / max(float(np.linalg.norm(axis)), np.finfo(np.float32).tiny)
        axis = axis if axis @ onwards >= 0 else -axis
        which = which[np.argsort(apart @ axis, kind="stable")]
        middle = len(which) // 2
        return halves(which[:middle], axis) + halves(which[middle:], axis)

    return halves(np.arange(len(centres)), np.ones(centres.shape[1], np.float32))


def placed(homes: NDArray[np.int32], plan: Plan, number: int) -> NDArray[np.int64]:
    """Return the shard of each row of a block; the rows of a very long list take turns."""
    places = plan.first[homes]
    for list_ in np.unique(homes[plan.pieces[homes] > 1]):
        which = np.flatnonzero(homes == list_)
        places[which] += (number + np.arange(len(which))) % plan.pieces[list_]
    return np.asarray(places)


def piece(part: Part, homes: NDArray[np.int32], places: NDArray[np.int64], number: int) -> Shard:
    """Return the rows of a block that go to one shard."""
    which = np.flatnonzero(places == number)
    return Shard(part.take(which), homes[which])


def assembled(pieces: list[Shard]) -> Shard:
    """Make a shard of its pieces."""
    homes = np.concatenate([homes for _, homes in pieces])
    order = np.argsort(homes, kind="stable")
    return Shard(gathered([part for part, _ in pieces]).take(order), homes[order])


def probed(lists: Lists, shard: Shard) -> NDArray[np.int32]:
    """Return the lists that each row of a shard looks into."""
    return lists.nearest(shard.part, lists.probes)


def looked_into(probes: NDArray[np.int32], plan: Plan) -> NDArray[np.bool_]:
    """Return which shards hold one of these lists."""
    looked = np.zeros(plan.shards, bool)
    for list_ in np.unique(probes):
        looked[plan.first[list_] : plan.first[list_] + plan.pieces[list_]] = True
    return looked


class Index(PointsInLists):
    """The lists of a shard, to be searched; distances are computed again in double precision."""

    def __init__(self, lists: Lists, shard: Shard) -> None:
        self.lists, self.part = lists, shard.part
        present, starts = np.unique(shard.homes, return_index=True)
        self.position = np.full(len(lists.centres), len(present), np.int32)  # of every list; after the last: not here
        self.position[present] = np.arange(len(present))
        super().__init__(lists.points_of(self.part.rows), np.append(starts, len(shard.homes)))

    def search(self, asked: Part, probes: NDArray[np.int32], limit: NDArray[np.float64], k: int) -> Found:
        """Return neighbours of all queries; of those farther than a squared distance, perhaps none."""
        points = self.lists.points_of(asked.rows)
        work = self.workplace(min(k + SPARE + 1, len(self.points)), len(points))
        work.best.begin(len(points))
        # from squared distances to what is compared: in units of the spread, and without the square of the query
        limit, squares = limit / self.lists.standard.spread**2, squares_of(points).astype(np.float64)
        work.best.limits[: len(points)] = limit - squares + LOOSER * (limit + squares)
        with one_blas_thread(), threads(1):
            self.search_bands(work, work.best, points, self.position[probes])
            found = work.best.found()
            lacking = found < 0
            squared = distances_to(self.part.rows, asked.rows, np.arange(len(points)), np.where(lacking, 0, found))
        return Found(asked.numbers, np.where(lacking, -1, self.part.numbers[found]), squared)
