"""D^-½ P D^-½ of a graph on the processor, and what the search for its eigenvectors computes with it.

Components share every pass over P, but have coefficients of their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.cpu.forces.attraction import Entries
from mrsne.backends.cpu.matrix.runs import Runs
from mrsne.loops import Array, kernel
from mrsne.matrices import PARTS

COLUMNS = 4  # vectors multiplied in one pass
SHORTEST = 1e-30  # length of a vector that is not made longer: of a star, say, nothing may be left
_f = np.float32


class HostOperator(ABC):
    """An operator whose vectors are arrays of this process; see :class:`mrsne.backends.base.Operator`.

    Parameters
    ----------
    starts : array
        Where each component starts among the items, and where the last one ends.
    """

    def __init__(self, starts: NDArray[np.int64]) -> None:
        n = int(starts[-1])
        self.runs = Runs(starts)
        ones = np.zeros((n, COLUMNS), np.float32)
        ones[:, 0] = 1
        self.inverse_root = np.ones(n, np.float32)
        degree = self.multiplied(np.tile(np.array([1, 0, 0], np.float32), (len(starts) - 1, 1)), ones, ones)[:, 0]
        self.root = np.sqrt(degree.astype(np.float64))
        self.inverse_root = (1 / self.root).astype(np.float32)
        lengths = np.sqrt(np.add.reduceat(degree.astype(np.float64), starts[:-1]))
        self.trivial = self.root / np.repeat(lengths, np.diff(starts))

    @abstractmethod
    def multiplied(
        self, coefficients: NDArray[np.float32], X: NDArray[np.float32], before: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return a · D^-½ P D^-½ X + b · X + c · before, with a row (a, b, c) of coefficients for each component."""

    def start(self, width: int, random: np.random.RandomState) -> NDArray[np.float32]:
        """Return random vectors; as many columns as one pass multiplies, or a multiple."""
        columns = -(-width // COLUMNS) * COLUMNS
        return random.standard_normal((len(self.root), columns)).astype(np.float32)

    def deflated(self, X: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return X without its part along the known eigenvector, its columns of length 1, in each component."""
        X = self.runs.without(X, self.trivial)
        lengths = np.sqrt(np.diagonal(self.products(X, X), axis1=1, axis2=2))
        return self.runs.scaled(X, 1 / np.maximum(lengths, SHORTEST))

    def recurrence(
        self, coefficients: NDArray[np.float64], X: NDArray[np.float32], before: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return a A X + b X + c Z for vectors Z = ``before``."""
        return self.multiplied(coefficients.astype(np.float32), X, before)

    def products(self, X: NDArray[np.float32], Z: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return Xᵀ Z of each component, in double precision."""
        return self.runs.products(X, Z)

    def combined(self, X: NDArray[np.float32], coefficients: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return X C with the matrix C of each component."""
        return self.runs.transformed(X, coefficients)

    def gather(self, X: NDArray[np.float32], count: int) -> NDArray[np.float64]:
        """Return the first columns of D^-½ X."""
        return np.asarray(X[:, :count] / self.root[:, None])


class EntriesOperator(HostOperator):
    """The operator of a graph given by its entries, component by component."""

    def __init__(self, entries: Entries, starts: NDArray[np.int64]) -> None:
        self.entries = entries
        super().__init__(starts)

    def multiplied(
        self, coefficients: NDArray[np.float32], X: NDArray[np.float32], before: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return a · D^-½ P D^-½ X + b · X + c · before, four columns at a time."""
        result = np.empty_like(X)
        words = np.empty((len(X), COLUMNS // 2), np.uint64)  # two numbers each
        columns = (self.runs.component, self.inverse_root, coefficients)
        for first in range(0, X.shape[1], COLUMNS):
            _scale_columns.over(PARTS, X, self.inverse_root, first, words.view(np.float32))
            _multiply.over(PARTS, *self.entries, *columns, words, first, X, before, result)
        return result


@kernel("f4[:,:] f4[:] i8 f4[:,:]!")
def _scale_columns(start: int, stop: int, X: Array, scale: Array, first: int, result: Array) -> None:
    n = X.shape[0]
    for i in range(start * n // PARTS, stop * n // PARTS):
        for k in range(COLUMNS):
            result[i, k] = X[i, first + k] * scale[i]


@kernel("i8[:] i8[:] u4[:] f4[:] i4[:] f4[:] f4[:,:] u8[:,:] i8 f4[:,:] f4[:,:] f4[:,:]!")
def _multiply(
    start: int,
    stop: int,
    parts: Array,
    indptr: Array,
    indices: Array,
    values: Array,
    component: Array,
    inverse_root: Array,
    coefficients: Array,
    words: Array,
    first: int,
    X: Array,
    before: Array,
    result: Array,
) -> None:
    for i in range(parts[start], parts[stop]):
        s0, s1, s2, s3 = _f(0), _f(0), _f(0), _f(0)
        neighbours = indices[indptr[i] : indptr[i + 1]]
        row = values[indptr[i] : indptr[i + 1]]
        for position in range(neighbours.shape[0]):  # two numbers at a time, as in the attraction
            p = row[position]
            left, right = words[neighbours[position], 0], words[neighbours[position], 1]
            s0 += p * np.uint32(left).view(np.float32)
            s1 += p * np.uint32(left >> np.uint64(32)).view(np.float32)
            s2 += p * np.uint32(right).view(np.float32)
            s3 += p * np.uint32(right >> np.uint64(32)).view(np.float32)
        own = coefficients[component[i]]
        a, b, c = own[0] * inverse_root[i], own[1], own[2]
        result[i, first] = a * s0 + b * X[i, first] + c * before[i, first]
        result[i, first + 1] = a * s1 + b * X[i, first + 1] + c * before[i, first + 1]
        result[i, first + 2] = a * s2 + b * X[i, first + 2] + c * before[i, first + 2]
        result[i, first + 3] = a * s3 + b * X[i, first + 3] + c * before[i, first + 3]
