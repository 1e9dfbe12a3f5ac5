"""D^-½ P D^-½ of a graph on the processor, and what the search for its eigenvectors computes with it.

Components share every pass over P, but have coefficients of their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.cpu.forces.attraction import Entries
from mrsne.compilation import Array, kernel
from mrsne.matrices import PARTS

COLUMNS = 4  # vectors multiplied in one pass
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
        self.first = starts[:-1]
        self.component = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        ones = np.zeros((n, COLUMNS), np.float32)
        ones[:, 0] = 1
        self.inverse_root = np.ones(n, np.float32)
        degree = self.multiplied(self._by_row(np.tile([1.0, 0.0, 0.0], (len(self.first), 1))), ones, ones)[:, 0]
        self.root = np.sqrt(degree.astype(np.float64))
        self.inverse_root = (1 / self.root).astype(np.float32)
        self.trivial = self.root / np.sqrt(np.add.reduceat(self.root**2, self.first))[self.component]

    @abstractmethod
    def multiplied(
        self, coefficients: NDArray[np.float32], X: NDArray[np.float32], before: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return a · D^-½ P D^-½ X + b · X + c · before, with a row (a, b, c) of coefficients for each item."""

    def start(self, width: int, random: np.random.RandomState) -> NDArray[np.float32]:
        """Return random vectors; as many columns as one pass multiplies, or a multiple."""
        columns = -(-width // COLUMNS) * COLUMNS
        return random.standard_normal((len(self.root), columns)).astype(np.float32)

    def deflated(self, X: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return X without its part along the known eigenvector, its columns of length 1, in each component."""
        along = np.add.reduceat(self.trivial[:, None] * X, self.first)[self.component]
        X = (X - self.trivial[:, None] * along).astype(np.float32)
        X /= np.sqrt(np.add.reduceat(X.astype(np.float64) ** 2, self.first) + 1e-300)[self.component]
        return X

    def recurrence(
        self, coefficients: NDArray[np.float64], X: NDArray[np.float32], before: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return a A X + b X + c Z for vectors Z = ``before``."""
        return self.multiplied(self._by_row(coefficients), X, before)

    def _by_row(self, coefficients: NDArray[np.float64]) -> NDArray[np.float32]:
        return coefficients.astype(np.float32)[self.component]

    def products(self, X: NDArray[np.float32], Z: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return Xᵀ Z of each component, in double precision; both halves are the lower one."""
        width = X.shape[1]
        result = np.empty((len(self.first), width, width))
        for a in range(width):
            for b in range(a + 1):
                column = np.add.reduceat(X[:, a].astype(np.float64) * Z[:, b], self.first)
                result[:, a, b] = result[:, b, a] = column
        return result

    def combined(self, X: NDArray[np.float32], coefficients: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return X C with the matrix C of each component."""
        result = np.empty_like(X)
        for b in range(X.shape[1]):
            result[:, b] = np.einsum("na,na->n", X, coefficients[:, :, b][self.component].astype(np.float32))
        return result

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
        for first in range(0, X.shape[1], COLUMNS):
            scaled = X[:, first : first + COLUMNS] * self.inverse_root[:, None]
            words = scaled.view(np.uint64)
            _multiply.over(PARTS, *self.entries, self.inverse_root, coefficients, words, first, X, before, result)
        return result


@kernel("i8[:] i8[:] u4[:] f4[:] f4[:] f4[:,:] u8[:,:] i8 f4[:,:] f4[:,:] f4[:,:]!")
def _multiply(
    start: int,
    stop: int,
    parts: Array,
    indptr: Array,
    indices: Array,
    values: Array,
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
        a, b, c = coefficients[i, 0] * inverse_root[i], coefficients[i, 1], coefficients[i, 2]
        result[i, first] = a * s0 + b * X[i, first] + c * before[i, first]
        result[i, first + 1] = a * s1 + b * X[i, first + 1] + c * before[i, first + 1]
        result[i, first + 2] = a * s2 + b * X[i, first + 2] + c * before[i, first + 2]
        result[i, first + 3] = a * s3 + b * X[i, first + 3] + c * before[i, first + 3]
