"""The connected components of a graph on a GPU; see :mod:`mrsne.backends.cpu.matrix.components`."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import torch
import triton
import triton.language as tl
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.cpu.matrix.components import Components
from mrsne.backends.gpu.matrix.eigenvectors import slowest_waves
from mrsne.backends.gpu.matrix.matrix import DeviceMatrix

LANES = 128


class DeviceComponents(Components):
    """The components of a graph on a device; graphs of the small ones are brought to the processor, all at once."""

    P: DeviceMatrix

    def walk(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all items component by component, and where each starts."""
        return walk(self.P)

    def graph(self, number: int) -> sparse.csr_matrix:
        """Return the graph of a component that is not large."""
        first = self._small_starts[number - self.n_large]
        last = self._small_starts[number - self.n_large + 1]
        return self._small[first:last, first:last]

    @cached_property
    def _small(self) -> sparse.csr_matrix:
        return self.P.among(np.concatenate(self.members[self.n_large :])).to_csr()

    @cached_property
    def _small_starts(self) -> NDArray[np.int64]:
        return np.cumsum([0, *map(len, self.members[self.n_large :])])

    def slowest(
        self, order: NDArray[np.int64], starts: NDArray[np.int64], count: int, random: np.random.RandomState
    ) -> NDArray[np.float64]:
        """Return the slowest waves of items that are listed component by component."""
        if len(starts) == 2 and len(order) == self.P.shape[0]:  # one component, in the order of the items
            return slowest_waves(self.P, starts, count, random)
        return slowest_waves(self.P.among(order), starts, count, random)


def walk(P: DeviceMatrix) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all items component by component, and where each component starts among them, and n.

    Every item takes the lowest label around it, and tells the item whose label it had; labels of labels follow. This
    ends after few rounds even where a walk from item to item would be long.
    """
    n = P.shape[0]
    labels = torch.arange(n, device=P.device)
    lowest = torch.empty_like(labels)
    while True:
        _lowest[(n,)](P.indptr, P.indices, labels, lowest, LANES=LANES, num_warps=1)
        told = labels.scatter_reduce(0, labels, lowest, "amin")
        new = torch.minimum(told, lowest)
        new = torch.minimum(new, new[new])
        new = torch.minimum(new, new[new])
        if torch.equal(new, labels):
            break
        labels = new
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
