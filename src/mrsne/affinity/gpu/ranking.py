"""Candidates by their true distance, on a graphics card; see :mod:`mrsne.affinity.distances`."""

from __future__ import annotations

import torch

from mrsne.affinity.gpu.points import Points

NUMBERS = 2**28  # that differences take at a time


def ranked(
    points: Points, queries: torch.Tensor, candidates: torch.Tensor, own: torch.Tensor, k: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the k nearest candidates of every query, and their squared distances, sorted.

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
        some = slice(first, first + height)
        squared[some] = ((points.exact[candidates[some]] - queries[some, None, :]) ** 2).sum(dim=2)
    squared[candidates == own[:, None]] = torch.inf
    squared, order = squared.sort(dim=1, stable=True)
    return candidates.gather(1, order)[:, :k].to(torch.int32), squared[:, :k]
