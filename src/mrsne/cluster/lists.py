"""The lists of an inverted file: centres, and which of them rows belong to or look into."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.affinity.centres import learn_centres
from mrsne.affinity.exact import QUERIES, Standard, products_of, squares_of
from mrsne.affinity.inverted import RECALL, nearest_lists
from mrsne.affinity.neighbors import DOUBLE_FROM
from mrsne.affinity.ranking import roundings
from mrsne.affinity.rows import Dense
from mrsne.cluster.blocks import Part, joined
from mrsne.cluster.merging import Found
from mrsne.compilation import one_blas_thread, threads

FEWEST_PROBES = 8
NEEDED = 0.05  # of the squared distance of the last neighbour, that errors must be below


@dataclass(frozen=True)
class Lists:
    """Centres of an inverted file, and how many lists a query looks into."""

    standard: Standard
    centres: NDArray[Any]
    probes: int = 0

    def nearest(self, part: Part, count: int) -> NDArray[np.int32]:
        """Return the lists of the nearest centres of each row, in the order of bands."""
        result = np.empty((len(part.rows), count), np.int32)
        squares, every = squares_of(self.centres), np.arange(len(self.centres), dtype=np.int32)
        # always as many rows at a time, so that a row's products are the same to the last bit whatever it comes with
        points = np.zeros((QUERIES, self.centres.shape[1]), self.centres.dtype)
        with one_blas_thread():
            for start in range(0, len(result), QUERIES):
                some = result[start : start + QUERIES]
                points[: len(some)] = self.standard(part.rows, slice(start, start + len(some)))
                nearest_lists.alone(len(some), *products_of(points, self.centres, squares), every, some)
        return result

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
    return lists.nearest(part, 1)[:, 0]


def ranks_of(lists: Lists, asked: Part, true: Found, homes: NDArray[np.int32], first: int) -> NDArray[np.int64]:
    """Return how far down in a query's order of lists its true neighbours are, for those in one block."""
    points = lists.points_of(asked.rows)
    distances = squares_of(lists.centres) - 2 * points @ lists.centres.T
    rank = np.empty(distances.shape, np.int64)
    np.put_along_axis(rank, distances.argsort(axis=1), np.arange(len(lists.centres))[None], axis=1)
    rows, columns = np.nonzero((true.indices >= first) & (true.indices < first + len(homes)))
    return np.asarray(rank[rows, homes[true.indices[rows, columns] - first]])


def needed_probes(lists: Lists, ranks: list[NDArray[np.int64]], fewest: int) -> int:
    """Return how many lists to look into for the wanted recall; at least a few."""
    counts = np.bincount(np.concatenate(ranks), minlength=len(lists.centres))
    probes = int(np.searchsorted(np.cumsum(counts) / counts.sum(), RECALL)) + 1
    return min(len(lists.centres), max(FEWEST_PROBES, fewest, probes))


def with_probes(lists: Lists, probes: int) -> Lists:
    """Look into so many lists."""
    return replace(lists, probes=min(probes, len(lists.centres)))
