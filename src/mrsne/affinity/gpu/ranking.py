"""Candidates by their true distance, on a graphics card; see :mod:`mrsne.affinity.ranking`."""

from __future__ import annotations

from typing import NamedTuple

import torch

from mrsne.affinity.gpu.points import Points
from mrsne.affinity.ranking import FARTHEST, TOLERATED, roundings

NUMBERS = 2**28  # that differences take at a time


class Ranked(NamedTuple):
    """Neighbours of some queries, sorted by distance."""

    indices: torch.Tensor  # (m, k), int32
    squared: torch.Tensor  # (m, k)
    doubtful: torch.Tensor  # (m,), whether single precision may have missed a nearer one


def ranked(points: Points, queries: Points, candidates: torch.Tensor, own: torch.Tensor, k: int) -> Ranked:
    """Return the k nearest candidates of every query.

    Parameters
    ----------
    points, queries : Points
    candidates : int64 array of shape (m, c)
        Places among the points.
    own : int64 array of shape (m,)
        The place of each query itself, which is infinitely far from it.
    k : int
    """
    exact = queries.exact
    squared = torch.empty(candidates.shape, dtype=exact.dtype, device=exact.device)
    height = max(1, NUMBERS // (candidates.shape[1] * exact.shape[1]))
    for first in range(0, len(exact), height):
        some = slice(first, first + height)
        squared[some] = ((points.exact[candidates[some]] - exact[some, None, :]) ** 2).sum(dim=2)
    squared[candidates == own[:, None]] = torch.inf
    squared, order = squared.sort(dim=1, stable=True)
    noise, last = roundings(exact.shape[1]) * queries.squares, squared[:, k - 1]
    doubtful = (squared[:, -1] - 2 * noise < (1 - TOLERATED) * last) & (last > 0)
    doubtful |= queries.squares > (FARTHEST["f4"] / 2) ** 2
    return Ranked(candidates.gather(1, order)[:, :k].to(torch.int32), squared[:, :k], doubtful)


def precisely(points: torch.Tensor, queries: torch.Tensor) -> torch.Tensor:
    """Return the squared distances of all queries to all points from products in double precision."""
    X, Q = points.double(), queries.double()
    squared = torch.addmm((X**2).sum(dim=1), Q, X.T, alpha=-2.0)
    return squared.add_((Q**2).sum(dim=1, keepdim=True))
