"""P̃ in the memory of this process, put together from weighted blocks."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from mrsne.arrays import Float64, Int64
from mrsne.backends.base import Block
from mrsne.backends.cpu.attraction import Entries
from mrsne.backends.cpu.operator import EntriesOperator
from mrsne.loops import kernel
from mrsne.matrices import arrays_of, matrix_of, multiply


@dataclass(frozen=True)
class CpuMatrix:
    """A symmetric CSR matrix with float32 values; see :class:`mrsne.backends.base.Matrix`."""

    csr: sparse.csr_matrix

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.csr.shape[0]), int(self.csr.shape[1])

    def row_lengths(self) -> Int64:
        return np.asarray(np.diff(self.csr.indptr), dtype=np.int64)

    def row_sums(self) -> Float64:
        return multiply(self.csr, np.ones((self.shape[0], 1))).ravel()

    def digest(self) -> str:
        digest = hashlib.blake2b(digest_size=16)
        for array in (self.csr.indptr.astype(np.int64), self.csr.indices.astype(np.int32), self.csr.data):
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def restricted_to(self, items: Int64) -> CpuMatrix:
        return CpuMatrix(self.subgraph(items))

    def subgraph(self, items: Int64) -> sparse.csr_matrix:
        _, indptr, indices, values = Entries.of(self.csr, items)
        graph = matrix_of(indptr, indices.view(np.int32), values, len(items))
        if (items[1:] < items[:-1]).any():
            graph.has_sorted_indices = graph.has_canonical_format = False
        return without_zeros(graph)

    def rows_of(self, items: Int64) -> sparse.csr_matrix:
        return self.csr[items]

    def components(self) -> tuple[Int64, Int64]:
        """Return all items, component by component in the order of a walk, and where each component begins; and n."""
        n = self.csr.shape[0]
        indptr, indices, _ = arrays_of(self.csr)
        order, starts, count = np.empty(n, np.int64), np.empty(n + 1, np.int64), np.zeros(1, np.int64)
        _walk.alone(n, indptr, indices, np.zeros(n, np.bool_), order, starts, count)
        return order, starts[: count[0] + 1]

    def operator(self, items: Int64, starts: Int64) -> EntriesOperator:
        return EntriesOperator(Entries.of(self.csr, items), starts)


@kernel("i8[:] i4[:] b1[:]! i8[:]! i8[:]! i8[:]!", exact=True)
def _walk(start, stop, indptr, indices, seen, order, starts, count):
    found = 0
    for seed in range(start, stop):
        if seen[seed]:
            continue
        starts[count[0]] = found
        count[0] += 1
        seen[seed] = True
        order[found] = seed
        here = found
        found += 1
        while here < found:
            i = order[here]
            here += 1
            for position in range(indptr[i], indptr[i + 1]):
                j = indices[position]
                if not seen[j]:
                    seen[j] = True
                    order[found] = j
                    found += 1
    starts[count[0]] = found


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
        if numbers.dtype != np.float32:
            numbers, weight = (numbers * weight).astype(np.float32), 1.0
        _copy.over(sizes[a], source, columns, numbers, weight, int(offsets[b]), rows, indices, values)
        rows += np.diff(matrix.indptr)
    return matrix_of(indptr, indices, values, len(lengths))


def _total(found: list[tuple[sparse.csr_matrix, float]]) -> sparse.csr_matrix:
    total = sum(matrix * weight for matrix, weight in found)
    return sparse.csr_matrix(total)


def _single(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    matrix.sort_indices()
    indptr, indices, values = arrays_of(matrix)
    return matrix_of(indptr, indices, values.astype(np.float32, copy=False), matrix.shape[1])


@kernel("i8[:] i4[:] f4[:] f8 i8 i8[:] i4[:]! f4[:]!", exact=True)
def _copy(start, stop, indptr, indices, values, weight, offset, begin, new_indices, new_values):
    """Copy rows of a block, times its weight, to where they begin in the whole."""
    for i in range(start, stop):
        for position in range(indptr[i], indptr[i + 1]):
            there = begin[i] + position - indptr[i]
            new_indices[there] = indices[position] + offset
            new_values[there] = values[position] * weight


def embedded(P: sparse.csr_matrix, items: Int64, size: int) -> sparse.csr_matrix:
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
