"""The connected components of a graph, what a start needs to know of each, and items in an order of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.cpu.forces.locality import reordered
from mrsne.backends.cpu.matrix.eigenvectors import slowest_waves
from mrsne.compilation import Array, kernel
from mrsne.matrices import arrays_of


class Components:
    """The components of a graph, the largest first.

    Parameters
    ----------
    P : CSR matrix
        Symmetric.
    small : int
        Components with more items are large: only their slowest waves are asked for, of others the whole graph.
    """

    def __init__(self, P: Any, small: int) -> None:
        self.P = P
        order, starts = self.walk()
        sizes = np.diff(starts)
        self.members = [order[starts[c] : starts[c + 1]] for c in np.argsort(-sizes, kind="stable")]
        self.n_large = int((sizes > small).sum())

    def walk(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all items component by component, and where each starts."""
        return walk(self.P)

    def graph(self, number: int) -> sparse.csr_matrix:
        """Return the graph of a component that is not large."""
        items = self.members[number]
        return self.P[items][:, items]

    def waves(self, count: int, random: np.random.RandomState) -> list[NDArray[np.float64]]:
        """Return the slowest waves of each large component, all computed together; NaN where that fails."""
        if not self.n_large:
            return []
        order = np.concatenate(self.members[: self.n_large])
        starts = np.cumsum([0, *map(len, self.members[: self.n_large])])
        try:
            with np.errstate(all="ignore"):
                waves = self.slowest(order, starts, count, random)
        except np.linalg.LinAlgError:
            waves = np.full((len(order), count), np.nan)
        return np.split(waves, starts[1:-1])

    def slowest(
        self, order: NDArray[np.int64], starts: NDArray[np.int64], count: int, random: np.random.RandomState
    ) -> NDArray[np.float64]:
        """Return the slowest waves of items that are listed component by component."""
        others = np.ones(self.P.shape[0], dtype=bool)
        others[order] = False
        entries = reordered(self.P, np.concatenate([order, np.flatnonzero(others)])).head(len(order))
        outside = np.flatnonzero(entries.indices >= len(order))  # of a P that is not quite symmetric
        entries.indices[outside], entries.values[outside] = 0, 0
        return slowest_waves(entries, starts, count, random)


def walk(P: sparse.csr_matrix) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Visit all items of a symmetric graph, breadth first, component by component.

    Returns
    -------
    order : array of shape (n,)
        The items as they were visited.
    starts : array
        Where each component starts in it, and n.

    Examples
    --------
    >>> P = sparse.csr_matrix(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=np.float32))
    >>> walk(P)
    (array([0, 2, 1]), array([0, 2, 3]))
    """
    n = P.shape[0]
    indptr, indices, _ = arrays_of(P)
    order, starts, count = np.empty(n, np.int64), np.empty(n + 1, np.int64), np.zeros(1, np.int64)
    _walk.alone(n, indptr, indices, np.zeros(n, np.bool_), order, starts, count)
    return order, starts[: count[0] + 1]


@kernel("i8[:] i4[:] b1[:]! i8[:]! i8[:]! i8[:]!")
def _walk(
    start: int, stop: int, indptr: Array, indices: Array, seen: Array, order: Array, starts: Array, count: Array
) -> None:
    found = 0
    for seed in range(start, stop):
        if seen[seed]:
            continue
        starts[count[0]] = found
        count[0] += 1
        seen[seed] = True
        order[found] = seed
        here = found
        found += 1
        while here < found:
            i = order[here]
            here += 1
            for position in range(indptr[i], indptr[i + 1]):
                j = indices[position]
                if not seen[j]:
                    seen[j] = True
                    order[found] = j
                    found += 1
    starts[count[0]] = found
