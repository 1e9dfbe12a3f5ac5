"""Rows that are close on the map, close in memory: sparse sums then find their neighbours in the cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.cpu.forces.attraction import Entries
from mrsne.backends.cpu.mesh.splines import bounds
from mrsne.backends.cpu.radix import stable_order
from mrsne.loops import Array, inlined, kernel
from mrsne.matrices import PARTS, arrays_of, equal_parts

_f, _u = np.float32, np.uint32

WORTH_FROM = 20_000  # items; below, all positions fit into the cache anyway


def spatial_order(Y: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the rows along a Z-order curve through the first two coordinates.

    Examples
    --------
    >>> spatial_order(np.array([[0, 0], [9, 9], [0, 1], [9, 8]], dtype=np.float32))
    array([0, 2, 3, 1])
    """
    low, high = bounds(Y)
    scale = (2**16 - 1) / max(float((high - low)[:2].max()), 1e-30)
    codes = np.empty(len(Y), np.uint32)
    _z_order.over(PARTS, Y, low, scale, codes)
    return stable_order(codes)


@inlined
def _spread_bits(number: Any) -> Any:
    """Move bit b of a 16-bit number to bit 2b."""
    number = (number | (number << _u(8))) & _u(0x00FF00FF)
    number = (number | (number << _u(4))) & _u(0x0F0F0F0F)
    number = (number | (number << _u(2))) & _u(0x33333333)
    return (number | (number << _u(1))) & _u(0x55555555)


@kernel("f4[:,:] f8[:] f8 u4[:]!")
def _z_order(start: int, stop: int, Y: Array, low: Array, scale: float, codes: Array) -> None:
    n = Y.shape[0]
    for i in range(start * n // PARTS, stop * n // PARTS):
        code = _spread_bits(_u((Y[i, 0] - low[0]) * scale))
        if Y.shape[1] > 1:
            code = (code << _u(1)) | _spread_bits(_u((Y[i, 1] - low[1]) * scale))
        codes[i] = code


@kernel("i8[:] f4[:,:] f4[:,:]!")
def _take_rows(start: int, stop: int, order: Array, array: Array, result: Array) -> None:
    n = order.shape[0]
    for i in range(start * n // PARTS, stop * n // PARTS):
        for k in range(array.shape[1]):
            result[i, k] = array[order[i], k]


def rows_in_order(array: NDArray[np.float32], order: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return some rows of an array, or all of them in another order.

    Examples
    --------
    >>> rows_in_order(np.array([[1.0], [2.0]], dtype=np.float32), np.array([1, 0])).ravel()
    array([2., 1.], dtype=float32)
    """
    result = np.empty((len(order), array.shape[1]), np.float32)
    _take_rows.over(PARTS, order, array, result)
    return result


@kernel("i8[:] i4[:] f4[:] i8[:] i4[:] i8[:] u4[:]! f4[:]!", exact=True)
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
            column = inverse[indices[first + position - new_indptr[row]]]
            new_indices[position] = max(column, 0)
            new_values[position] = values[first + position - new_indptr[row]] if column >= 0 else _f(0)


def reordered(P: sparse.csr_matrix, order: NDArray[np.int64]) -> Entries:
    """Return the entries of P with rows and columns in the given order, of all or of some of them.

    Entries in columns that are not among them, which a symmetric P has only where it has such rows too, become zero.

    Examples
    --------
    >>> P = sparse.csr_matrix(np.array([[0, 1], [2, 0]], dtype=np.float32))
    >>> entries = reordered(P, np.array([1, 0]))
    >>> entries.indices, entries.values
    (array([1, 0], dtype=uint32), array([2., 1.], dtype=float32))
    """
    inverse = np.full(P.shape[1], -1, np.int32)
    inverse[order] = np.arange(len(order), dtype=np.int32)
    indptr = np.zeros(len(order) + 1, np.int64)
    np.cumsum(np.diff(P.indptr)[order], out=indptr[1:])
    indices, values = np.empty(indptr[-1], np.uint32), np.empty(indptr[-1], np.float32)
    _copy_rows.over(len(order), *arrays_of(P), order, inverse, indptr, indices, values)
    return Entries(equal_parts(indptr), indptr, indices, values)
