"""The charges of points on a grid, by many threads and with the same bits whatever their number.

Points are sorted into bands of rows. Even bands are filled first, then odd ones, each by one thread in the order of the
points, so that no two threads ever touch one node. A small grid has too few bands for many threads: then there are
several copies of it, each for a part of the points, and their sum is taken at the end.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mrsne.arrays import Float32, Float64
from mrsne.loops import WORTH_SHARING, inlined, kernel

CHUNKS = 64  # parts of a parallel loop; fixed, so that results do not depend on the number of threads
BAND = 8  # rows of the grid filled by one task; at least SUPPORT - 1, so that bands two apart never meet
MOST_COPIES, ENOUGH_BANDS = 8, 64
_f = np.float32


@kernel("f4[:,:] f8[:,:]! f8[:,:]!")
def _chunk_bounds(start, stop, Y, low, high):
    n = Y.shape[0]
    for chunk in range(start, stop):
        first, last = chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS
        for k in range(Y.shape[1]):
            # not in low and high: threads that write to one cache line wait for each other
            least, most = _f(np.inf), _f(-np.inf)
            for i in range(first, last):
                least = min(least, Y[i, k])
                most = max(most, Y[i, k])
            low[chunk, k] = least
            high[chunk, k] = most


def bounds(Y: Float32) -> tuple[Float64, Float64]:
    """Return the smallest and largest coordinate along each axis; numpy's own reduction takes 20 times as long."""
    low, high = np.empty((2, CHUNKS, Y.shape[1]))
    run = _chunk_bounds.over if len(Y) >= WORTH_SHARING else _chunk_bounds.alone
    run(CHUNKS, Y, low, high)
    return low.min(axis=0), high.max(axis=0)


@kernel("f4[:,:] f4[:] f4 i8[:,:]!")
def _count_bands(start, stop, Y, origin, inverse_step, counts):
    n = Y.shape[0]
    for chunk in range(start, stop):
        counts[chunk, :] = 0
        for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            counts[chunk, int((Y[i, 0] - origin[0]) * inverse_step) // BAND] += 1


@kernel("f4[:,:] f4[:] f4 i8[:,:]! i4[:]!")
def _fill_bands(start, stop, Y, origin, inverse_step, next_place, order):
    n = Y.shape[0]
    for chunk in range(start, stop):
        for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            band = int((Y[i, 0] - origin[0]) * inverse_step) // BAND
            order[next_place[chunk, band]] = i
            next_place[chunk, band] += 1


@kernel("f4[:,:]!")
def _clear(start, stop, grids):
    cells = grids.shape[1]
    for chunk in range(start, stop):
        grids[:, chunk * cells // CHUNKS : (chunk + 1) * cells // CHUNKS] = 0


@kernel("f4[:,:]!")
def _add_copies(start, stop, grids):
    cells = grids.shape[1]
    for chunk in range(start, stop):
        first, last = chunk * cells // CHUNKS, (chunk + 1) * cells // CHUNKS
        total = grids[0, first:last]
        for copy in range(1, grids.shape[0]):
            other = grids[copy, first:last]
            for cell in range(total.shape[0]):
                total[cell] += other[cell]


@inlined
def points_of(ends, band, copy, copies):
    """Return where the points of a band that belong to a copy of the grid begin and end in the order of the bands."""
    chunk = band * CHUNKS + copy * CHUNKS // copies
    return ends[chunk - 1] if chunk > 0 else 0, ends[band * CHUNKS + (copy + 1) * CHUNKS // copies - 1]


def number_of_copies(n_bands: int, n_cells: int, n_points: int) -> int:
    """Return how many copies of a grid to fill: enough for many threads, and few beside the points."""
    copies = MOST_COPIES
    while copies > 1 and (copies // 2 * n_bands >= ENOUGH_BANDS or copies * n_cells > n_points):
        copies //= 2
    return copies


Spread = Callable[[int, tuple[Any, ...], Float32], None]  # takes tasks, points and copies of a grid


class Charges:
    """The charges of points, in the same memory at every call with the same grid."""

    def __init__(self, spread: Spread) -> None:
        self._spread = spread
        self._order = np.empty(0, np.int32)
        self._grids = np.empty((0, 0), np.float32)

    def __call__(self, Y: Float32, origin: Float32, inverse_step: np.float32, shape: tuple[int, ...]) -> Float32:
        """Return the sum of all points' splines at every node of a grid."""
        n_bands, n_cells = -(-shape[0] // BAND), math.prod(shape)
        copies = number_of_copies(n_bands, n_cells, len(Y))
        if self._grids.shape == (copies, n_cells):
            _clear.over(CHUNKS, self._grids)
        else:
            self._grids = np.zeros((copies, n_cells), np.float32)
        if len(self._order) != len(Y):
            self._order = np.empty(len(Y), np.int32)
        counts = np.empty((CHUNKS, n_bands), np.int64)  # of a chunk side by side: they are one thread's
        _count_bands.over(CHUNKS, Y, origin, inverse_step, counts)
        ends = np.cumsum(counts.T)  # band by band, where the points of each chunk end; in a band they keep their order
        begins = np.ascontiguousarray((ends.reshape(n_bands, CHUNKS) - counts.T).T)
        _fill_bands.over(CHUNKS, Y, origin, inverse_step, begins, self._order)
        for parity in (0, 1):
            tasks = (n_bands + 1 - parity) // 2 * copies
            points = (Y, origin, inverse_step, self._order, ends, parity, copies)
            self._spread(tasks, points, self._grids.reshape(copies, *shape))
        if copies > 1:
            _add_copies.over(CHUNKS, self._grids)
        return np.asarray(self._grids[0].reshape(shape))
