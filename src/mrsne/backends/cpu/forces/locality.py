"""Rows that are close on the map, close in memory: sparse sums then find their neighbours in the cache."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.cpu.forces.attraction import Entries
from mrsne.compilation import Array, kernel
from mrsne.matrices import arrays_of, equal_parts

WORTH_FROM = 20_000  # items; below, all positions fit into the cache anyway


def spatial_order(Y: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the rows along a Z-order curve through the first two coordinates.

    Examples
    --------
    >>> spatial_order(np.array([[0, 0], [9, 9], [0, 1], [9, 8]], dtype=np.float32))
    array([0, 2, 3, 1])
    """
    points = Y[:, :2]
    low = points.min(axis=0)
    scale = (2**16 - 1) / max(float((points.max(axis=0) - low).max()), 1e-30)
    code = np.zeros(len(Y), np.uint64)
    for axis, column in enumerate(((points - low) * scale).astype(np.uint64).T):
        code |= _spread_bits(column) << np.uint64(points.shape[1] - 1 - axis)
    return np.argsort(code, kind="stable")


def _spread_bits(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Move bit b of 16-bit numbers to bit 2b."""
    for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        numbers = (numbers | (numbers << np.uint64(shift))) & np.uint64(mask)
    return numbers


@kernel("i8[:] i4[:] f4[:] i8[:] i4[:] i8[:] u4[:]! f4[:]!")
def _copy_rows(
    start: int,
    stop: int,
    indptr: Array,
    indices: Array,
    values: Array,
    order: Array,
    inverse: Array,
    new_indptr: Array,
    new_indices: Array,
    new_values: Array,
) -> None:
    for row in range(start, stop):
        first = indptr[order[row]]
        for position in range(new_indptr[row], new_indptr[row + 1]):
            new_indices[position] = inverse[indices[first + position - new_indptr[row]]]
            new_values[position] = values[first + position - new_indptr[row]]


def reordered(P: sparse.csr_matrix, order: NDArray[np.int64]) -> Entries:
    """Return the entries of P with rows and columns in the given order.

    Examples
    --------
    >>> P = sparse.csr_matrix(np.array([[0, 1], [2, 0]], dtype=np.float32))
    >>> entries = reordered(P, np.array([1, 0]))
    >>> entries.indices, entries.values
    (array([1, 0], dtype=uint32), array([2., 1.], dtype=float32))
    """
    inverse = np.empty(len(order), np.int32)
    inverse[order] = np.arange(len(order), dtype=np.int32)
    indptr = np.zeros(len(order) + 1, np.int64)
    np.cumsum(np.diff(P.indptr)[order], out=indptr[1:])
    indices, values = np.empty(P.nnz, np.uint32), np.empty(P.nnz, np.float32)
    _copy_rows.over(len(order), *arrays_of(P), order, inverse, indptr, indices, values)
    return Entries(equal_parts(indptr), indptr, indices, values)
