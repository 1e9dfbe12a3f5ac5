"""P̃ in the memory of this process."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.cpu.assembly import without_zeros
from mrsne.backends.cpu.attraction import Entries
from mrsne.backends.cpu.operator import EntriesOperator
from mrsne.loops import kernel
from mrsne.matrices import arrays_of, matrix_of


@dataclass(frozen=True)
class CpuMatrix:
    """A symmetric CSR matrix with float32 values; see :class:`mrsne.backends.base.Matrix`."""

    csr: sparse.csr_matrix

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.csr.shape[0]), int(self.csr.shape[1])

    def row_lengths(self) -> NDArray[np.int64]:
        return np.asarray(np.diff(self.csr.indptr), dtype=np.int64)

    def digest(self) -> str:
        digest = hashlib.blake2b(digest_size=16)
        for array in (self.csr.indptr.astype(np.int64), self.csr.indices.astype(np.int32), self.csr.data):
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def restricted_to(self, items: NDArray[np.int64]) -> CpuMatrix:
        return CpuMatrix(self.subgraph(items))

    def subgraph(self, items: NDArray[np.int64]) -> sparse.csr_matrix:
        _, indptr, indices, values = Entries.of(self.csr, items)
        graph = matrix_of(indptr, indices.view(np.int32), values, len(items))
        if (items[1:] < items[:-1]).any():
            graph.has_sorted_indices = graph.has_canonical_format = False
        return without_zeros(graph)

    def components(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all items, component by component, and where each connected component begins; and n.

        Inside a component they are in the order of a walk through it, breadth first: neighbours are close in it.
        """
        n = self.csr.shape[0]
        indptr, indices, _ = arrays_of(self.csr)
        order, starts, count = np.empty(n, np.int64), np.empty(n + 1, np.int64), np.zeros(1, np.int64)
        _walk.alone(n, indptr, indices, np.zeros(n, np.bool_), order, starts, count)
        return order, starts[: count[0] + 1]

    def operator(self, items: NDArray[np.int64], starts: NDArray[np.int64]) -> EntriesOperator:
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
