"""Weighted blocks into one matrix."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.base import Block
from mrsne.loops import kernel
from mrsne.matrices import arrays_of, matrix_of


def assemble(
    blocks: Mapping[Block, sparse.csr_matrix], beta: Mapping[Block, float], sizes: Mapping[str, int]
) -> sparse.csr_matrix:
    """Put β_d P^(d) on the diagonal, (β_de/2) R and its transpose on both sides of it; return single precision."""
    placed: dict[tuple[str, str], list[tuple[sparse.csr_matrix, float]]] = {}
    for block, matrix in blocks.items():
        a, b = (block, block) if isinstance(block, str) else block
        placed.setdefault((a, b), []).append((matrix, beta[block] if a == b else beta[block] / 2))
        if a != b:
            placed.setdefault((b, a), []).append((matrix.T.tocsr(), beta[block] / 2))
    if len(sizes) == 1:
        only = next(iter(placed.values()))
        return _single(_total(only)) if len(only) > 1 or only[0][1] != 1 else _single(only[0][0])
    offsets = dict(zip(sizes, np.cumsum([0, *sizes.values()]), strict=False))
    matrices = {pair: found[0] if len(found) == 1 else (_total(found), 1.0) for pair, found in placed.items()}
    lengths = np.zeros(sum(sizes.values()), np.int64)
    for (a, _), (matrix, _) in matrices.items():
        lengths[offsets[a] : offsets[a] + sizes[a]] += np.diff(matrix.indptr)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    begin = indptr[:-1].copy()
    for a, b in sorted(matrices, key=lambda pair: offsets[pair[1]]):  # columns of a row come in order
        matrix, weight = matrices[a, b]
        rows = begin[offsets[a] : offsets[a] + sizes[a]]
        source, columns, numbers = arrays_of(matrix)
        numbers = numbers.astype(np.float32) if numbers.dtype != np.float32 and weight == 1 else numbers
        copy = _copy_single if numbers.dtype == np.float32 else _copy_double
        copy.over(sizes[a], source, columns, numbers, weight, int(offsets[b]), rows, indices, values)
        rows += np.diff(matrix.indptr)
    return matrix_of(indptr, indices, values, len(lengths))


def _total(found: list[tuple[sparse.csr_matrix, float]]) -> sparse.csr_matrix:
    total = sum(matrix * weight for matrix, weight in found)
    return sparse.csr_matrix(total)


def _single(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    matrix.sort_indices()
    indptr, indices, values = arrays_of(matrix)
    return matrix_of(indptr, indices, values.astype(np.float32, copy=False), matrix.shape[1])


def _copy(start, stop, indptr, indices, values, weight, offset, begin, new_indices, new_values):
    """Copy rows of a block, times its weight, to where they begin in the whole."""
    for i in range(start, stop):
        for position in range(indptr[i], indptr[i + 1]):
            there = begin[i] + position - indptr[i]
            new_indices[there] = indices[position] + offset
            new_values[there] = values[position] * weight


_copy_single = kernel("i8[:] i4[:] f4[:] f8 i8 i8[:] i4[:]! f4[:]!", exact=True)(_copy)
_copy_double = kernel("i8[:] i4[:] f8[:] f8 i8 i8[:] i4[:]! f4[:]!", exact=True)(_copy)


def embedded(P: sparse.csr_matrix, items: NDArray[np.int64], size: int) -> sparse.csr_matrix:
    """Return a graph over some items of a domain as one over all of them, the others without neighbours."""
    lengths = np.zeros(size, np.int64)
    lengths[items] = np.diff(P.indptr)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    return matrix_of(indptr, items.astype(np.int32)[P.indices], P.data, size)


def without_zeros(P: sparse.csr_matrix) -> sparse.csr_matrix:
    """Drop entries that are zero or subnormal: those would only slow down every sum over them."""
    if P.nnz and P.data.min() < np.finfo(np.float32).tiny:
        P.data[P.data < np.finfo(np.float32).tiny] = 0
        P.eliminate_zeros()
    return P
