"""P̃ in the memory of this process."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.cpu.forces.locality import reordered
from mrsne.backends.cpu.graph.assembly import without_zeros
from mrsne.backends.cpu.matrix.components import walk
from mrsne.backends.cpu.matrix.operator import EntriesOperator
from mrsne.matrices import matrix_of


@dataclass(frozen=True)
class CpuMatrix:
    """A symmetric CSR matrix with float32 values; see :class:`mrsne.backends.base.Matrix`."""

    csr: sparse.csr_matrix

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return int(self.csr.shape[0]), int(self.csr.shape[1])

    def row_lengths(self) -> NDArray[np.int64]:
        """Return how many entries each row has.

        Examples
        --------
        >>> CpuMatrix(sparse.csr_matrix(np.array([[0, 1], [0, 0]], np.float32))).row_lengths()
        array([1, 0])
        """
        return np.asarray(np.diff(self.csr.indptr), dtype=np.int64)

    def digest(self) -> str:
        """Return a fingerprint of all entries."""
        digest = hashlib.blake2b(digest_size=16)
        for array in (self.csr.indptr.astype(np.int64), self.csr.indices.astype(np.int32), self.csr.data):
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def restricted_to(self, items: NDArray[np.int64]) -> CpuMatrix:
        """Return the rows and columns of some items."""
        return CpuMatrix(self.subgraph(items))

    def subgraph(self, items: NDArray[np.int64]) -> sparse.csr_matrix:
        """Return the rows and columns of some items as a CSR matrix.

        Examples
        --------
        >>> CpuMatrix(sparse.csr_matrix(np.array([[0, 1, 2], [1, 0, 0], [2, 0, 0]], np.float32))).subgraph(
        ...     np.array([2, 0])
        ... ).toarray()
        array([[0., 2.],
               [2., 0.]], dtype=float32)
        """
        _, indptr, indices, values = reordered(self.csr, items)
        graph = matrix_of(indptr, indices.view(np.int32), values, len(items))
        if (items[1:] < items[:-1]).any():
            graph.has_sorted_indices = graph.has_canonical_format = False
        return without_zeros(graph)

    def components(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all items, component by component, and where each connected component begins; and n."""
        return walk(self.csr)

    def operator(self, items: NDArray[np.int64], starts: NDArray[np.int64]) -> EntriesOperator:
        """Return D^-½ P D^-½ of some components, whose items are listed one component after the other."""
        return EntriesOperator(reordered(self.csr, items), starts)

    def to_csr(self) -> sparse.csr_matrix:
        """Return the matrix."""
        return self.csr
