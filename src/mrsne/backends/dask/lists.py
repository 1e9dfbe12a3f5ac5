"""What tasks of the search hand to each other: rows, their neighbours, and the lists of an inverted file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Float64, Int32, Int64
from mrsne.backends.cpu.search.centres import learn_centres, nearest_centres, ranks_of_lists
from mrsne.backends.cpu.search.exact import Standard
from mrsne.backends.cpu.search.ranking import roundings
from mrsne.backends.cpu.search.shortlist import squares_of
from mrsne.backends.recall import DOUBLE_FROM, SPARE, RecallGoal, needed_probes
from mrsne.backends.rows import Dense
from mrsne.threads import one_blas_thread

NEEDED = 0.05  # of the squared distance of the last neighbour, that errors must be below
NEIGHBOR_BYTES = 16  # of a block, that a neighbour of a row counts for: about 64 are in use, of more than four blocks


def rows_with_neighbors(block_bytes: int, k: int) -> int:
    """Return how many rows may be in a block so that there is room for k neighbours of each."""
    return max(1, block_bytes // (NEIGHBOR_BYTES * (k + SPARE)))


class Part(NamedTuple):
    numbers: Int64
    rows: Dense

    def take(self, which: Any) -> Part:
        return Part(self.numbers[which], self.rows.take(which))


def joined(parts: list[Dense]) -> Dense:
    if len(parts) == 1:
        return parts[0]
    values, factors = [part.values for part in parts], [part.factor for part in parts]
    return Dense(np.concatenate(values), np.concatenate(factors), parts[0].scale)


def gathered(parts: list[Part]) -> Part:
    return Part(np.concatenate([part.numbers for part in parts]), joined([part.rows for part in parts]))


class Found(NamedTuple):
    numbers: Int64  # (m,), of the rows
    indices: Int64  # (m, k), numbers of their neighbours, −1 for none
    squared: Float64  # (m, k)

    def take(self, which: Any) -> Found:
        return Found(self.numbers[which], self.indices[which], self.squared[which])


def merge(parts: list[Found], k: int) -> Found:
    """Keep the k nearest of several sets, equal distances by number; a row is not its own neighbour."""
    numbers = parts[0].numbers
    indices = np.concatenate([part.indices for part in parts], axis=1)
    squared = np.concatenate([part.squared for part in parts], axis=1)
    squared = np.where((indices < 0) | (indices == numbers[:, None]), np.inf, squared)
    order = np.lexsort((indices, squared), axis=1)[:, :k]
    indices, squared = np.take_along_axis(indices, order, 1), np.take_along_axis(squared, order, 1)
    return Found(numbers, np.where(np.isinf(squared), -1, indices), squared)


@dataclass(frozen=True)
class Lists:
    """Centres of an inverted file, and how many lists a query looks into."""

    standard: Standard
    centres: NDArray[Any]
    probes: int = 0

    def home(self, part: Part) -> Int32:
        with one_blas_thread():
            return nearest_centres(self.standard.whole(part.rows), self.centres).astype(np.int32)


def train(parts: list[Part], n_lists: int, asked: Part, true: Found) -> Lists:
    """Learn the centres of an inverted file, in double precision where neighbours are too near for single precision."""
    rows = joined([part.rows for part in parts])
    standard = Standard(rows)
    with one_blas_thread():
        lengths = squares_of(standard.whole(asked.rows)).astype(np.float64) * standard.spread**2
        doubtful = roundings(rows.shape[1]) * lengths > NEEDED * true.squared[:, -1]
        if np.mean(doubtful & (true.squared[:, -1] > 0)) > DOUBLE_FROM:
            standard = Standard(rows, np.float64)
        points = standard.whole(rows)
        del rows
        return Lists(standard, learn_centres(points, min(n_lists, len(points))))


def ranks_of(lists: Lists, asked: Part, true: Found, homes: Int32, first: int) -> Int64:
    """Return how far down in a query's order of lists its true neighbours are, for those in one block."""
    ranks = ranks_of_lists(lists.standard.whole(asked.rows), lists.centres)
    rows, columns = np.nonzero((true.indices >= first) & (true.indices < first + len(homes)))
    return np.asarray(ranks[rows, homes[true.indices[rows, columns] - first]])


def probes_for(lists: Lists, ranks: list[Int64], fewest: int, goal: RecallGoal) -> int:
    """Return how many lists to look into for the recall that is aimed at, at least ``fewest``."""
    counts = np.bincount(np.concatenate(ranks), minlength=len(lists.centres))
    return min(len(lists.centres), max(fewest, needed_probes(counts, goal)))
