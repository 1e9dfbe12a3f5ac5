"""Sums over the rows of each component of a graph, and rows times a matrix of their component, on all threads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.components import cut_into_runs
from mrsne.loops import Array, kernel
from mrsne.matrices import PARTS


class Runs:
    """Rows that are listed component by component.

    Parameters
    ----------
    starts : array
        Where each component starts among the rows, and where the last one ends.

    Examples
    --------
    >>> runs = Runs(np.array([0, 2, 3]))
    >>> X = np.array([[1.0], [2.0], [5.0]], dtype=np.float32)
    >>> runs.products(X, X).ravel()
    array([ 5., 25.])
    >>> runs.transformed(X, np.array([[[10.0]], [[100.0]]])).ravel()
    array([ 10.,  20., 500.], dtype=float32)
    """

    def __init__(self, starts: NDArray[np.int64]) -> None:
        self._begins, self._ends, self._first = cut_into_runs(starts)
        self.component = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))

    def products(self, X: NDArray[np.float32], Z: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return Xᵀ Z of the rows of each component, in double precision."""
        sums = np.empty((len(self._begins), X.shape[1], Z.shape[1]))
        _products.over(len(sums), self._begins, self._ends, X, Z, sums)
        return np.asarray(np.add.reduceat(sums, self._first))

    def without(self, X: NDArray[np.float32], direction: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return X without its part along a direction, a vector of length 1 in each component.

        In double precision: that part may be by far the largest, and its rounding as large as what remains.
        """
        along, result = np.empty((len(self._begins), X.shape[1])), np.empty_like(X)
        _along.over(len(along), self._begins, self._ends, direction, X, along)
        _subtract.over(PARTS, self.component, direction, np.add.reduceat(along, self._first), X, result)
        return result

    def scaled(self, X: NDArray[np.float32], factors: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return X with each column of each component times a factor."""
        result = np.empty_like(X)
        _scale.over(PARTS, self.component, factors, X, result)
        return result

    def transformed(self, X: NDArray[np.float32], tables: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return X C with the matrix C of each component."""
        result = np.empty((len(X), tables.shape[2]), np.float32)
        _transform.over(PARTS, self.component, X, tables.astype(np.float32), result)
        return result


@kernel("i8[:] i8[:] f4[:,:] f4[:,:] f8[:,:,:]!")
def _products(start: int, stop: int, begins: Array, ends: Array, X: Array, Z: Array, sums: Array) -> None:
    for run in range(start, stop):
        for a in range(X.shape[1]):
            for b in range(Z.shape[1]):
                total = 0.0
                for i in range(begins[run], ends[run]):
                    total += np.float64(X[i, a]) * np.float64(Z[i, b])
                sums[run, a, b] = total


@kernel("i4[:] f4[:,:] f4[:,:,:] f4[:,:]!")
def _transform(start: int, stop: int, component: Array, X: Array, tables: Array, result: Array) -> None:
    n = X.shape[0]
    for i in range(start * n // PARTS, stop * n // PARTS):
        table = tables[component[i]]
        for b in range(table.shape[1]):
            total = np.float32(0)
            for a in range(table.shape[0]):
                total += X[i, a] * table[a, b]
            result[i, b] = total


@kernel("i8[:] i8[:] f8[:] f4[:,:] f8[:,:]!")
def _along(start: int, stop: int, begins: Array, ends: Array, direction: Array, X: Array, sums: Array) -> None:
    for run in range(start, stop):
        for a in range(X.shape[1]):
            total = 0.0
            for i in range(begins[run], ends[run]):
                total += direction[i] * np.float64(X[i, a])
            sums[run, a] = total


@kernel("i4[:] f8[:] f8[:,:] f4[:,:] f4[:,:]!")
def _subtract(start: int, stop: int, component: Array, direction: Array, along: Array, X: Array, result: Array) -> None:
    n = X.shape[0]
    for i in range(start * n // PARTS, stop * n // PARTS):
        for a in range(X.shape[1]):
            result[i, a] = np.float64(X[i, a]) - direction[i] * along[component[i], a]


@kernel("i4[:] f8[:,:] f4[:,:] f4[:,:]!")
def _scale(start: int, stop: int, component: Array, factors: Array, X: Array, result: Array) -> None:
    n = X.shape[0]
    for i in range(start * n // PARTS, stop * n // PARTS):
        for a in range(X.shape[1]):
            result[i, a] = np.float64(X[i, a]) * factors[component[i], a]
