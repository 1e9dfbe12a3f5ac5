"""Vectors on a GPU as the search reads them, and the nearest of all; see :mod:`mrsne.backends.cpu.search.exact`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from mrsne.backends.cpu.search.exact import Standard
from mrsne.backends.cpu.search.ranking import FARTHEST, TOLERATED, roundings
from mrsne.backends.rows import Dense, numbers_of

PRIME = 1099511628211  # of the FNV-1a hash
BLOCK = 2**26  # numbers copied at a time
NUMBERS = 2**28  # that differences take at a time
PAIRS = 2**30  # compared at a time: 4 GiB of distances
SPARE = 16  # candidates beyond k, against rounding at the edge


@dataclass(frozen=True)
class Points:
    """Rows around their middle, in units of their spread; see :class:`mrsne.backends.cpu.search.exact.Standard`."""

    exact: Tensor  # (n, d), float32 or float64
    single: Tensor  # (n, d), float32, clipped where far out; may be the same memory
    squares: Tensor  # (n,), squared lengths of the above

    def __len__(self) -> int:
        return len(self.exact)

    def take(self, which: Any) -> Points:
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
    """Copy a range of rows to a device, a block at a time; those whose squares would overflow in double precision."""
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


class Ranked(NamedTuple):
    indices: Tensor  # (m, k), int32
    squared: Tensor  # (m, k)
    farthest: Tensor  # (m,), the squared distance of the farthest candidate


def ranked(points: Points, queries: Tensor, candidates: Tensor, own: Tensor, k: int) -> Ranked:
    """Return the k nearest candidates, which are places among the points, of every query; its own is infinitely far."""
    squared = torch.empty(candidates.shape, dtype=queries.dtype, device=queries.device)
    height = max(1, NUMBERS // (candidates.shape[1] * queries.shape[1]))
    for first in range(0, len(queries), height):
        batch = slice(first, first + height)
        squared[batch] = ((points.exact[candidates[batch]] - queries[batch, None, :]) ** 2).sum(dim=2)
    squared[candidates == own[:, None]] = torch.inf
    squared, order = squared.sort(dim=1, stable=True)
    return Ranked(candidates.gather(1, order)[:, :k].to(torch.int32), squared[:, :k], squared[:, -1])


def in_doubt(queries: Points, squared: Tensor, farthest: Tensor) -> Tensor:
    """Return whether single precision may have missed a nearer neighbour; see the processor's function."""
    noise, last = roundings(queries.exact.shape[1]) * queries.squares, squared[:, -1]
    doubtful = (farthest - 2 * noise < (1 - TOLERATED) * last) & (last > 0)
    return doubtful | (queries.squares > (FARTHEST["f4"] / 2) ** 2)


def precisely(points: Tensor, queries: Tensor) -> Tensor:
    """Return the squared distances of all queries to all points from products in double precision."""
    X, Q = points.double(), queries.double()
    squared = torch.addmm((X**2).sum(dim=1), Q, X.T, alpha=-2.0)
    return squared.add_((Q**2).sum(dim=1, keepdim=True))


def search_all(
    points: Points, k: int, queries: Points | None = None, own: Tensor | None = None, *, pairs: int = PAIRS
) -> tuple[Tensor, Tensor]:
    """Return the k nearest points of every query among all of them, and their squared distances, sorted.

    Queries are the points by default; ``own`` is the place of each among the points, or none of theirs. Where k is the
    number of points, the neighbour that is missing is at an infinite distance.
    """
    device = points.exact.device
    queries = points if queries is None else queries
    places = torch.arange(len(points), device=device) if own is None else own
    indices = torch.empty((len(queries), k), dtype=torch.int32, device=device)
    squared = torch.empty((len(queries), k), dtype=points.exact.dtype, device=device)
    farthest = torch.empty(len(queries), dtype=points.exact.dtype, device=device)
    wanted = min(k + SPARE, len(points))
    everything = torch.arange(len(queries), device=device)

    def keep(batch: Tensor, products: Tensor) -> None:
        present = (places[batch] >= 0) & (places[batch] < len(points))
        products[torch.nonzero(present).squeeze(1), places[batch][present]] = torch.inf
        candidates = products.topk(wanted, dim=1, largest=False, sorted=False).indices
        near = ranked(points, queries.exact[batch], candidates, places[batch], k)
        indices[batch], squared[batch], farthest[batch] = near

    for batch in everything.split(max(1, pairs // len(points))):
        keep(batch, torch.addmm(points.squares, queries.single[batch], points.single.T, alpha=-2.0))
    for batch in everything[in_doubt(queries, squared, farthest)].split(max(1, pairs // (2 * len(points)))):
        keep(batch, precisely(points.exact, queries.exact[batch]))
    return indices, squared


@contextmanager
def full_precision() -> Iterator[None]:
    """Multiply in single precision, whatever else this process has asked torch for."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        with torch.autocast("cuda", enabled=False):
            yield
    finally:
        torch.set_float32_matmul_precision(before)
