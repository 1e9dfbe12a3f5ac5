"""Vectors on a GPU, as the search there reads them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from mrsne.backends.cpu.search.exact import Standard
from mrsne.backends.cpu.search.ranking import FARTHEST
from mrsne.backends.rows import Dense, numbers_of

PRIME = 1099511628211  # of the FNV-1a hash
BLOCK = 2**26  # numbers copied at a time


@dataclass(frozen=True)
class Points:
    """Rows around their middle, in units of their spread; see :class:`mrsne.backends.cpu.search.exact.Standard`.

    Candidates are found with single-precision numbers; the distances of those that stay are computed from the
    differences of rows as precise as the caller's.
    """

    exact: torch.Tensor  # (n, d), float32 or float64
    single: torch.Tensor  # (n, d), float32, clipped where far out; may be the same memory
    squares: torch.Tensor  # (n,), squared lengths of the above

    def __len__(self) -> int:
        return len(self.exact)

    def take(self, which: Any) -> Points:
        """Return some of the points."""
        exact = self.exact[which]
        single = exact if self.single is self.exact else self.single[which]
        return Points(exact, single, self.squares[which])

    def has_duplicates(self) -> bool:
        """Return whether some rows may be the same; where it says no, none are."""
        key = torch.full((len(self),), -3750763034362895579, dtype=torch.int64, device=self.exact.device)
        for column in self.exact.T:
            bits = column.double().view(torch.int64)
            key = (key ^ torch.where(column == 0, 0, bits)) * PRIME
            key ^= key >> 29
        ordered = key.sort().values
        return bool((ordered[1:] == ordered[:-1]).any())


def upload(rows: Dense, which: slice, standard: Standard, device: str) -> Points:
    """Copy some rows to a device, a block at a time.

    The unit is a power of two, so that distances that are the same stay the same. Rows that had to be scaled for their
    squares to be numbers, because of a stray value of 1e20 perhaps, are kept in double precision.
    """
    first, last, _ = which.indices(len(rows))
    kind = torch.float64 if rows.kind == "f8" or rows.scale != 1 else torch.float32
    exact = torch.empty((last - first, rows.shape[1]), dtype=kind, device=device)
    middle = torch.from_numpy(standard.middle).to(device, kind)
    height = max(1, BLOCK // rows.shape[1])
    for start in range(first, last, height):
        batch = slice(start, min(start + height, last))
        part = torch.from_numpy(np.array(numbers_of(rows.values[batch]))).to(device).to(kind)
        factor = rows.factor[batch]
        if not (factor == 1).all():
            part = (part.double() * torch.from_numpy(factor).to(device)[:, None]).to(kind)
        exact[batch.start - first : batch.stop - first] = (part - middle) / unit_of(standard)
    single = exact.float()  # the same memory where it can be
    if float(single.abs().max()) > FARTHEST["f4"]:
        single = single.clamp(-FARTHEST["f4"], FARTHEST["f4"])
    return Points(exact, single, (single**2).sum(dim=1))


def unit_of(standard: Standard) -> float:
    """Return the power of two next below the spread of some rows."""
    return 2.0 ** math.floor(math.log2(standard.spread))
