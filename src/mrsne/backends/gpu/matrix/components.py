"""The connected components of a graph on a GPU."""

from __future__ import annotations

import numpy as np
import torch
import triton
import triton.language as tl
from numpy.typing import NDArray

from mrsne.backends.components import propagated_labels

LANES = 128


def walk(indptr: torch.Tensor, indices: torch.Tensor) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all items component by component, and where each component starts among them, and n."""
    n = len(indptr) - 1

    def lowest_around(labels: torch.Tensor) -> torch.Tensor:
        lowest = torch.empty_like(labels)
        _lowest[(n,)](indptr, indices, labels, lowest, LANES=LANES, num_warps=1)
        return lowest

    def scatter_minimum(labels: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return labels.scatter_reduce(0, labels, values, "amin")

    numbers = torch.arange(n, device=indptr.device)
    labels = propagated_labels(numbers, lowest_around, scatter_minimum, torch.minimum, torch.equal)
    labels, order = labels.sort(stable=True)
    _, counts = torch.unique_consecutive(labels, return_counts=True)
    starts = np.concatenate([[0], np.cumsum(counts.cpu().numpy())])
    return order.cpu().numpy(), starts.astype(np.int64)


@triton.jit
def _lowest(indptr, indices, labels, lowest, LANES: tl.constexpr):
    """Find the lowest label among a row's own and its neighbours'."""
    row = tl.program_id(0)
    first, last = tl.load(indptr + row), tl.load(indptr + row + 1)
    best = tl.zeros((LANES,), tl.int64) + tl.load(labels + row)
    while first < last:
        at = first + tl.arange(0, LANES)
        j = tl.load(indices + at, mask=at < last, other=0)
        best = tl.minimum(best, tl.load(labels + j, mask=at < last, other=9223372036854775807))
        first += LANES
    tl.store(lowest + row, tl.min(best, 0))
