"""Passes over large sparse matrices, on all threads and without copies."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.arrays import Float32, Float64, Int32, Int64
from mrsne.loops import kernel

PARTS = 64  # runs of rows; fixed, so that sums over them do not depend on the number of threads


def equal_parts(indptr: NDArray[Any], n_parts: int = PARTS) -> Int64:
    """Cut rows into runs with about the same number of stored entries."""
    targets = np.linspace(0, indptr[-1], n_parts + 1)
    parts = np.searchsorted(indptr, targets)
    parts[0], parts[-1] = 0, len(indptr) - 1
    return np.asarray(np.maximum.accumulate(parts), dtype=np.int64)


def matrix_of(indptr: Int64, indices: Int32, values: NDArray[Any], n_columns: int) -> sparse.csr_matrix:
    """Return a CSR matrix over these arrays, which scipy's own constructor would copy to have indices of one width."""
    matrix = sparse.csr_matrix((len(indptr) - 1, n_columns), dtype=values.dtype)
    narrow = indptr[-1] <= np.iinfo(np.int32).max  # then scipy need not widen the indices in its own operations
    matrix.indptr = indptr.astype(np.int32) if narrow else indptr
    matrix.indices, matrix.data = indices, values
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def arrays_of(P: sparse.csr_matrix) -> tuple[Int64, Int32, NDArray[Any]]:
    """Return the arrays of a CSR matrix as kernels take them; those of nnz elements are shared where they can be."""
    return P.indptr.astype(np.int64), P.indices.astype(np.int32, copy=False), P.data


@kernel("i8[:] i8[:] i4[:] f4[:] f8[:,:] f8[:,:]!")
def _multiply(start, stop, parts, indptr, indices, values, X, result):
    for i in range(parts[start], parts[stop]):
        result[i, :] = 0
        for position in range(indptr[i], indptr[i + 1]):
            for k in range(X.shape[1]):
                result[i, k] += values[position] * X[indices[position], k]


def multiply(A: sparse.csr_matrix, X: Float64) -> Float64:
    """Return A @ X for single-precision A and a few columns in double precision."""
    result = np.empty((A.shape[0], X.shape[1]))
    indptr, indices, values = arrays_of(A)
    _multiply.over(PARTS, equal_parts(indptr), indptr, indices, values, np.ascontiguousarray(X), result)
    return result


@kernel("i8[:] i8[:] i4[:] f4[:] f8[:] f4[:]!")
def _scale(start, stop, parts, indptr, indices, values, scale, result):
    for i in range(parts[start], parts[stop]):
        for position in range(indptr[i], indptr[i + 1]):
            # the product of the scales first: it does not depend on the side, so the matrix stays symmetric to the bit
            result[position] = values[position] * (scale[i] * scale[indices[position]])


def scaled(P: sparse.csr_matrix, scale: Float64) -> sparse.csr_matrix:
    """Return D P D, D = diag(scale), for a single-precision P."""
    indptr, indices, values = arrays_of(P)
    result = np.empty_like(values)
    _scale.over(PARTS, equal_parts(indptr), indptr, indices, values, scale, result)
    return matrix_of(indptr, indices, result, P.shape[1])


@kernel("i8[:] i4[:] f4[:] f8[:] f8[:]!")
def _asymmetry(start, stop, indptr, indices, values, vector, difference):
    difference[:] = 0
    for i in range(start, stop):
        for position in range(indptr[i], indptr[i + 1]):
            difference[i] += values[position] * vector[indices[position]]
            difference[indices[position]] -= values[position] * vector[i]


def is_symmetric(P: sparse.csr_matrix, within: float) -> bool:
    """Return whether (P − Pᵀ) v is below ``within`` for a random v: nearly surely only if P = Pᵀ, and soon known."""
    indptr, indices, values = arrays_of(P)
    difference = np.empty(P.shape[0])
    vector = 1 + np.random.default_rng(0).random(P.shape[0])
    _asymmetry.alone(P.shape[0], indptr, indices, values, vector, difference)
    return bool(np.abs(difference).max() <= within)


@kernel("f4[:] f8[:,:]!")
def _sums(start, stop, values, sums):
    size = values.shape[0]
    for part in range(start, stop):
        total, entropy = 0.0, 0.0
        for position in range(part * size // PARTS, (part + 1) * size // PARTS):
            p = np.float64(values[position])
            total += p
            if p > 0:
                entropy += p * np.log(p)
        sums[part, 0] = total
        sums[part, 1] = entropy


def total_and_entropy(values: Float32) -> tuple[float, float]:
    """Return Σ p and Σ p log p, in double precision."""
    sums = np.empty((PARTS, 2))
    _sums.over(PARTS, values, sums)
    total, entropy = sums.sum(axis=0)
    return float(total), float(entropy)


@kernel("i8[:] i4[:] f4[:] i8[:] i4[:] f4[:] i8[:] f4[:]!")
def _common_shares(start, stop, indptr, indices, values, old_indptr, old_indices, old_values, old_row, common):
    shares = np.zeros(old_indptr.shape[0], np.float32)  # of the old row that belongs to a row, by columns
    for part in range(start, stop):
        size = common.shape[0]
        for i in range(part * size // PARTS, (part + 1) * size // PARTS):
            common[i] = 0
            r = old_row[i]
            if r < 0:
                continue
            total, old_total, both = 0.0, 0.0, 0.0
            for position in range(old_indptr[r], old_indptr[r + 1]):
                old_total += old_values[position]
            for position in range(indptr[i], indptr[i + 1]):
                total += values[position]
            for position in range(old_indptr[r], old_indptr[r + 1]):
                shares[old_indices[position]] = old_values[position] / old_total
            for position in range(indptr[i], indptr[i + 1]):
                column = old_row[indices[position]]
                if column >= 0:
                    both += min(shares[column], values[position] / total)
            for position in range(old_indptr[r], old_indptr[r + 1]):
                shares[old_indices[position]] = 0
            common[i] = both if total > 0 and old_total > 0 else 1


def common_shares(P: sparse.csr_matrix, old: sparse.csr_matrix, old_row: Int64) -> Float32:
    """Return Σ_j min(p_ij / p_i, p⁰_ij / p⁰_i) of each row: 1 where shares are what they were, 0 for a new row.

    ``old_row`` says which row, and column, of the old matrix each is; −1 for none.
    """
    common = np.empty(P.shape[0], np.float32)
    _common_shares.over(PARTS, *arrays_of(P), *arrays_of(old), old_row, common)
    return common
