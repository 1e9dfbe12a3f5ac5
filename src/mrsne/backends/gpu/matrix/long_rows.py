"""Rows of a sparse matrix that one program would work on while all others have long been done.

A frequent tag is linked to a hundred thousand pictures, and a program reads a row a few entries at a time. So a row's
program stops after ``LIMIT`` entries; the others are cut into segments, each for a program of its own, whose sums are
added in their order: the bits do not depend on which comes first.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import triton
import triton.language as tl

LIMIT = 512  # entries of a row that its own program reads, and of a segment
LANES = 128  # segments whose sums are added at a time


@dataclass(frozen=True)
class LongRows:
    """What long rows have beyond their first entries.

    Examples
    --------
    >>> rows = LongRows.of(torch.tensor([0, 3, 1403]))
    >>> rows.rows.tolist(), rows.starts.tolist(), rows.owner.tolist()
    ([1], [0, 2], [1, 1])
    >>> rows.first.tolist(), rows.last.tolist()
    ([515, 1027], [1027, 1403])
    """

    rows: torch.Tensor  # the long ones
    starts: torch.Tensor  # where the segments of each of them begin; and how many there are
    owner: torch.Tensor  # the row of each segment
    first: torch.Tensor  # where its entries begin
    last: torch.Tensor  # and end

    @classmethod
    def of(cls, indptr: torch.Tensor) -> LongRows | None:
        """Return those of a matrix, or None where it has none."""
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

    def totals(self, parts: torch.Tensor) -> torch.Tensor:
        """Return the sums over the segments of each row, from those of each segment."""
        sums = torch.empty((len(self.rows), parts.shape[1]), dtype=parts.dtype, device=parts.device)
        _add_up[(len(self.rows),)](parts, self.starts, sums, COLUMNS=parts.shape[1], LANES=LANES, num_warps=1)
        return sums


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
