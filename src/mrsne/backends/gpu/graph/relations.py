"""Observed graphs into joint probabilities R on a GPU; see :mod:`mrsne.backends.links`."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from scipy import sparse

from mrsne.backends.base import LinkFactors, LinkNorm
from mrsne.backends.gpu.matrix.matrix import uploaded
from mrsne.backends.links import link_values, strengths

Arrays = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class DeviceRelation:
    """The links between two domains, row by row, in double precision."""

    indptr: torch.Tensor  # int64
    indices: torch.Tensor  # int32
    values: torch.Tensor  # float64
    n_columns: int

    @property
    def arrays(self) -> Arrays:
        """Where rows begin, the columns and the values of their links."""
        return self.indptr, self.indices, self.values

    def transposed(self) -> DeviceRelation:
        """Return the links column by column."""
        order = torch.argsort(self.indices, stable=True)
        edges = torch.arange(self.n_columns + 1, dtype=torch.int32, device=self.indices.device)
        indptr = torch.searchsorted(self.indices[order], edges)
        return DeviceRelation(indptr, self._rows()[order].to(torch.int32), self.values[order], len(self.indptr) - 1)

    def _rows(self) -> torch.Tensor:
        """Return the row of each link."""
        numbers = torch.arange(len(self.indptr) - 1, device=self.indptr.device)
        return torch.repeat_interleave(numbers, self.indptr[1:] - self.indptr[:-1])

    def normalized(self, norm: LinkNorm, W: sparse.csr_matrix) -> DeviceRelation:
        """Return R, summing to 1; the values here are those of W."""
        largest = self.values.max()  # no overflow from products of huge weights
        ends = norm if isinstance(norm, LinkFactors) else strengths(W / W.data.max())
        first, second = (torch.from_numpy(end).to(self.values.device) for end in ends)
        values = link_values(self.values / largest, first[self._rows()], second[self.indices.long()], norm)
        return DeviceRelation(self.indptr, self.indices, values / values.sum(), self.n_columns)

    def to_csr(self) -> sparse.csr_matrix:
        """Copy the links back."""
        indptr, indices, values = (array.cpu().numpy() for array in self.arrays)
        return sparse.csr_matrix((values, indices, indptr), shape=(len(indptr) - 1, self.n_columns))


def relation_probabilities(W: sparse.csr_matrix, norm: LinkNorm, device: str) -> DeviceRelation:
    """Return R of a relation, summing to 1 (step (i-2) of the paper).

    Examples
    --------
    >>> import numpy as np
    >>> found = relation_probabilities(sparse.csr_matrix(np.array([[1.0, 3.0]])), (0.0, 0.0), "cpu")
    >>> found.to_csr().toarray(), found.transposed().to_csr().toarray()
    (array([[0.25, 0.75]]), array([[0.25],
           [0.75]]))
    """
    indptr, indices, values = uploaded(W, device)
    return DeviceRelation(indptr, indices, values.double(), int(W.shape[1])).normalized(norm, W)
