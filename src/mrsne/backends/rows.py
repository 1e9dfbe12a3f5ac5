"""Vectors as the search reads them: the caller's own numbers, where they are in one piece of memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray
from scipy import sparse

from mrsne.arrays import Float64
from mrsne.parameters import check_option

METRICS = ("euclidean", "cosine")
BLOCK = 2**22  # numbers converted at a time
LARGEST_EXPONENT = 1023  # of two in double precision; it brings even 5e-324 to 4e-16, whose square does not vanish
MOST_FACTOR, LIFT = 2.0**900, 2.0**120  # numbers that need a larger factor than the first are multiplied by the second
DENSE_FROM = 1 / 3  # share of stored numbers from which a sparse matrix is no smaller than a dense one


@dataclass(frozen=True)
class Dense:
    """Rows of an array, each times a factor; ``values`` are float32, float64, or the bits of float16."""

    values: NDArray[Any]
    factor: Float64
    scale: float = 1.0  # the part of the factor that all rows share

    @property
    def kind(self) -> str:
        return self.values.dtype.str[1:]

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.shape[0], self.values.shape[1]

    def __len__(self) -> int:
        return len(self.values)

    def take(self, which: Any) -> Dense:
        return Dense(np.ascontiguousarray(self.values[which]), self.factor[which], self.scale)

    def block(self, which: Any) -> Float64:
        values = self.values[which]
        return np.asarray(numbers_of(values).astype(np.float64) * self.factor[which][:, None])


@dataclass(frozen=True)
class Sparse:
    """Rows of a sparse matrix in canonical form, float32 or float64."""

    matrix: sparse.csr_matrix
    scale: float = 1.0  # what all rows have been multiplied with

    @property
    def kind(self) -> str:
        return str(self.matrix.data.dtype.str[1:])

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.matrix.shape[0]), int(self.matrix.shape[1])

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def take(self, which: Any) -> Sparse:
        return Sparse(_with_index_types(self.matrix[which]), self.scale)

    def block(self, which: Any) -> Float64:
        return np.asarray(self.matrix[which].toarray(), dtype=np.float64)


Rows = Dense | Sparse


def prepare(vectors: Any, metric: str, like: Rows | None = None) -> Rows:
    """Return rows whose Euclidean distance is the wanted one, in form and scale like others or as suits them.

    For "cosine" they have length 1: the squared distance is 2 − 2 cos. A zero vector stays unchanged.
    """
    check_option("metric", metric, METRICS)
    if like is not None:
        stays = isinstance(like, Sparse)
    else:
        stays = sparse.issparse(vectors) and vectors.nnz < DENSE_FROM * vectors.shape[0] * vectors.shape[1]
    if stays:
        return _prepare_sparse(sparse.csr_matrix(vectors), metric, like)
    return _prepare_dense(vectors.toarray() if sparse.issparse(vectors) else np.asarray(vectors), metric, like)


def _supported(array: Any) -> Any:
    """Return an array or a sparse matrix of numbers in a type that kernels know."""
    if array.dtype in (np.float32, np.float64):
        return array
    # other floating-point types (of the other byte order, or longer) are kept as precise as they can be
    return array.astype(np.float64 if array.dtype.kind == "f" else np.float32)


def _prepare_dense(array: NDArray[Any], metric: str, like: Rows | None) -> Dense:
    if array.dtype != np.float16:
        array = _supported(array)
    largest = max(float(array.max(initial=0)), -float(array.min(initial=0)))
    scale = power_of_two(largest) if like is None else like.scale
    array, factor = _lifted(array, scale)
    values = np.require(array, requirements=["C", "A"])
    if values.dtype == np.float16:
        values = values.view(np.uint16)
    rows = Dense(values, np.full(len(values), factor), scale)
    if metric == "cosine":
        for block in blocks_of(rows):
            rows.factor[block] *= _inverse_length(np.linalg.norm(rows.block(block), axis=1))
    return rows


def _prepare_sparse(matrix: sparse.csr_matrix, metric: str, like: Rows | None) -> Sparse:
    matrix = _supported(matrix)
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    scale = power_of_two(float(np.abs(matrix.data).max(initial=0))) if like is None else like.scale
    matrix, common = _lifted(matrix, scale)
    factor = np.full(matrix.shape[0], common)
    if metric == "cosine":
        scaled = matrix.astype(np.float64) * common
        factor = factor * _inverse_length(np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel()))
    rows = _with_index_types(matrix)
    if not (factor == 1).all():
        rows.data = (rows.data * np.repeat(factor, np.diff(rows.indptr))).astype(rows.dtype)
    return Sparse(rows, scale)


def power_of_two(largest: float) -> float:
    """Return a factor that brings numbers near 1 where their squares would overflow or vanish, and keeps all digits."""
    if largest == 0 or 1e-15 < largest < 1e15:
        return 1.0
    return float(np.ldexp(1.0, min(-int(np.frexp(largest)[1]), LARGEST_EXPONENT)))


def _lifted(values: Any, scale: float) -> tuple[Any, float]:
    """Return values and a factor whose product is the same, where the factor would leave no room for a length."""
    return (values, scale) if scale < MOST_FACTOR else (values * LIFT, scale / LIFT)


def _inverse_length(length: Float64) -> Float64:
    return 1 / np.where(length > 0, length, 1)


def _with_index_types(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    result = sparse.csr_matrix(matrix.shape, dtype=matrix.dtype)
    result.indptr, result.indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
    result.data = matrix.data
    return result


def blocks_of(rows: Rows, dense: bool = True, tallest: int | None = None) -> list[slice]:
    """Return slices of rows to convert at a time, or sparse ones to multiply; ``tallest`` is the most rows of one."""
    width = rows.shape[1] if dense or isinstance(rows, Dense) else rows.matrix.nnz // max(len(rows), 1)
    height = min(max(1, BLOCK // max(width, 1)), tallest or len(rows))
    return [slice(start, min(start + height, len(rows))) for start in range(0, len(rows), height)]


def numbers_of(values: NDArray[Any]) -> NDArray[Any]:
    """Return values as floating-point numbers, where they may be the bits of such."""
    return values.view(np.float16) if values.dtype == np.uint16 else values


def number(value: Any) -> float:
    """Return a value as kernels read it, in double precision: a number, or the bits of a finite float16."""
    return float(value.view(np.float16) if isinstance(value, np.uint16) else value)


def _number_from_bits(value: Any) -> Any:
    # exponent and digits at their places in a float32, whose exponent counts from 127 instead of 15
    size = np.uint32(np.uint32(value & np.uint16(0x7FFF)) << np.uint32(13)).view(np.float32) * np.float32(2.0**112)
    return np.float64(-size if value & np.uint16(0x8000) else size)


def _number_as_is(value: Any) -> Any:
    return np.float64(value)


@overload(number)
def _compiled_number(value: Any) -> Any:
    return _number_from_bits if value == types.uint16 else _number_as_is
