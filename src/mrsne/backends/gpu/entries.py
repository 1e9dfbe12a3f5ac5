"""The stored entries of a sparse matrix on a GPU: copied, reordered, and cut where rows are long.

A frequent tag is linked to a hundred thousand pictures, and all other rows would be done long before. So the program
of a row stops after ``LIMIT`` entries; segments of the others have their own, and sums that are added in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import torch
import triton
import triton.language as tl
from scipy import sparse
from torch import Tensor

LIMIT = 512  # entries of a row that its own program reads, and of a segment
LANES = 128  # segments whose sums are added, or entries that are copied, at a time


@dataclass(frozen=True)
class LongRows:
    """The segments of long rows, beyond their first entries."""

    rows: Tensor  # the long ones
    starts: Tensor  # where the segments of each of them begin; and how many there are
    owner: Tensor  # the row of each segment
    first: Tensor  # where its entries begin
    last: Tensor  # and end

    @classmethod
    def of(cls, indptr: Tensor) -> LongRows | None:
        beyond = indptr[1:] - indptr[:-1] - LIMIT
        rows = torch.nonzero(beyond > 0).squeeze(1)
        if not len(rows):
            return None
        counts = torch.div(beyond[rows] + LIMIT - 1, LIMIT, rounding_mode="floor")
        starts = torch.zeros(len(rows) + 1, dtype=torch.int64, device=indptr.device)
        torch.cumsum(counts, 0, out=starts[1:])
        owner = torch.repeat_interleave(rows, counts)
        number = torch.arange(len(owner), device=indptr.device) - torch.repeat_interleave(starts[:-1], counts)
        first = indptr[owner] + LIMIT * (number + 1)
        return cls(rows, starts, owner, first, torch.minimum(first + LIMIT, indptr[owner + 1]))

    def __len__(self) -> int:
        return len(self.owner)

    def totals(self, parts: Tensor) -> Tensor:
        """Return the sums over the segments of each row, from those of each segment."""
        sums = torch.empty((len(self.rows), parts.shape[1]), dtype=parts.dtype, device=parts.device)
        columns = parts.shape[1]  # a power of two; the numbers of few lanes of many columns fit into registers
        lanes = min(LANES, max(1, 1024 // columns))
        _add_up[(len(self.rows),)](parts, self.starts, sums, COLUMNS=columns, LANES=lanes, num_warps=1)
        return sums


@dataclass(frozen=True)
class Entries:
    """The stored entries of a sparse matrix on a device, row by row."""

    indptr: Tensor  # int64
    indices: Tensor  # int32
    values: Tensor  # float32; of links, float64

    @property
    def device(self) -> torch.device:
        return self.indptr.device

    @property
    def lengths(self) -> Tensor:
        return self.indptr[1:] - self.indptr[:-1]

    @cached_property
    def long_rows(self) -> LongRows | None:
        """The rows that are too long for one program, if there are any."""
        return LongRows.of(self.indptr)

    def copy_rows(self, rows: Tensor, columns: Tensor, weight: float, begin: Tensor, to: Entries) -> None:
        """Copy row ``rows[r]`` to ``begin[r]``, an entry of column j times a weight to column ``columns[j]``."""
        factor = torch.tensor([weight], dtype=torch.float64, device=self.device)
        source, target = (self.indptr, self.indices, self.values), (to.indices, to.values)
        _copy_rows[(len(rows),)](*source, rows, columns, factor, begin, *target, LANES=LANES, num_warps=1)

    def reordered(self, order: Tensor) -> Self:
        """Return the rows and columns that ``order`` lists, in this order; entries in other columns become zero."""
        columns = torch.full((len(self.indptr) - 1,), -1, dtype=torch.int32, device=self.device)
        columns[order] = torch.arange(len(order), dtype=torch.int32, device=self.device)
        result = self.with_room(self.lengths[order])
        self.copy_rows(order, columns, 1.0, result.indptr[:-1], result)
        return result

    @classmethod
    def with_room(cls, lengths: Tensor) -> Self:
        """Return a matrix with rows of these lengths, whose entries are still to be written."""
        indptr = torch.zeros(len(lengths) + 1, dtype=torch.int64, device=lengths.device)
        torch.cumsum(lengths, 0, out=indptr[1:])
        total = int(indptr[-1])
        indices = torch.empty(total, dtype=torch.int32, device=lengths.device)
        return cls(indptr, indices, torch.empty(total, dtype=torch.float32, device=lengths.device))


def uploaded(P: sparse.csr_matrix, device: str) -> tuple[Tensor, Tensor, Tensor]:
    """Copy the arrays of a CSR matrix to a device, in the precision of its values."""
    return (
        torch.from_numpy(P.indptr.astype(np.int64)).to(device),
        torch.from_numpy(np.require(P.indices, np.int32, "W")).to(device),
        torch.from_numpy(np.require(P.data, requirements="W")).to(device),
    )


@triton.jit
def _add_up(parts, starts, sums, COLUMNS: tl.constexpr, LANES: tl.constexpr):
    row = tl.program_id(0)
    first, last = tl.load(starts + row), tl.load(starts + row + 1)
    columns = tl.arange(0, COLUMNS)
    total = tl.zeros((LANES, COLUMNS), tl.float32)
    while first < last:
        at = first + tl.arange(0, LANES)
        place = (at * COLUMNS)[:, None] + columns[None, :]
        total += tl.load(parts + place, mask=(at < last)[:, None], other=0.0)
        first += LANES
    tl.store(sums + row * COLUMNS + columns, tl.sum(total, 0))


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
