"""The first singular vectors of a large sparse matrix, by an iteration that is the same for every engine.

A random subspace is multiplied with the matrix and its transpose, over and over, until it holds the vectors of the
largest singular values (Halko, Martinsson, Tropp 2011). Between two passes its columns are made orthonormal through
their products with each other, a small matrix, so that the large ones are only multiplied.
"""

from typing import Any, Protocol

import numpy as np
from scipy import sparse

from mrsne.arrays import Float32, Float64
from mrsne.lanes import WIDTH, aligned, put, spread_out, take
from mrsne.loops import Array, kernel
from mrsne.matrices import PARTS, arrays_of, equal_parts
from mrsne.threads import share

EXTRA, PASSES = 30, 20  # vectors beyond those asked for, and products: the same vectors from any order of the rows
LARGE_FROM = 200_000  # rows and columns, from which that would take long
EXTRA_OF_LARGE, PASSES_OF_LARGE = 10, 5
SHORTEST = 1e-13  # squared length of a direction, beside the columns', below which it is rounding; those stay short
SMALLEST = 1e-30  # length of a column that is not made longer
_f, _u = np.float32, np.uint64
LANES = _u(WIDTH)


class Products(Protocol):
    """A sparse matrix A of n times m numbers of about 1, and what is computed with it, in an engine's memory.

    Results may be in memory that is used again: one is gone when another of the same size is computed without it.
    """

    shape: tuple[int, int]

    def start(self, rows: int, columns: int) -> Any:
        """Return random numbers, always the same."""

    def times(self, X: Any) -> Any:
        """Return A X."""

    def transposed_times(self, X: Any) -> Any:
        """Return Aᵀ X."""

    def squares(self, X: Any) -> Float64:
        """Return Xᵀ X, in double precision."""

    def combined(self, X: Any, C: Float64) -> Any:
        """Return X C, summed in double precision."""


def left_singular_vectors(A: Products, width: int) -> Any:
    """Return U S of A ≈ U S Vᵀ for the largest singular values, the first column for the largest.

    The iteration is on the shorter side of A. For columns X that are orthonormal there, A X = U S Rᵀ with a small
    rotation R, and so U S = A X R; on the other side Aᵀ X = V S Rᵀ, and U = X R.
    """
    upright = A.shape[1] <= A.shape[0]
    there, back = (A.times, A.transposed_times) if upright else (A.transposed_times, A.times)
    large = sum(A.shape) >= LARGE_FROM
    X = A.start(min(A.shape), min(width + (EXTRA_OF_LARGE if large else EXTRA), *A.shape))
    for _ in range(PASSES_OF_LARGE if large else PASSES):
        X = back(there(A.combined(X, orthonormalizer(A.squares(X)))))
    X = A.combined(X, orthonormalizer(A.squares(X)))
    Y = there(X)  # of another size than X where both are needed below
    values, R = np.linalg.eigh(A.squares(Y))
    R = R[:, ::-1][:, :width]
    return A.combined(Y, R) if upright else A.combined(X, R * np.sqrt(np.maximum(values[::-1][:width], 0)))


def orthonormalizer(squares: Float64) -> Float64:
    """Return C such that the columns of X C are orthonormal, from Xᵀ X; directions that are only rounding stay short.

    Columns are brought to one length first. From the second pass on they are nearly orthogonal, and one that belongs to
    a thousandth of the largest singular value would be lost beside that of the largest.
    """
    lengths = np.maximum(np.sqrt(np.diagonal(squares)), SMALLEST)
    sizes, axes = np.linalg.eigh(squares / lengths[:, None] / lengths)
    return np.asarray(axes / np.sqrt(np.maximum(sizes, SHORTEST * max(sizes[-1], 1))) / lengths[:, None])


class SparseProducts:
    """A sparse matrix in single precision; see :class:`mrsne.backends.cpu.singular.Products`.

    Columns are filled up with zeros to whole registers, sixteen each. A row of a product depends on its own entries
    alone, so that rows that are the same stay the same to the last bit.
    """

    def __init__(self, A: sparse.csr_matrix) -> None:
        self.shape = (int(A.shape[0]), int(A.shape[1]))
        self._rows, self._columns = (
            (*arrays_of(matrix), equal_parts(matrix.indptr))
            for matrix in (A.astype(np.float32), A.T.tocsr().astype(np.float32))
        )
        self._memory: dict[tuple[int, int], list[Float32]] = {}

    def start(self, rows: int, columns: int) -> Float32:
        X = np.zeros((rows, aligned(columns)), np.float32)
        X[:, :columns] = np.random.RandomState(0).standard_normal((rows, columns))
        return X

    def times(self, X: Float32) -> Float32:
        return self._product(self._rows, X)

    def transposed_times(self, X: Float32) -> Float32:
        return self._product(self._columns, X)

    def squares(self, X: Float32) -> Float64:
        n, width = X.shape
        sums = np.empty((PARTS, width, width))

        def add_up(part: int) -> None:
            rows = X[part * n // PARTS : (part + 1) * n // PARTS].astype(np.float64)
            np.matmul(rows.T, rows, out=sums[part])

        share(PARTS, add_up)
        return np.asarray(sums.sum(axis=0))

    def combined(self, X: Float32, C: Float64) -> Float32:
        """Return X C, summed in double precision: to tell nearly equal columns apart takes large coefficients."""
        width = aligned(C.shape[1])
        table = np.zeros((X.shape[1], width))
        table[: len(C), : C.shape[1]] = C
        result = self._room(len(X), width, X)
        _combine.over(PARTS, X, table, result)
        return result

    def _product(self, arrays: tuple[Array, ...], X: Float32) -> Float32:
        indptr, indices, values, parts = arrays
        result = self._room(len(indptr) - 1, X.shape[1], X)
        blocks = X.shape[1] // WIDTH
        _multiply.over(PARTS * blocks, parts, indptr, indices, values, X.ravel(), blocks, result.ravel())
        return result

    def _room(self, rows: int, columns: int, occupied: Float32) -> Float32:
        """Return memory other than what is occupied: fresh memory takes as long to get as the products take."""
        known = self._memory.setdefault((rows, columns), [])
        free = next((array for array in known if not np.may_share_memory(array, occupied)), None)
        if free is None:
            known.append(free := np.empty((rows, columns), np.float32))
        return free


@kernel("i8[:] i8[:] i4[:] f4[:] f4[:] i8 f4[:]!")
def _multiply(start, stop, parts, indptr, indices, values, X, blocks, AX):
    """Compute Σ_j a_ij x_jk for the rows of a part and sixteen columns: one task of many, as rows may be long."""
    width = _u(blocks) * LANES
    for task in range(start, stop):
        part, column = task % PARTS, _u(task // PARTS) * LANES  # a thread's tasks are of different parts
        for i in range(parts[part], parts[part + 1]):
            total = spread_out(_f(0))
            for position in range(indptr[i], indptr[i + 1]):
                total = total + spread_out(values[position]) * take(X, _u(indices[position]) * width + column)
            put(AX, _u(i) * width + column, total)


@kernel("f4[:,:] f8[:,:] f4[:,:]!")
def _combine(start, stop, X, table, result):
    n = X.shape[0]
    sums = np.empty(table.shape[1])
    for i in range(start * n // PARTS, stop * n // PARTS):
        sums[:] = 0
        for a in range(table.shape[0]):
            for b in range(table.shape[1]):
                sums[b] += X[i, a] * table[a, b]
        for b in range(table.shape[1]):
            result[i, b] = sums[b]
