"""Rows that are the same: searched once, and then given neighbours among each other."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mrsne.arrays import Float64, Int32, Int64
from mrsne.backends.rows import Rows, Sparse, number
from mrsne.loops import Kernel, inlined, kernel

BLOCK = 2**22  # numbers compared at a time
GOLDEN = 0.6180339887498949


class Places(NamedTuple):
    """The distinct rows of an array, and which rows are at each."""

    first: Int64  # a row at each place
    place: Int64  # the place of each row
    members: Int64  # all rows, place by place
    starts: Int64  # where the rows of each place begin in members


def distinct_places(rows: Rows) -> Places:
    n = len(rows)
    key = np.empty(n, np.uint64)
    if isinstance(rows, Sparse):
        matrix = rows.matrix
        _hash_sparse_rows.over(n, matrix.indptr, matrix.indices, matrix.data.view(np.uint32), key)
    else:
        hash_rows(rows.kind).over(n, rows.values, rows.factor, key)
    order = np.argsort(key, kind="stable")
    new = np.ones(n, dtype=bool)
    tied = np.flatnonzero(key[order[1:]] == key[order[:-1]]) + 1
    height = max(1, BLOCK // rows.shape[1])
    for first in range(0, len(tied), height):
        positions = tied[first : first + height]
        new[positions] = (rows.block(order[positions]) != rows.block(order[positions - 1])).any(axis=1)
    place = np.empty(n, np.int64)
    place[order] = np.cumsum(new) - 1
    # number the places by their first row
    first_row = np.full(int(new.sum()), n)
    np.minimum.at(first_row, place, np.arange(n))
    rank = np.argsort(np.argsort(first_row))
    place, first_row = rank[place], np.sort(first_row)
    starts = np.concatenate([[0], np.cumsum(np.bincount(place))])
    return Places(first_row, place, np.argsort(place, kind="stable"), starts)


@inlined
def mixed(value, word):
    """Take one more word into a 64-bit FNV-1a hash."""
    value = (value ^ np.uint64(word)) * np.uint64(1099511628211)
    return value ^ (value >> np.uint64(29))  # products only carry upwards; bring high bits down again


@lru_cache
def hash_rows(kind: str) -> Kernel:
    return kernel(f"{kind}[:,:] f8[:] u8[:]!")(_hash_rows)


def _hash_rows(start, stop, values, factor, key):
    for i in range(start, stop):
        value = np.uint64(14695981039346656037)
        for d in range(values.shape[1]):
            bits = np.float64(number(values[i, d]) * factor[i]).view(np.uint64)
            if bits << np.uint64(1) == 0:  # the two zeros are equal
                bits = np.uint64(0)
            value = mixed(value, bits)
        key[i] = value


@kernel("i8[:] i4[:] u4[:] u8[:]!")
def _hash_sparse_rows(start, stop, indptr, indices, words, key):
    per_number = words.shape[0] // max(indices.shape[0], 1)
    for i in range(start, stop):
        value = np.uint64(14695981039346656037)
        for position in range(indptr[i], indptr[i + 1]):
            value = mixed(value, indices[position])
            for word in range(position * per_number, (position + 1) * per_number):
                value = mixed(value, words[word])
        key[i] = value


def expand(places: Places, indices: Int32, squared: Float64, k: int) -> tuple[Int32, Float64]:
    """Turn neighbours of places into k neighbours of rows: others at the same place, then those of the next."""
    n = len(places.place)
    result, distances = np.empty((n, k), np.int32), np.empty((n, k))
    _expand.over(n, places.place, places.members, places.starts, indices, squared, result, distances)
    return result, distances


@kernel("i8[:] i8[:] i8[:] i4[:,:] f8[:,:] i4[:,:]! f8[:,:]!")
def _expand(start, stop, place, members, starts, indices, squared, result, distances):
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
