"""The pull of P̃: sums over the stored entries of a sparse matrix; see :mod:`mrsne.backends.kernel` for the kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.arrays import Float32, Int64
from mrsne.loops import inlined, kernel
from mrsne.matrices import PARTS, arrays_of, equal_parts

_f = np.float32


@inlined
def falloff(squared):
    """Return 1/(1+ρ²) in single precision: what weighs attraction, and the Cauchy kernel itself."""
    return _f(1) / (_f(1) + squared)


@inlined
def similarity(weight, dof):
    """Return w = (1+ρ²)^−α from 1/(1+ρ²)."""
    return weight**dof


@inlined
def negative_log(squared):
    """Return log(1+ρ²), which is −log w divided by α, in the precision of ρ²."""
    return np.log1p(squared)


class Entries(NamedTuple):
    """The stored entries of P̃, row by row; ``parts`` are runs of rows with about equally many of them.

    ``indices`` are unsigned: a signed one might be negative, and the test for it would keep loops from vectorising.
    """

    parts: Int64
    indptr: Int64
    indices: NDArray[np.uint32]
    values: Float32

    @classmethod
    def of(cls, P: sparse.csr_matrix, order: Int64 | None = None) -> Entries:
        """Return the entries of a matrix with float32 values, over the same memory; with an ``order``, of its rows.

        Entries in columns that it does not list, which a symmetric P has only in such rows too, become zero.
        """
        source = arrays_of(P)
        if order is None:
            indptr, indices, values = source
            return cls(equal_parts(indptr), indptr, indices.view(np.uint32), values)
        inverse = np.full(P.shape[1], -1, np.int32)
        inverse[order] = np.arange(len(order), dtype=np.int32)
        starts = np.concatenate([[0], np.cumsum(np.diff(P.indptr)[order], dtype=np.int64)])
        columns, copied = np.empty(starts[-1], np.uint32), np.empty(starts[-1], np.float32)
        _copy_rows.over(len(order), *source, order, inverse, starts, columns, copied)
        return cls(equal_parts(starts), starts, columns, copied)


@kernel("i8[:] i4[:] f4[:] i8[:] i4[:] i8[:] u4[:]! f4[:]!", exact=True)
def _copy_rows(start, stop, indptr, indices, values, order, inverse, new_indptr, new_indices, new_values):
    for row in range(start, stop):
        first = indptr[order[row]]
        for position in range(new_indptr[row], new_indptr[row + 1]):
            column = inverse[indices[first + position - new_indptr[row]]]
            new_indices[position] = max(column, 0)
            new_values[position] = values[first + position - new_indptr[row]] if column >= 0 else _f(0)


def attract(entries: Entries, points: Float32, Y: Float32, force: Float32) -> None:
    """Compute F_i = Σ_j p̃_ij (y_i − y_j) / (1 + ‖y_i − y_j‖²) for y_i of ``points`` and y_j of ``Y``."""
    if Y.shape[1] == 2:
        _attract_in_the_plane.over(PARTS, *entries, points, Y.view(np.uint64).ravel(), force)
    else:
        _attract.over(PARTS, *entries, points, Y, force)


@kernel("i8[:] i8[:] u4[:] f4[:] f4[:,:] u8[:] f4[:,:]!")
def _attract_in_the_plane(start, stop, parts, indptr, indices, p, points, words, F):
    """Fetch both coordinates of an item as one 64-bit word: fetching from scattered places is what takes the time."""
    for i in range(parts[start], parts[stop]):
        x, y = points[i, 0], points[i, 1]
        fx, fy = _f(0), _f(0)
        neighbours = indices[indptr[i] : indptr[i + 1]]
        row = p[indptr[i] : indptr[i + 1]]
        for position in range(neighbours.shape[0]):
            word = words[neighbours[position]]
            dx = x - np.uint32(word).view(np.float32)
            dy = y - np.uint32(word >> np.uint64(32)).view(np.float32)
            pull = row[position] * falloff(dx * dx + dy * dy)
            fx += pull * dx
            fy += pull * dy
        F[i, 0] = fx
        F[i, 1] = fy


@kernel("i8[:] i8[:] u4[:] f4[:] f4[:,:] f4[:,:] f4[:,:]!")
def _attract(start, stop, parts, indptr, indices, p, points, Y, F):
    """Compute the same in any dimension."""
    for i in range(parts[start], parts[stop]):
        F[i, :] = 0
        for position in range(indptr[i], indptr[i + 1]):
            j = indices[position]
            squared = _f(0)
            for k in range(Y.shape[1]):
                squared += (points[i, k] - Y[j, k]) * (points[i, k] - Y[j, k])
            pull = p[position] * falloff(squared)
            for k in range(Y.shape[1]):
                F[i, k] += pull * (points[i, k] - Y[j, k])


@kernel("i8[:] i8[:] u4[:] f4[:] f4[:,:] f4[:,:] f8[:]!")
def cross_entropy(start, stop, parts, indptr, indices, p, points, Y, sums):
    """Compute Σ_ij p̃_ij log(1 + ‖y_i − y_j‖²) for each run of rows, in double precision."""
    for part in range(start, stop):
        total = 0.0
        for i in range(parts[part], parts[part + 1]):
            for position in range(indptr[i], indptr[i + 1]):
                j = indices[position]
                squared = 0.0
                for k in range(Y.shape[1]):
                    difference = np.float64(points[i, k]) - np.float64(Y[j, k])
                    squared += difference * difference
                total += p[position] * negative_log(squared)
        sums[part] = total
