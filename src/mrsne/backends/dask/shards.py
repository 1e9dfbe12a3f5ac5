"""Shards of an inverted file: rows go to the lists of their nearest centres, and lists near each other to one shard."""

from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Bool, Float64, Floating, Int32, Int64
from mrsne.backends.cpu.search.centres import lists_asked
from mrsne.backends.cpu.search.inverted import PointsInLists, Workspace, lists_around
from mrsne.backends.cpu.search.ranking import FARTHEST, Ranking, SecondLook, distances_to, in_doubt, roundings
from mrsne.backends.cpu.search.shortlist import LARGEST, squares_of
from mrsne.backends.dask.lists import Found, Lists, Part, gathered
from mrsne.backends.dask.tasks import shuffled
from mrsne.backends.recall import SPARE
from mrsne.threads import one_blas_thread

LOOSER = 1e-6  # share by which limits are raised beyond errors of products, because they are in single precision


class Plan(NamedTuple):
    """Which shards have a list: ``pieces`` of them, from the ``first`` on; more than one for a very long list only."""

    first: Int64
    pieces: Int64
    shards: int


class Shard(NamedTuple):
    """Rows, list by list, and the list of each."""

    part: Part
    homes: Int32


class Sent(NamedTuple):
    """Rows on their way, the list of each, and the shard they go to."""

    part: Part
    homes: Int32
    keys: Int64

    def take(self, which: Any) -> Self:
        return type(self)(self.part.take(which), self.homes[which], self.keys[which])

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        together = gathered([sent.part for sent in parts])
        return cls(together, *(np.concatenate(arrays) for arrays in list(zip(*parts, strict=True))[1:]))


def deal(blocks: list[Any], homes: list[Any], lists: Any, height: int, client: Any) -> tuple[list[Any], Any]:
    """Bring the rows of all blocks to the shards of their lists, of at most ``height`` rows; also return the plan."""
    submit = partial(client.submit, pure=False)
    plan = submit(planned, lists, [submit(np.bincount, home) for home in homes], height)
    count: int = submit(getattr, plan, "shards").result()
    sent = [submit(addressed, *both, plan, number) for number, both in enumerate(zip(blocks, homes, strict=True))]
    pieces = shuffled(sent, np.arange(count + 1), submit)
    return [submit(assembled, parts) for parts in pieces], plan


def planned(lists: Lists, counts: list[Int64], height: int) -> Plan:
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


def in_order(centres: Floating) -> list[int]:
    """Return the numbers of points in an order that keeps near ones together: halves along the longest axis, again."""

    def halves(which: Int64, onwards: Float64) -> list[int]:
        if len(which) == 1:
            return [int(which[0])]
        apart = points[which] - points[which].mean(axis=0)
        apart /= max(float(np.abs(apart).max()), tiny)
        axis = apart[np.linalg.norm(apart, axis=1).argmax()]
        for _ in range(3):  # of the power method; any axis that is long will do
            axis = apart.T @ (apart @ axis)
            axis = axis / max(float(np.linalg.norm(axis)), tiny)
        axis = axis if axis @ onwards >= 0 else -axis
        which = which[np.argsort(apart @ axis, kind="stable")]
        middle = len(which) // 2
        return halves(which[:middle], axis) + halves(which[middle:], axis)

    points, tiny = centres.astype(np.float64), np.finfo(np.float64).tiny
    return halves(np.arange(len(centres)), np.ones(centres.shape[1]))


def addressed(part: Part, homes: Int32, plan: Plan, number: int) -> Sent:
    """Return the rows of a block with the shard of each; the rows of a very long list take turns."""
    places = plan.first[homes]
    for list_ in np.unique(homes[plan.pieces[homes] > 1]):
        which = np.flatnonzero(homes == list_)
        places[which] += (number + np.arange(len(which))) % plan.pieces[list_]
    return Sent(part, homes, places)


def assembled(pieces: list[Sent]) -> Shard:
    part, homes, _ = Sent.joined(pieces)
    order = np.argsort(homes, kind="stable")
    return Shard(part.take(order), homes[order])


def probed(lists: Lists, shard: Shard) -> Int32:
    """Return the lists that each row of a shard looks into."""
    present, places = np.unique(shard.homes, return_inverse=True)
    with one_blas_thread():
        probes = min(lists.probes, len(lists.centres))
        near = lists_around(lists.centres[present], lists.centres, probes)
        return lists_asked(lists.standard.whole(shard.part.rows), places, near, lists.centres, probes)


def looked_into(probes: Int32, plan: Plan) -> Bool:
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
        self._work: Workspace | None = None  # kept, because memory that comes and goes is slow
        super().__init__(lists.standard.whole(self.part.rows), np.append(starts, len(shard.homes)))

    def search(self, asked: Part, probes: Int32, limit: Float64, k: int) -> Found:
        """Return neighbours of all queries; of those farther than a squared distance, perhaps none."""
        points, lists = self.lists.standard.whole(asked.rows), self.position[probes]
        lengths = squares_of(points).astype(np.float64)
        if self._work is None or len(self._work.best.counts) < len(points):
            self._work = self.workspace(min(k + SPARE + 1, len(self.points)), len(points))
        work = self._work
        work.best.begin(len(points))
        # from squared distances to what is compared: in units of the spread, and perhaps without the query's own length
        unit, noise = self.lists.standard.spread, roundings(points.shape[1], points.dtype) * lengths
        lacks = 0 if points.dtype == np.float64 else lengths
        near = limit / unit**2
        limits = near - lacks + 2 * noise + LOOSER * near
        work.best.limits[: len(points)] = np.where(limits < LARGEST, limits, np.inf)
        with one_blas_thread():
            self.search_bands(work, work.best, points, lists)
            found = work.best.found()
            lacking = found < 0
            squared = distances_to(self.part.rows, asked.rows, np.arange(len(points)), np.where(lacking, 0, found))
            squared[lacking] = np.inf
            if found.shape[1] < len(self.points):
                last = np.minimum(limit, np.partition(squared, k, axis=1)[:, k])
                doubtful = in_doubt(squared.max(axis=1), last, noise * unit**2)
                doubtful |= (lengths > (FARTHEST[points.dtype.str[1:]] / 2) ** 2) & ~lacking.any(axis=1)
                which = np.flatnonzero(doubtful)
                if len(which):
                    again = self._search_again(work, asked.take(which), points[which], lists[which], last[which], k)
                    found[which], squared[which] = -1, np.inf
                    found[which, : k + 1], squared[which, : k + 1] = again.indices, again.squared
        return Found(asked.numbers, np.where(found < 0, -1, self.part.numbers[found]), squared)

    def _search_again(
        self, work: Workspace, asked: Part, points: NDArray[Any], lists: Int32, limit: Float64, k: int
    ) -> Ranking:
        """Search the same lists in double precision for neighbours not farther than a limit."""
        no_own_place = np.full(len(points), -1)
        unit = self.lists.standard.spread
        ranking = Ranking(self.part.rows, asked.rows, k + 1, no_own_place, squares_of(points), unit, points.dtype)
        ranking.indices[:] = -1
        ranking.squared[:] = np.nextafter(limit, np.inf)[:, None]
        look = SecondLook(ranking, np.arange(len(points)))
        self.search_bands(work, look, points, lists)
        look.finish()
        ranking.squared[ranking.indices < 0] = np.inf
        return ranking
