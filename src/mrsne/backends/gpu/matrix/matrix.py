"""A sparse matrix in the memory of a GPU: what P̃ is there, from the neighbours to the last iteration."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
import triton
import triton.language as tl
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.gpu.matrix.components import walk
from mrsne.backends.gpu.matrix.long_rows import LongRows
from mrsne.backends.gpu.matrix.operator import DeviceOperator
from mrsne.matrices import matrix_of

LANES = 128  # entries of a row that are copied at a time


@dataclass(frozen=True)
class DeviceMatrix:
    """The stored entries of a square matrix, row by row."""

    indptr: torch.Tensor  # int64
    indices: torch.Tensor  # int32
    values: torch.Tensor  # float32

    @classmethod
    def of(cls, P: sparse.csr_matrix | DeviceMatrix, device: str) -> DeviceMatrix:
        """Copy a matrix with float32 values to a device; one that is there already is returned as it is."""
        if isinstance(P, DeviceMatrix):
            return P
        indptr, indices, values = uploaded(P, device)
        return cls(indptr, indices, values.float())

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return len(self.indptr) - 1, len(self.indptr) - 1

    @property
    def device(self) -> torch.device:
        """Where the entries are."""
        return self.indptr.device

    @cached_property
    def long_rows(self) -> LongRows | None:
        """The rows that are too long for one program, if there are any."""
        return LongRows.of(self.indptr)

    def row_lengths(self) -> NDArray[np.int64]:
        """Return how many entries each row has."""
        return (self.indptr[1:] - self.indptr[:-1]).cpu().numpy()

    def digest(self) -> str:
        """Return a fingerprint of all entries."""
        whole = hashlib.blake2b(digest_size=16)
        for array in (self.indptr, self.indices, self.values):
            whole.update(array.cpu().numpy().data)
        return whole.hexdigest()

    def to_csr(self) -> sparse.csr_matrix:
        """Copy the matrix back."""
        indptr, indices, values = (array.cpu().numpy() for array in (self.indptr, self.indices, self.values))
        return matrix_of(indptr, indices, values, len(indptr) - 1)

    def components(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all items, component by component, and where each connected component begins; and n."""
        return walk(self.indptr, self.indices)

    def operator(self, items: NDArray[np.int64], starts: NDArray[np.int64]) -> DeviceOperator:
        """Return D^-½ P D^-½ of some components, whose items are listed one component after the other."""
        whole = len(items) == self.shape[0] and bool((items[1:] > items[:-1]).all())  # as they are here
        P = self if whole else self.restricted_to(items)
        return DeviceOperator(P.indptr, P.indices, P.values, starts, P.long_rows)

    def subgraph(self, items: NDArray[np.int64]) -> sparse.csr_matrix:
        """Copy the rows and columns of some items back."""
        return self.restricted_to(items).to_csr()

    def restricted_to(self, items: NDArray[np.int64]) -> DeviceMatrix:
        """Return the rows and columns of some items; entries in other columns become zero."""
        return self.reordered(torch.from_numpy(items).to(self.device))

    def reordered(self, order: torch.Tensor) -> DeviceMatrix:
        """Return the rows and columns that ``order`` lists, in this order; entries in other columns become zero."""
        columns = torch.full((len(self.indptr) - 1,), -1, dtype=torch.int32, device=self.device)
        columns[order] = torch.arange(len(order), dtype=torch.int32, device=self.device)
        counts = self.indptr[1:] - self.indptr[:-1]
        indptr = torch.zeros(len(order) + 1, dtype=torch.int64, device=self.device)
        torch.cumsum(counts[order], 0, out=indptr[1:])
        total = int(indptr[-1])
        indices = torch.empty(total, dtype=torch.int32, device=self.device)
        values = torch.empty(total, dtype=torch.float32, device=self.device)
        copy_rows((self.indptr, self.indices, self.values), order, columns, 1.0, indptr[:-1], indices, values)
        return DeviceMatrix(indptr, indices, values)

    def without_zeros(self) -> DeviceMatrix:
        """Drop entries that are zero or subnormal, as :func:`mrsne.backends.cpu.assembly.without_zeros` does."""
        tiny = float(np.finfo(np.float32).tiny)
        if not self.values.numel() or float(self.values.min()) >= tiny:
            return self
        kept = torch.nonzero(~(self.values < tiny)).squeeze(1)
        return DeviceMatrix(torch.searchsorted(kept, self.indptr), self.indices[kept], self.values[kept])


def uploaded(P: sparse.csr_matrix, device: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Copy the arrays of a CSR matrix to a device, values as precise as they are."""
    return (
        torch.from_numpy(P.indptr.astype(np.int64)).to(device),
        torch.from_numpy(np.require(P.indices, np.int32, "W")).to(device),
        torch.from_numpy(np.require(P.data, requirements="W")).to(device),
    )


def copy_rows(
    source: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    rows: torch.Tensor,
    columns: torch.Tensor,
    weight: float,
    begin: torch.Tensor,
    indices: torch.Tensor,
    values: torch.Tensor,
) -> None:
    """Copy row ``rows[r]`` to where ``begin[r]`` says, an entry of column j times a weight to column ``columns[j]``."""
    factor = torch.tensor([weight], dtype=torch.float64, device=rows.device)
    _copy_rows[(len(rows),)](*source, rows, columns, factor, begin, indices, values, LANES=LANES, num_warps=1)


@triton.jit
def _copy_rows(indptr, indices, values, rows, columns, factor, begin, new_indices, new_values, LANES: tl.constexpr):
    row = tl.load(rows + tl.program_id(0))
    first, last = tl.load(indptr + row), tl.load(indptr + row + 1)
    shift = tl.load(begin + tl.program_id(0)) - first
    weight = tl.load(factor)
    while first < last:
        at = first + tl.arange(0, LANES)
        inside = at < last
        j = tl.load(columns + tl.load(indices + at, mask=inside, other=0), mask=inside, other=0)
        p = tl.load(values + at, mask=inside, other=0.0).to(tl.float64) * weight
        p = tl.where(j < 0, 0.0, p)
        tl.store(new_indices + shift + at, tl.maximum(j, 0), mask=inside)
        tl.store(new_values + shift + at, p.to(tl.float32), mask=inside)
        first += LANES
