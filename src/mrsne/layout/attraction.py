"""The pull of P̃: a sum over the stored entries of a sparse matrix."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.compilation import Array, Kernel, kernel

PARTS = 64  # runs of rows; fixed, so that sums over them do not depend on the number of threads
_f = np.float32


@lru_cache
def attraction(n_components: int) -> Kernel[Any]:
    """Return the kernel for F_i = Σ_j p̃_ij (y_i − y_j) / (1 + ‖y_i − y_j‖²), the first half of the gradient of KL(P̃‖Q̃).

    Rows belong to ``points``, columns to ``Y``: the same array twice in a descent, new and fitted items when placing.
    The loop is over ``parts``, runs of rows with about equally many entries. ``indices`` are unsigned: a signed index
    might be negative, and the test for it would keep the loop from vectorising.
    """
    K = n_components
    if K > 3:
        return attract_in_any_dimension

    @kernel
    def attract(
        start: int,
        stop: int,
        parts: Array,
        indptr: Array,
        indices: Array,
        values: Array,
        points: Array,
        Y: Array,
        force: Array,
    ) -> None:
        for i in range(parts[start], parts[stop]):
            y0 = points[i, 0]
            y1 = points[i, 1] if K > 1 else _f(0)
            y2 = points[i, 2] if K > 2 else _f(0)
            f0, f1, f2 = _f(0), _f(0), _f(0)
            neighbours = indices[indptr[i] : indptr[i + 1]]
            row = values[indptr[i] : indptr[i + 1]]
            for position in range(neighbours.shape[0]):
                j = neighbours[position]
                d0 = y0 - Y[j, 0]
                d1 = y1 - Y[j, 1] if K > 1 else _f(0)
                d2 = y2 - Y[j, 2] if K > 2 else _f(0)
                pull = row[position] / (_f(1) + d0 * d0 + d1 * d1 + d2 * d2)
                f0 += pull * d0
                f1 += pull * d1
                f2 += pull * d2
            force[i, 0] = f0
            if K > 1:
                force[i, 1] = f1
            if K > 2:
                force[i, 2] = f2

    return attract


@kernel
def attract_in_any_dimension(
    start: int,
    stop: int,
    parts: Array,
    indptr: Array,
    indices: Array,
    values: Array,
    points: Array,
    Y: Array,
    force: Array,
) -> None:
    """Compute the same where K > 3."""
    for i in range(parts[start], parts[stop]):
        force[i, :] = 0
        for position in range(indptr[i], indptr[i + 1]):
            j = indices[position]
            squared = _f(0)
            for k in range(Y.shape[1]):
                squared += (points[i, k] - Y[j, k]) * (points[i, k] - Y[j, k])
            pull = values[position] / (_f(1) + squared)
            for k in range(Y.shape[1]):
                force[i, k] += pull * (points[i, k] - Y[j, k])


@kernel
def cross_entropy(
    start: int, stop: int, parts: Array, indptr: Array, indices: Array, values: Array, Y: Array, sums: Array
) -> None:
    """Compute Σ_ij p̃_ij log(1 + ‖y_i − y_j‖²), the part of KL(P̃‖Q̃) that depends on the pairs, in double precision.

    ``sums`` receives one number for each run of rows.
    """
    for part in range(start, stop):
        total = 0.0
        for i in range(parts[part], parts[part + 1]):
            for position in range(indptr[i], indptr[i + 1]):
                j = indices[position]
                squared = 0.0
                for k in range(Y.shape[1]):
                    difference = np.float64(Y[i, k]) - np.float64(Y[j, k])
                    squared += difference * difference
                total += values[position] * np.log1p(squared)
        sums[part] = total


def equal_parts(indptr: NDArray[Any], n_parts: int = PARTS) -> NDArray[np.int64]:
    """Cut rows into runs with about the same number of stored entries.

    Examples
    --------
    >>> equal_parts(np.array([0, 6, 7, 8, 12]), 2)
    array([0, 1, 4])
    """
    targets = np.linspace(0, indptr[-1], n_parts + 1)
    parts = np.searchsorted(indptr, targets)
    parts[0], parts[-1] = 0, len(indptr) - 1
    return np.asarray(np.maximum.accumulate(parts), dtype=np.int64)
