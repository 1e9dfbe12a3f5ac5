"""The connected components of a graph, and items in an order of neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.loops import Array, kernel
from mrsne.matrices import arrays_of


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


@kernel("i8[:] i4[:] b1[:]! i8[:]! i8[:]! i8[:]!", exact=True)
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
