"""Neighbours that are not mutual into a symmetric graph, (P + Pᵀ)/2n, without forming Pᵀ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.loops import Array, inlined, kernel
from mrsne.matrices import matrix_of

RUNS = 16  # of rows, each with its own counts of all items


def symmetrized(
    indices: NDArray[np.int32], probabilities: NDArray[np.float32], order: NDArray[np.int64]
) -> sparse.csr_matrix:
    """Return (P + Pᵀ)/2n, where row i of P has k entries at ``indices[i]``; both arrays are sorted in place by column.

    Row i of the sum has the k neighbours of i, and whoever else has i as a neighbour. ``order`` lists all rows; where
    neighbours are close in it, looking them up is fast.

    Examples
    --------
    >>> indices = np.array([[1], [0], [1]], dtype=np.int32)
    >>> symmetrized(indices, np.ones((3, 1), np.float32), np.arange(3)).toarray() * 6
    array([[0., 2., 0.],
           [2., 0., 1.],
           [0., 1., 0.]], dtype=float32)
    """
    n, k = indices.shape
    _sort_rows.over(n, indices, probabilities.view(np.uint32))
    counterpart = np.empty((n, k), np.int32)
    _find_counterparts.over(n, order, indices, counterpart)
    counts = np.zeros((RUNS, n), np.int32)
    _count_others.over(RUNS, indices, counterpart, counts)
    others = np.empty(n, np.int64)
    _add_up.over(n, counts, others)
    indptr = np.concatenate([[0], np.cumsum(others + k)])
    columns, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    scale = 1 / (2 * n)
    _fill_own.over(n, order, indices, probabilities, counterpart, indptr, scale, columns, values)
    _fill_others.over(RUNS, indices, probabilities, counterpart, indptr, scale, counts, columns, values)
    _merge.over(n, k, indptr, columns, values)
    return matrix_of(indptr, columns, values, n)


@kernel("i4[:,:]! u4[:,:]!")
def _sort_rows(start: int, stop: int, indices: Array, bits: Array) -> None:
    """Sort each row by index; an index and the bits of its probability are moved as one word."""
    k = indices.shape[1]
    words = np.empty(k, np.uint64)
    for i in range(start, stop):
        for c in range(k):
            word = np.uint64(indices[i, c]) << np.uint64(32) | np.uint64(bits[i, c])
            place = c
            while place > 0 and words[place - 1] > word:
                words[place] = words[place - 1]
                place -= 1
            words[place] = word
        for c in range(k):
            indices[i, c] = words[c] >> np.uint64(32)
            bits[i, c] = np.uint32(words[c])


@inlined
def position_of(column: int, row: Any) -> int:
    """Return where a column is in a sorted row, or -1."""
    first, size = 0, row.shape[0]
    while size > 1:  # always as many steps, and a step without a branch: none can be mispredicted
        half = size >> 1
        first += half if row[first + half] <= column else 0
        size -= half
    return first if row[first] == column else -1


@kernel("i8[:] i4[:,:] i4[:,:]!")
def _find_counterparts(start: int, stop: int, order: Array, indices: Array, counterpart: Array) -> None:
    """Find where the entry (j, i) of each entry (i, j) is in row j; -1 where there is none."""
    for i in order[start:stop]:
        for c in range(indices.shape[1]):
            counterpart[i, c] = position_of(i, indices[indices[i, c]])


@kernel("i4[:,:] i4[:,:] i4[:,:]!")
def _count_others(start: int, stop: int, indices: Array, counterpart: Array, counts: Array) -> None:
    """Count, in each run of rows, who has an item as a neighbour without being one of its own."""
    n, k = indices.shape
    for run in range(start, stop):
        for i in range(run * n // RUNS, (run + 1) * n // RUNS):
            for c in range(k):
                if counterpart[i, c] < 0:
                    counts[run, indices[i, c]] += 1


@kernel("i4[:,:]! i8[:]!")
def _add_up(start: int, stop: int, counts: Array, others: Array) -> None:
    """Turn the counts of all runs into how many there are before each run; ``others`` receives their sums."""
    others[start:stop] = 0
    for run in range(RUNS):
        for i in range(start, stop):
            count = counts[run, i]
            counts[run, i] = others[i]
            others[i] += count


@kernel("i8[:] i4[:,:] f4[:,:] i4[:,:] i8[:] f8 i4[:]! f4[:]!")
def _fill_own(
    start: int,
    stop: int,
    order: Array,
    indices: Array,
    probabilities: Array,
    counterpart: Array,
    indptr: Array,
    scale: float,
    columns: Array,
    values: Array,
) -> None:
    for i in order[start:stop]:
        for c in range(indices.shape[1]):
            j = indices[i, c]
            p = np.float64(probabilities[i, c])
            if counterpart[i, c] >= 0:
                p += probabilities[j, counterpart[i, c]]
            columns[indptr[i] + c] = j
            values[indptr[i] + c] = p * scale


@kernel("i4[:,:] f4[:,:] i4[:,:] i8[:] f8 i4[:,:]! i4[:]! f4[:]!")
def _fill_others(
    start: int,
    stop: int,
    indices: Array,
    probabilities: Array,
    counterpart: Array,
    indptr: Array,
    scale: float,
    before: Array,
    columns: Array,
    values: Array,
) -> None:
    n, k = indices.shape
    for run in range(start, stop):
        for i in range(run * n // RUNS, (run + 1) * n // RUNS):
            for c in range(k):
                if counterpart[i, c] < 0:
                    j = indices[i, c]
                    position = indptr[j] + k + before[run, j]
                    before[run, j] += 1
                    columns[position] = i
                    values[position] = np.float64(probabilities[i, c]) * scale


@kernel("i8 i8[:] i4[:]! f4[:]!")
def _merge(start: int, stop: int, k: int, indptr: Array, columns: Array, values: Array) -> None:
    """Merge the first k entries of each row, sorted by column, with the rest, which are sorted too."""
    longest = 0
    for i in range(start, stop):
        longest = max(longest, indptr[i + 1] - indptr[i] - k)
    late_columns, late_values = np.empty(longest, np.int32), np.empty(longest, np.float32)
    for i in range(start, stop):
        first, end = indptr[i], indptr[i + 1]
        count = end - first - k
        for position in range(count):
            late_columns[position] = columns[first + k + position]
            late_values[position] = values[first + k + position]
        own = first + k - 1
        count -= 1
        for position in range(end - 1, first - 1, -1):
            if count < 0:
                break
            if own >= first and columns[own] > late_columns[count]:
                columns[position], values[position] = columns[own], values[own]
                own -= 1
            else:
                columns[position], values[position] = late_columns[count], late_values[count]
                count -= 1
