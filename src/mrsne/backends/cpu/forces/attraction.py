"""The pull of P̃: a sum over the stored entries of a sparse matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.cpu.kernel import falloff, negative_log
from mrsne.loops import Array, kernel
from mrsne.matrices import PARTS, arrays_of, equal_parts

_f = np.float32


class Entries(NamedTuple):
    """The stored entries of P̃, row by row.

    ``parts`` are runs of rows with about equally many entries. ``indices`` are unsigned: a signed index might be
    negative, and the test for it would keep loops from vectorising.
    """

    parts: NDArray[np.int64]
    indptr: NDArray[np.int64]
    indices: NDArray[np.uint32]
    values: NDArray[np.float32]

    @classmethod
    def of(cls, P: sparse.csr_matrix) -> Entries:
        """Return the entries of a matrix with float32 values, over the same memory."""
        indptr, indices, values = arrays_of(P)
        return cls(equal_parts(indptr), indptr, indices.view(np.uint32), values)


def attract(entries: Entries, points: NDArray[np.float32], Y: NDArray[np.float32], force: NDArray[np.float32]) -> None:
    """Compute F_i = Σ_j p̃_ij (y_i − y_j) / (1 + ‖y_i − y_j‖²), the attraction, in units of the kernel.

    Rows belong to ``points``, columns to ``Y``: the same array twice in a descent, new and fitted items when placing.
    """
    if Y.shape[1] == 2:
        _attract_in_the_plane.over(PARTS, *entries, points, Y.view(np.uint64).ravel(), force)
    else:
        _attract.over(PARTS, *entries, points, Y, force)


@kernel("i8[:] i8[:] u4[:] f4[:] f4[:,:] u8[:] f4[:,:]!")
def _attract_in_the_plane(
    start: int,
    stop: int,
    parts: Array,
    indptr: Array,
    indices: Array,
    values: Array,
    points: Array,
    words: Array,
    force: Array,
) -> None:
    """Fetch both coordinates of an item as one 64-bit word: fetching from scattered places is what takes the time."""
    for i in range(parts[start], parts[stop]):
        x, y = points[i, 0], points[i, 1]
        fx, fy = _f(0), _f(0)
        neighbours = indices[indptr[i] : indptr[i + 1]]
        row = values[indptr[i] : indptr[i + 1]]
        for position in range(neighbours.shape[0]):
            word = words[neighbours[position]]
            dx = x - np.uint32(word).view(np.float32)
            dy = y - np.uint32(word >> np.uint64(32)).view(np.float32)
            pull = row[position] * falloff(dx * dx + dy * dy)
            fx += pull * dx
            fy += pull * dy
        force[i, 0] = fx
        force[i, 1] = fy


@kernel("i8[:] i8[:] u4[:] f4[:] f4[:,:] f4[:,:] f4[:,:]!")
def _attract(
    start: int,
    stop: int,
    parts: Array,
    indptr: Array,
    indices: Array,
    values: Array,
    points: Array,
    Y: Array,
    force: Array,
) -> None:
    """Compute the same in any dimension."""
    for i in range(parts[start], parts[stop]):
        force[i, :] = 0
        for position in range(indptr[i], indptr[i + 1]):
            j = indices[position]
            squared = _f(0)
            for k in range(Y.shape[1]):
                squared += (points[i, k] - Y[j, k]) * (points[i, k] - Y[j, k])
            pull = values[position] * falloff(squared)
            for k in range(Y.shape[1]):
                force[i, k] += pull * (points[i, k] - Y[j, k])


@kernel("i8[:] i8[:] u4[:] f4[:] f4[:,:] f4[:,:] f8[:]!")
def cross_entropy(
    start: int,
    stop: int,
    parts: Array,
    indptr: Array,
    indices: Array,
    values: Array,
    points: Array,
    Y: Array,
    sums: Array,
) -> None:
    """Compute Σ_ij p̃_ij log(1 + ‖y_i − y_j‖²), which is −Σ p̃ log w for the Cauchy kernel, in double precision.

    Rows belong to ``points``, columns to ``Y``; ``sums`` receives one number for each run of rows.
    """
    for part in range(start, stop):
        total = 0.0
        for i in range(parts[part], parts[part + 1]):
            for position in range(indptr[i], indptr[i + 1]):
                j = indices[position]
                squared = 0.0
                for k in range(Y.shape[1]):
                    difference = np.float64(points[i, k]) - np.float64(Y[j, k])
                    squared += difference * difference
                total += values[position] * negative_log(squared)
        sums[part] = total
