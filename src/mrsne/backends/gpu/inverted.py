"""Nearest neighbours in large domains on a GPU; see :mod:`mrsne.backends.cpu.search.inverted`.

Here all points of a list look into the same other lists, those whose centres are nearest to that of theirs:
these are more pairs than if each point chose its lists, but one large matrix product for each list.
"""

from itertools import pairwise
from typing import NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor

from mrsne.backends.cpu.search.centres import ROUNDS, TRAINING
from mrsne.backends.gpu.points import Points, Ranked, in_doubt, precisely, ranked, search_all
from mrsne.backends.recall import SAME_WITHIN, Attempt, RecallGoal, needed_probes, search_until_recalled

LENGTH = 2048  # points of a list, on average
SAMPLE = 512  # points whose neighbours are searched exactly, to learn how many lists are needed
PAIRS = 2**28  # compared at a time
LIMIT_FROM = 16  # times as many points as wanted set a limit for the others
BLOCK = 1024  # numbers looked at together for the smallest
ROOM = 16  # times as many as wanted may be below the limit
UNIT = 2.0**20  # sums of points are of whole numbers, so that they do not depend on the order of threads


class Sample(NamedTuple):
    which: Tensor  # (s,)
    true: Tensor  # (s, k), places
    farthest: Tensor  # (s,), the squared distance of the last of them


class InvertedLists:
    """Points, list by list, with ``length`` of them in a list on average."""

    def __init__(self, points: Points, length: int = LENGTH) -> None:
        self.n_lists = max(1, round(len(points) / length))
        self.centres = _centres(points.single, self.n_lists)
        home = _nearest_centre(points.single, self.centres)
        self.home, self.order = home.sort(stable=True)
        self.points = points.take(self.order)
        edges = torch.arange(self.n_lists + 1, device=home.device)
        self.starts = torch.searchsorted(self.home, edges).tolist()

    def nearest(self, k: int, wanted: int, goal: RecallGoal) -> tuple[Tensor, Tensor, float]:
        """Return the k nearest other points of every point, their squared distances, and the recall on a sample."""
        sample = self._sample(k)

        def search(probes: int) -> Attempt:
            near = self._near(probes, wanted)
            indices, squared = self.search(k, wanted, near)
            hits = squared[sample.which] <= sample.farthest[:, None] * (1 + SAME_WITHIN)
            return Attempt((indices, squared), float(hits.double().mean()), len(near[0]))

        (indices, squared), recall, _ = search_until_recalled(search, self._probes(sample, goal), self.n_lists, goal)
        rows = self.order.to(torch.int32)
        result, distances = torch.empty_like(indices), torch.empty_like(squared)
        for batch in torch.arange(len(rows), device=rows.device).split(max(1, PAIRS // k)):
            result[self.order[batch]] = rows[indices[batch].long()]
            distances[self.order[batch]] = squared[batch]
        return result, distances, recall

    def search(self, k: int, wanted: int, near: list[list[int]]) -> tuple[Tensor, Tensor]:
        """Find the nearest of the points in the lists near each list, as places among the points."""
        n, device = len(self.points), self.home.device
        indices = torch.empty((n, k), dtype=torch.int32, device=device)
        squared = torch.empty((n, k), dtype=self.points.exact.dtype, device=device)
        crowded = torch.zeros(n, dtype=torch.bool, device=device)
        farthest = torch.empty(n, dtype=self.points.exact.dtype, device=device)
        result = Ranked(indices, squared, farthest)
        places = torch.arange(n, device=device)
        for position, (start, stop) in enumerate(pairwise(self.starts)):
            if start < stop:
                self._search_rows(places[start:stop], near[position], k, wanted, places, result, crowded)
        which = torch.nonzero(crowded | in_doubt(self.points, squared, farthest)).squeeze(1)
        homes, counts = torch.unique_consecutive(self.home[which], return_counts=True)
        for position, batch in zip(homes.tolist(), which.split(counts.tolist()), strict=True):
            self._search_rows(batch, near[position], k, wanted, places, result, None)
        return indices, squared

    def _search_rows(
        self,
        asked: Tensor,
        near: list[int],
        k: int,
        wanted: int,
        places: Tensor,
        result: Ranked,
        crowded: Tensor | None,
    ) -> None:
        """Search points of one list; those with too many candidates are noted in ``crowded``, or without it sorted."""
        parts = [slice(self.starts[other], self.starts[other + 1]) for other in near]
        numbers = torch.cat([places[part] for part in parts])
        others, squares = self.points.single[numbers].T, self.points.squares[numbers]
        first = 0
        for part in parts:  # lists that set a limit
            if first >= LIMIT_FROM * wanted:
                break
            first += part.stop - part.start
        for batch in asked.split(max(1, PAIRS // len(numbers))):
            if crowded is None:
                products = precisely(self.points.exact[numbers], self.points.exact[batch])
            else:
                products = torch.addmm(squares, self.points.single[batch], others, alpha=-2.0)
            products.scatter_(1, (batch - parts[0].start)[:, None], torch.inf)  # its own list is the first
            if crowded is None:
                columns = products.topk(wanted, dim=1, largest=False, sorted=False).indices
            else:
                columns, crowded[batch] = smallest(products, wanted, first)
            found = ranked(self.points, self.points.exact[batch], numbers[columns], batch, k)
            result.indices[batch], result.squared[batch], result.farthest[batch] = found

    def _sample(self, k: int) -> Sample:
        n = len(self.points)
        which = torch.arange(0, n, max(1, n // SAMPLE), device=self.home.device)[:SAMPLE]
        true, squared = search_all(self.points, k, self.points.take(which), which)
        return Sample(which, true, squared[:, -1])

    def _probes(self, sample: Sample, goal: RecallGoal) -> int:
        homes = self.home[sample.which]
        order = torch.cdist(self.centres[homes], self.centres).argsort(dim=1)
        rank = torch.empty_like(order)
        rank.scatter_(1, order, torch.arange(self.n_lists, device=order.device).expand_as(order))
        ranks = rank.gather(1, self.home[sample.true.long()])
        return needed_probes(torch.bincount(ranks.flatten(), minlength=self.n_lists).cpu().numpy(), goal)

    def _near(self, probes: int, wanted: int) -> list[list[int]]:
        """Return the lists that each list looks into, itself first, with more points than wanted in all of them."""
        starts = torch.tensor(self.starts, device=self.home.device)
        lengths = starts[1:] - starts[:-1]
        while True:
            near = torch.empty((self.n_lists, probes), dtype=torch.int64, device=self.home.device)
            height = max(1, PAIRS // self.n_lists)
            for first in range(0, self.n_lists, height):
                distances = torch.cdist(self.centres[first : first + height], self.centres)
                distances.diagonal(first).fill_(-1.0)
                near[first : first + height] = distances.topk(probes, dim=1, largest=False).indices
            if probes == self.n_lists or bool((lengths[near].sum(dim=1) > wanted).all()):
                result: list[list[int]] = near.tolist()
                return result
            probes = min(2 * probes, self.n_lists)


def _centres(points: Tensor, n_lists: int) -> Tensor:
    sample = points[:: max(1, len(points) // (TRAINING * n_lists))]
    centres = sample[:: max(1, len(sample) // n_lists)][:n_lists].clone()
    for _ in range(ROUNDS):
        home = _nearest_centre(sample, centres)
        sums = torch.zeros(centres.shape, dtype=torch.int64, device=points.device)
        sums.index_add_(0, home, (sample.double() * UNIT).long())
        counts = torch.bincount(home, minlength=n_lists)
        means = (sums / (UNIT * counts.clamp(min=1)[:, None].double())).float()
        centres = torch.where(counts[:, None] > 0, means, centres)
    return centres


def _nearest_centre(points: Tensor, centres: Tensor) -> Tensor:
    squares = (centres**2).sum(dim=1)
    height = max(1, PAIRS // len(centres))
    parts = [
        torch.addmm(squares, points[start : start + height], centres.T, alpha=-2.0).argmin(dim=1)
        for start in range(0, len(points), height)
    ]
    return torch.cat(parts)


def smallest(values: Tensor, wanted: int, first: int) -> tuple[Tensor, Tensor]:
    """Return the columns of the ``wanted`` smallest numbers of each row, and for which rows they may be wrong.

    One pass copies the few that are not above a limit, the last wanted one of the ``first`` columns, to select from.
    """
    m, c = values.shape
    room = triton.next_power_of_2(ROOM * wanted)
    if first >= c or room >= c:
        columns = values.topk(wanted, dim=1, largest=False, sorted=False).indices
        return columns, torch.zeros(m, dtype=torch.bool, device=values.device)
    limits = values[:, :first].topk(wanted, dim=1, largest=False, sorted=False).values.amax(dim=1)
    kept = torch.full((m, room), torch.inf, dtype=torch.float32, device=values.device)
    places = torch.zeros((m, room), dtype=torch.int32, device=values.device)
    counts = torch.empty(m, dtype=torch.int32, device=values.device)
    _below[(m,)](values, limits, kept, places, counts, c, room, BLOCK=BLOCK, num_warps=4)
    best = kept.topk(wanted, dim=1, largest=False, sorted=False).indices
    return places.gather(1, best).long(), counts > room


@triton.jit
def _below(values, limits, kept, places, counts, c, room, BLOCK: tl.constexpr):
    """Copy the numbers of a row that are not above its limit, and their places, as long as there is room."""
    row = tl.program_id(0).to(tl.int64)
    limit = tl.load(limits + row)
    count = 0
    start = 0
    while start < c:
        at = start + tl.arange(0, BLOCK)
        value = tl.load(values + row * c + at, mask=at < c, other=float("inf"))
        low = (value <= limit) & (at < c)
        hits = tl.sum(low.to(tl.int32), 0)
        if hits > 0:
            to = count + tl.cumsum(low.to(tl.int32), 0) - 1
            inside = low & (to < room)
            tl.store(kept + row * room + to, value, mask=inside)
            tl.store(places + row * room + to, at, mask=inside)
            count += hits
        start += BLOCK
    tl.store(counts + row, count)
