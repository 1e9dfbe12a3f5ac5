"""The nearest neighbours of every row, where rows are blocks on the workers of a cluster.

A few rows are compared all with all. Many go to shards of an inverted file first (:mod:`mrsne.backends.dask.shards`); a
shard then meets only those that hold lists its rows look into.
"""

import logging
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mrsne.arrays import Int32, Int64
from mrsne.backends.cpu.search.centres import TRAINING
from mrsne.backends.cpu.search.inverted import batch_size
from mrsne.backends.cpu.search.neighbors import SEARCH_EXACTLY_UP_TO, nearest_to
from mrsne.backends.dask import lists as inverted
from mrsne.backends.dask import shards
from mrsne.backends.dask.connection import Capacity
from mrsne.backends.dask.lists import Found, Lists, Part, gathered, merge
from mrsne.backends.dask.shards import Shard
from mrsne.backends.dask.tasks import reduced
from mrsne.backends.dask.vectors import FEWEST_ROWS
from mrsne.backends.recall import SAME_WITHIN, SPARE, Attempt, RecallGoal, number_of_lists, search_until_recalled

SAMPLE = 400  # rows whose neighbours are searched exactly
MOST_NUMBERS, FEWEST_TRAINING = 2**24, 1_000  # numbers of rows, and rows, that centres are learned from
FEWEST_POINTS = 4  # times as many as neighbours are wanted, in the lists that a query looks into
SHARES = 4  # shards for each task that runs at a time, so that all end at about the same time
TRAINING_BLOCKS = 4  # blocks, at most, that centres are learned from
PROBE_BYTES = 4  # for every list that a row looks into
MERGED = 8  # sets of neighbours that one task merges

logger = logging.getLogger("mrsne")


def neighbors(
    blocks: list[Any], starts: Int64, k: int, exactly: bool, goal: RecallGoal, capacity: Capacity, client: Any
) -> tuple[list[Any], float]:
    """Return the k nearest other rows of all rows, as futures of :class:`Found`, and the recall."""
    submit = partial(client.submit, pure=False)
    n = int(starts[-1])
    if exactly or n <= SEARCH_EXACTLY_UP_TO:
        found = [merge_all([submit(compare, asked, block, k) for block in blocks], k, submit) for asked in blocks]
        return found, 1.0
    n_lists = number_of_lists(n)
    numbers = np.arange(0, n, max(1, n // SAMPLE))[:SAMPLE]
    asked = submit(gathered, [submit(rows_numbered, block, numbers) for block in blocks])
    true = merge_all([submit(compare, asked, block, k) for block in blocks], k, submit)
    training = [submit(training_rows, block, TRAINING * n_lists, n, capacity.block_bytes) for block in blocks]
    lists = submit(inverted.train, training, n_lists, asked, true)
    homes = [submit(Lists.home, lists, block) for block in blocks]
    firsts = starts[:-1].tolist()
    ranks = [submit(inverted.ranks_of, lists, asked, true, *both) for both in zip(homes, firsts, strict=True)]
    fewest = -(-FEWEST_POINTS * k * n_lists // n)
    probes: int = submit(inverted.probes_for, lists, ranks, fewest, goal).result()
    height = min(int(np.diff(starts).max()), max(FEWEST_ROWS, -(-n // (SHARES * capacity.slots))))
    height = max(1, min(height, capacity.block_bytes // (PROBE_BYTES * probes)))
    dealt = shards.deal(blocks, homes, lists, height, client)
    del blocks, homes, training, ranks

    def search(probes: int) -> Attempt:
        found = _meet(*dealt, submit(replace, lists, probes=probes), k, client)
        hits = client.gather([submit(count_hits, true, near) for near in found])
        return Attempt(found, sum(hits) / (len(numbers) * k), probes)

    found, recall, _ = search_until_recalled(search, probes, n_lists, goal)
    return found, recall


def merge_all(parts: list[Any], k: int, submit: Any) -> Any:
    """Merge sets of neighbours, a few at a time; a single set is also sorted and cut to k."""
    return submit(merge, [reduced(parts, lambda group: submit(merge, group, k), MERGED)], k)


def _meet(together: list[Any], plan: Any, lists: Any, k: int, client: Any) -> list[Any]:
    """Let every shard meet those that its rows look into, its own first, one after the other."""
    submit = partial(client.submit, pure=False)
    probes = [submit(shards.probed, lists, shard) for shard in together]
    near = client.gather([submit(shards.looked_into, probed, plan) for probed in probes])
    logger.info("%d shards, each meets %.1f of them", len(near), np.mean([np.count_nonzero(looked) for looked in near]))
    found = []
    for number, (shard, probed, looked) in enumerate(zip(together, probes, near, strict=True)):
        others = np.flatnonzero(looked)
        if not len(others):  # no row is in it
            continue
        others = np.roll(others, -int(np.searchsorted(others, number)))  # not all of them to the same one at a time
        best = None
        for other in others.tolist():
            best = submit(visit, best, lists, shard, probed, together[other], k)
        found.append(best)
    return found


def visit(best: Found | None, lists: Lists, asked: Shard, probes: Int32, shard: Shard, k: int) -> Found:
    """Search a shard for neighbours nearer than those that have been found in others."""
    numbers = asked.part.numbers
    if best is None:
        best = Found(numbers, np.full((len(numbers), k), -1), np.full((len(numbers), k), np.inf))
    result = Found(numbers, best.indices.copy(), best.squared.copy())
    index = shards.Index(lists, shard)
    length = batch_size(k + SPARE + 1)
    for start in range(0, len(numbers), length):
        block_probes = probes[start : start + length]
        which = np.flatnonzero((index.position[block_probes] < len(index.starts) - 1).any(axis=1))
        if not len(which):
            continue
        found = index.search(asked.part.take(start + which), block_probes[which], best.squared[start + which, -1], k)
        which += start
        nearer = (found.squared <= best.squared[which, -1:]).any(axis=1)
        which, found = which[nearer], found.take(nearer)
        merged = merge([best.take(which), found], k)
        result.indices[which], result.squared[which] = merged.indices, merged.squared
    return result


def compare(asked: Part, part: Part, k: int) -> Found:
    # a copy: given one object for both, the search would leave every row out of its own neighbours
    found = nearest_to(replace(asked.rows), part.rows, min(k + 1, len(part.rows)), None, exactly=True)
    return Found(asked.numbers, part.numbers[found.indices], found.squared)


def training_rows(part: Part, wanted: int, n: int, block_bytes: int) -> Part:
    """Return the rows of a block among ``wanted`` of all n rows (fewer where they are wide), however blocks are cut."""
    width = part.rows.shape[1]
    room = TRAINING_BLOCKS * block_bytes // (4 * width)
    count = min(wanted, max(FEWEST_TRAINING, MOST_NUMBERS // width), room)
    return part.take(np.flatnonzero(part.numbers % max(1, n // max(1, count)) == 0))


def rows_numbered(part: Part, numbers: Int64) -> Part:
    return part.take(np.flatnonzero(np.isin(part.numbers, numbers)))


def count_hits(true: Found, near: Found) -> int:
    """Count how many neighbours of the sampled rows in a part are as near as the true ones."""
    _, here, at = np.intersect1d(true.numbers, near.numbers, assume_unique=True, return_indices=True)
    return int((near.squared[at] <= true.squared[here, -1:] * (1 + SAME_WITHIN)).sum())
