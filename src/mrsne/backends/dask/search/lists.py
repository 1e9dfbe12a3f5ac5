"""The lists of an inverted file: centres, and which of them rows belong to or look into."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import RecallGoal
from mrsne.backends.cpu.search.centres import (
    learn_centres,
    lists_around,
    lists_asked,
    nearest_centres,
    ranks_of_lists,
)
from mrsne.backends.cpu.search.exact import Standard, squares_of
from mrsne.backends.cpu.search.neighbors import DOUBLE_FROM
from mrsne.backends.cpu.search.ranking import roundings
from mrsne.backends.dask.search.blocks import Part, joined
from mrsne.backends.dask.search.merging import Found
from mrsne.backends.recall import needed_probes
from mrsne.backends.rows import Dense
from mrsne.threads import one_blas_thread, threads

NEEDED = 0.05  # of the squared distance of the last neighbour, that errors must be below


@dataclass(frozen=True)
class Lists:
    """Centres of an inverted file, and how many lists a query looks into."""

    standard: Standard
    centres: NDArray[Any]
    probes: int = 0

    def home(self, part: Part) -> NDArray[np.int32]:
        """Return the list of each row of a block."""
        with one_blas_thread(), threads(1):
            return nearest_centres(self.points_of(part.rows), self.centres).astype(np.int32)

    def probed(self, part: Part, homes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the lists that each row looks into, which are sorted by their own lists."""
        present, places = np.unique(homes, return_inverse=True)
        with one_blas_thread(), threads(1):
            near = lists_around(self.centres[present], self.centres, self.probes)
            return lists_asked(self.points_of(part.rows), places, near, self.centres, self.probes)

    def points_of(self, rows: Dense) -> NDArray[Any]:
        """Return rows as they are compared."""
        with threads(1):
            return self.standard.whole(rows)


def train(parts: list[Part], n_lists: int, asked: Part, true: Found) -> Lists:
    """Learn the centres of an inverted file from some rows.

    They are in double precision where the true neighbours of a sample are too near for products in single precision.
    """
    rows = joined([part.rows for part in parts])
    standard = Standard(rows)
    with threads(1), one_blas_thread():
        lengths = squares_of(standard.whole(asked.rows)).astype(np.float64) * standard.spread**2
        doubtful = roundings(rows.shape[1]) * lengths > NEEDED * true.squared[:, -1]
        if np.mean(doubtful & (true.squared[:, -1] > 0)) > DOUBLE_FROM:
            standard = Standard(rows, np.float64)
        points = standard.whole(rows)
        del rows
        return Lists(standard, learn_centres(points, min(n_lists, len(points)), workers=1))


def home(lists: Lists, part: Part) -> NDArray[np.int32]:
    """Return the list of each row of a block."""
    return lists.home(part)


def ranks_of(lists: Lists, asked: Part, true: Found, homes: NDArray[np.int32], first: int) -> NDArray[np.int64]:
    """Return how far down in a query's order of lists its true neighbours are, for those in one block."""
    ranks = ranks_of_lists(lists.points_of(asked.rows), lists.centres)
    rows, columns = np.nonzero((true.indices >= first) & (true.indices < first + len(homes)))
    return np.asarray(ranks[rows, homes[true.indices[rows, columns] - first]])


def probes_for(lists: Lists, ranks: list[NDArray[np.int64]], fewest: int, goal: RecallGoal) -> int:
    """Return how many lists to look into for the recall that is aimed at; at least a few."""
    counts = np.bincount(np.concatenate(ranks), minlength=len(lists.centres))
    return min(len(lists.centres), max(fewest, needed_probes(counts, goal)))


def with_probes(lists: Lists, probes: int) -> Lists:
    """Look into so many lists."""
    return replace(lists, probes=min(probes, len(lists.centres)))
