"""Rows that are the same: searched once, and then given neighbours among each other."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrsne.compilation import Array, kernel

GOLDEN = 0.6180339887498949


class Places(NamedTuple):
    """The distinct rows of an array, and which rows are at each."""

    first: NDArray[np.int64]  # a row at each place
    place: NDArray[np.int64]  # the place of each row
    members: NDArray[np.int64]  # all rows, place by place
    starts: NDArray[np.int64]  # where the rows of each place begin in members


def distinct_places(X: NDArray[Any]) -> Places:
    """Group identical rows of a C-ordered array of float32 or float64.

    Examples
    --------
    >>> places = distinct_places(np.array([[1.0], [2.0], [1.0]]))
    >>> places.first, places.place
    (array([0, 1]), array([0, 1, 0]))
    """
    key = np.empty(len(X), np.uint64)
    _hash_rows.over(len(X), X.view(np.uint32), key)
    order = np.argsort(key, kind="stable")
    new = np.ones(len(X), dtype=bool)
    tied = np.flatnonzero(key[order[1:]] == key[order[:-1]]) + 1
    new[tied] = (X[order[tied]] != X[order[tied - 1]]).any(axis=1)
    place = np.empty(len(X), np.int64)
    place[order] = np.cumsum(new) - 1
    # number the places by their first row
    first = np.full(int(new.sum()), len(X))
    np.minimum.at(first, place, np.arange(len(X)))
    rank = np.argsort(np.argsort(first))
    place, first = rank[place], np.sort(first)
    starts = np.concatenate([[0], np.cumsum(np.bincount(place))])
    return Places(first, place, np.argsort(place, kind="stable"), starts)


@kernel
def _hash_rows(start: int, stop: int, bits: Array, key: Array) -> None:
    """Compute the 64-bit FNV-1a hash of every row, word by word."""
    for i in range(start, stop):
        value = np.uint64(14695981039346656037)
        for d in range(bits.shape[1]):
            value = (value ^ np.uint64(bits[i, d])) * np.uint64(1099511628211)
            value ^= value >> np.uint64(29)  # products only carry upwards; bring high bits down again
        key[i] = value


def expand(
    places: Places, indices: NDArray[np.int64], squared: NDArray[np.float64], k: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Turn neighbours of places into k neighbours of rows: others at the same place, then those of the next.

    Where there is room for only some of the rows of a place, each row takes others of them.
    """
    n = len(places.place)
    result, distances = np.empty((n, k), np.int64), np.empty((n, k))
    _expand.over(n, places.place, places.members, places.starts, indices, squared, result, distances)
    return result, distances


@kernel
def _expand(
    start: int,
    stop: int,
    place: Array,
    members: Array,
    starts: Array,
    indices: Array,
    squared: Array,
    result: Array,
    distances: Array,
) -> None:
    k = result.shape[1]
    for position in range(start, stop):
        i = members[position]
        here = place[i]
        rank = position - starts[here]
        others = starts[here + 1] - starts[here] - 1
        # a stride near the golden section visits all the others in turn, if it has no common divisor with their number
        stride = max(1, int(others * GOLDEN))
        while others > 0:
            a, b = others, stride
            while b:
                a, b = b, a % b
            if a == 1:
                break
            stride += 1
        filled = min(others, k)
        for step in range(filled):
            offset = 1 + (step * stride + stride) % others
            result[i, step] = members[starts[here] + (rank + offset) % (others + 1)]
            distances[i, step] = 0.0
        for c in range(indices.shape[1]):
            there = indices[here, c]
            size = starts[there + 1] - starts[there]
            for step in range(min(size, k - filled)):
                result[i, filled + step] = members[starts[there] + (rank + step) % size]
                distances[i, filled + step] = squared[here, c]
            filled = min(k, filled + size)
