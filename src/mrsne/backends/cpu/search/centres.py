"""The centres of inverted lists, and which lists are near."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Floating, Int32, Int64
from mrsne.backends.cpu.search.shortlist import QUERIES, move_smallest, products_of, squares_of
from mrsne.backends.rows import Rows
from mrsne.loops import kernel
from mrsne.threads import one_blas_thread, share, team_size

TRAINING = 64  # points per list that k-means looks at
ROUNDS = 8  # of k-means
TOGETHER = 64  # rows are multiplied in multiples of this, so that each has the same products whatever it comes with
_f = np.float32


def training_rows(rows: Rows, n_lists: int) -> Rows:
    return rows.take(np.arange(0, len(rows), max(1, len(rows) // (TRAINING * n_lists))))


def learn_centres(points: Floating, n_lists: int) -> Floating:
    """Return the centres of k-means, in the precision of the points."""
    if points.dtype == np.float64:
        with one_blas_thread():
            return _means(points, n_lists)
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(team_size())
    try:
        sizes = {"min_points_per_centroid": 1, "max_points_per_centroid": 2 * TRAINING}
        means = faiss.Kmeans(points.shape[1], n_lists, niter=ROUNDS, seed=0, **sizes)
        means.train(points)
    finally:
        faiss.omp_set_num_threads(before)
    return np.asarray(means.centroids)


def nearest_centres(points: Floating, centres: Floating) -> Int64:
    home = np.empty(len(points), np.int64)
    squares, doubled = squares_of(centres), np.ascontiguousarray(-2 * centres.T)
    spare: list[tuple[Floating, Floating]] = []  # memory that comes and goes is slow

    def assign(number: int) -> None:
        # always as many rows at a time, so that a row has the same products whatever it comes with
        rows, products = spare.pop() if spare else [np.zeros((QUERIES, n), points.dtype) for n in centres.shape[::-1]]
        block = points[number * QUERIES : (number + 1) * QUERIES]
        rows[: len(block)] = block
        np.matmul(rows, doubled, out=products)
        products += squares
        home[number * QUERIES : (number + 1) * QUERIES] = products.argmin(axis=1)[: len(block)]
        spare.append((rows, products))

    share(-(-len(points) // QUERIES), assign)
    return home


def _means(points: Floating, n_lists: int) -> Floating:
    """Do k-means in double precision, which faiss does not."""
    centres = points[:: len(points) // n_lists][:n_lists].copy()
    for _ in range(ROUNDS):
        home = nearest_centres(points, centres)
        present, starts = np.unique(home[order := np.argsort(home, kind="stable")], return_index=True)
        sums = np.add.reduceat(points[order], starts)
        centres[present] = sums / np.diff(np.append(starts, len(points)))[:, None]
    return centres


def lists_asked(asked: Floating, homes: NDArray[np.integer[Any]], near: Int32, centres: Floating, probes: int) -> Int32:
    """Return the lists that each query asks for, in the order of bands."""
    lists = np.empty((len(asked), probes), np.int32)
    if not len(asked):
        return lists
    squares = squares_of(centres)
    edges = [0, *(np.flatnonzero(np.diff(homes)) + 1).tolist(), len(asked)]
    longest = -(-int(np.diff(edges).max()) // TOGETHER) * TOGETHER
    room = np.zeros((longest, asked.shape[1]), asked.dtype)
    products = np.empty(longest * near.shape[1], np.float32)
    for first, last in pairwise(edges):
        choice = near[homes[first]]
        rows = room[: -(-(last - first) // TOGETHER) * TOGETHER]
        rows[: last - first] = asked[first:last]
        out = products[: len(rows) * len(choice)].reshape(len(rows), len(choice))
        both = products_of(rows, centres[choice], squares[choice], out)
        _nearest_lists.alone(last - first, *both, choice, lists[first:last])
    return lists


def ranks_of_lists(queries: Floating, centres: Floating) -> Int64:
    """Return, for each query, how many centres are nearer to it than each centre."""
    distances = squares_of(centres) - 2 * queries @ centres.T
    ranks = np.empty_like(distances, dtype=np.int64)
    np.put_along_axis(ranks, distances.argsort(axis=1), np.arange(len(centres))[None], axis=1)
    return ranks


@kernel("f4[:,:] f4[:] i4[:] i4[:,:]!")
def _nearest_lists(start, stop, products, squares, choice, lists):
    """Fill each row with its nearest lists, in the order of bands; inside a band in none."""
    n_lists, probes = products.shape[1], lists.shape[1]
    values, places = np.empty(n_lists, np.float32), np.empty(n_lists, np.int32)
    for i in range(start, stop):
        for position in range(n_lists):
            values[position] = squares[position] - _f(2) * products[i, position]
            places[position] = choice[position]
        count, wanted = n_lists, probes
        while True:
            move_smallest(values, places, count, wanted)
            if wanted == 1:
                break
            count, wanted = wanted, max(1, wanted // 4)
        lists[i] = places[:probes]
