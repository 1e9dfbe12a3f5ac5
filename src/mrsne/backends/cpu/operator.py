"""D^-½ P D^-½ of a graph on the processor; all components share a pass over P, each with its own coefficients."""

from abc import ABC, abstractmethod

import numpy as np

from mrsne.arrays import Float32, Float64, Int64
from mrsne.backends.components import cut_into_runs
from mrsne.backends.cpu.attraction import Entries
from mrsne.loops import kernel
from mrsne.matrices import PARTS

COLUMNS = 4  # vectors multiplied in one pass
SHORTEST = 1e-30  # length of a vector that is not made longer: of a star, say, nothing may be left
_f = np.float32


class HostOperator(ABC):
    """An operator whose vectors are arrays of this process; ``starts`` says where each component starts, and n."""

    def __init__(self, starts: Int64) -> None:
        n = int(starts[-1])
        self._begins, self._ends, self._first = cut_into_runs(starts)
        self.component = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
        ones = np.zeros((n, COLUMNS), np.float32)
        ones[:, 0] = 1
        self.inverse_root = np.ones(n, np.float32)
        degree = self.multiplied(np.tile(np.array([1, 0, 0], np.float32), (len(starts) - 1, 1)), ones, ones)[:, 0]
        self.root = np.sqrt(degree.astype(np.float64))
        self.inverse_root = (1 / self.root).astype(np.float32)
        lengths = np.sqrt(np.add.reduceat(degree.astype(np.float64), starts[:-1]))
        self.trivial = self.root / np.repeat(lengths, np.diff(starts))

    @abstractmethod
    def multiplied(self, coefficients: Float32, X: Float32, before: Float32) -> Float32:
        """Return a · D^-½ P D^-½ X + b · X + c · before, with a row (a, b, c) of coefficients for each component."""

    def start(self, width: int, random: np.random.RandomState) -> Float32:
        """Return random vectors; as many columns as one pass multiplies, or a multiple."""
        columns = -(-width // COLUMNS) * COLUMNS
        return random.standard_normal((len(self.root), columns)).astype(np.float32)

    def deflated(self, X: Float32) -> Float32:
        """Return X without its part along the known eigenvector, in double precision: it may be by far the largest."""
        along, rest = np.empty((len(self._begins), X.shape[1])), np.empty_like(X)
        _along.over(len(along), self._begins, self._ends, self.trivial, X, along)
        _subtract.over(PARTS, self.component, self.trivial, np.add.reduceat(along, self._first), X, rest)
        lengths = np.sqrt(np.diagonal(self.products(rest, rest), axis1=1, axis2=2))
        rest *= (1 / np.maximum(lengths, SHORTEST))[self.component]
        return rest

    def recurrence(self, coefficients: Float64, X: Float32, before: Float32) -> Float32:
        return self.multiplied(coefficients.astype(np.float32), X, before)

    def products(self, X: Float32, Z: Float32) -> Float64:
        sums = np.empty((len(self._begins), X.shape[1], Z.shape[1]))
        _products.over(len(sums), self._begins, self._ends, X, Z, sums)
        return np.asarray(np.add.reduceat(sums, self._first))

    def combined(self, X: Float32, coefficients: Float64) -> Float32:
        result = np.empty((len(X), coefficients.shape[2]), np.float32)
        _transform.over(PARTS, self.component, X, coefficients.astype(np.float32), result)
        return result

    def gather(self, X: Float32, count: int) -> Float64:
        return np.asarray(X[:, :count] / self.root[:, None])


class EntriesOperator(HostOperator):
    """The operator of a graph given by its entries, component by component."""

    def __init__(self, entries: Entries, starts: Int64) -> None:
        self.entries = entries
        super().__init__(starts)

    def multiplied(self, coefficients: Float32, X: Float32, before: Float32) -> Float32:
        result = np.empty_like(X)
        words = np.empty((len(X), COLUMNS // 2), np.uint64)  # two numbers each
        scales = (self.component, self.inverse_root, coefficients)
        for first in range(0, X.shape[1], COLUMNS):
            _scale_columns.over(PARTS, X, self.inverse_root, first, words.view(np.float32))
            _multiply.over(PARTS, *self.entries, *scales, words, first, X, before, result)
        return result


@kernel("f4[:,:] f4[:] i8 f4[:,:]!")
def _scale_columns(start, stop, X, scale, first, result):
    n = X.shape[0]
    for i in range(start * n // PARTS, stop * n // PARTS):
        for k in range(COLUMNS):
            result[i, k] = X[i, first + k] * scale[i]


@kernel("i8[:] i8[:] u4[:] f4[:] i4[:] f4[:] f4[:,:] u8[:,:] i8 f4[:,:] f4[:,:] f4[:,:]!")
def _multiply(
    start, stop, parts, indptr, indices, values, component, inverse_root, coefficients, words, first, X, before, result
):
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


@kernel("i8[:] i8[:] f4[:,:] f4[:,:] f8[:,:,:]!")
def _products(start, stop, begins, ends, X, Z, sums):
    for run in range(start, stop):
        for a in range(X.shape[1]):
            for b in range(Z.shape[1]):
                total = 0.0
                for i in range(begins[run], ends[run]):
                    total += np.float64(X[i, a]) * np.float64(Z[i, b])
                sums[run, a, b] = total


@kernel("i4[:] f4[:,:] f4[:,:,:] f4[:,:]!")
def _transform(start, stop, component, X, tables, result):
    n = X.shape[0]
    for i in range(start * n // PARTS, stop * n // PARTS):
        table = tables[component[i]]
        for b in range(table.shape[1]):
            total = np.float32(0)
            for a in range(table.shape[0]):
                total += X[i, a] * table[a, b]
            result[i, b] = total


@kernel("i8[:] i8[:] f8[:] f4[:,:] f8[:,:]!")
def _along(start, stop, begins, ends, direction, X, sums):
    for run in range(start, stop):
        for a in range(X.shape[1]):
            total = 0.0
            for i in range(begins[run], ends[run]):
                total += direction[i] * np.float64(X[i, a])
            sums[run, a] = total


@kernel("i4[:] f8[:] f8[:,:] f4[:,:] f4[:,:]!")
def _subtract(start, stop, component, direction, along, X, result):
    n = X.shape[0]
    for i in range(start * n // PARTS, stop * n // PARTS):
        for a in range(X.shape[1]):
            result[i, a] = np.float64(X[i, a]) - direction[i] * along[component[i], a]
