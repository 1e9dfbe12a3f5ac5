"""Candidates by their true distance, on a GPU; see :mod:`mrsne.backends.cpu.search.ranking`."""

from __future__ import annotations

from typing import NamedTuple

import torch

from mrsne.backends.cpu.search.ranking import FARTHEST, TOLERATED, roundings
from mrsne.backends.gpu.search.points import Points

NUMBERS = 2**28  # that differences take at a time


class Ranked(NamedTuple):
    """Neighbours of some queries, sorted by distance."""

    indices: torch.Tensor  # (m, k), int32
    squared: torch.Tensor  # (m, k)
    farthest: torch.Tensor  # (m,), the squared distance of the farthest candidate


def ranked(points: Points, queries: torch.Tensor, candidates: torch.Tensor, own: torch.Tensor, k: int) -> Ranked:
    """Return the k nearest candidates of every query.

    Parameters
    ----------
    points : Points
    queries : array of shape (m, d)
    candidates : int64 array of shape (m, c)
        Places among the points.
    own : int64 array of shape (m,)
        The place of each query itself, which is infinitely far from it.
    k : int
    """
    squared = torch.empty(candidates.shape, dtype=queries.dtype, device=queries.device)
    height = max(1, NUMBERS // (candidates.shape[1] * queries.shape[1]))
    for first in range(0, len(queries), height):
        batch = slice(first, first + height)
        squared[batch] = ((points.exact[candidates[batch]] - queries[batch, None, :]) ** 2).sum(dim=2)
    squared[candidates == own[:, None]] = torch.inf
    squared, order = squared.sort(dim=1, stable=True)
    return Ranked(candidates.gather(1, order)[:, :k].to(torch.int32), squared[:, :k], squared[:, -1])


def in_doubt(queries: Points, squared: torch.Tensor, farthest: torch.Tensor) -> torch.Tensor:
    """Return whether single precision may have missed a nearer neighbour; see the processor's."""
    noise, last = roundings(queries.exact.shape[1]) * queries.squares, squared[:, -1]
    doubtful = (farthest - 2 * noise < (1 - TOLERATED) * last) & (last > 0)
    return doubtful | (queries.squares > (FARTHEST["f4"] / 2) ** 2)


def precisely(points: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
    """Return the squared distances of all queries to all points from products in double precision."""
    X, Q = points.double(), queries.double()
    squared = torch.addmm((X**2).sum(dim=1), Q, X.T, alpha=-2.0)
    return squared.add_((Q**2).sum(dim=1, keepdim=True))
