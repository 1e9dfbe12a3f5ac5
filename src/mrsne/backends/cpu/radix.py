"""The order of many whole numbers, on all threads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrsne.loops import Array, kernel
from mrsne.matrices import PARTS

BITS = 11  # by which keys are sorted in one pass; three passes for 32
BUCKETS = 1 << BITS
WORTH_FROM = 100_000  # keys; numpy sorts fewer in less time


def stable_order(keys: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the places of the smallest key, the next, and so on; of equal ones the first comes first.

    numpy sorts on one thread, and numbers of this width by comparing them, which takes less time only for few.

    Examples
    --------
    >>> stable_order(np.array([3, 1, 2**31, 1], dtype=np.uint32))
    array([1, 3, 0, 2])
    """
    if len(keys) < WORTH_FROM:
        return np.argsort(keys, kind="stable")
    order, sorted_order = np.arange(len(keys)), np.empty(len(keys), np.int64)
    counts = np.empty((PARTS, BUCKETS), np.int64)
    for shift in range(0, int(keys.max()).bit_length(), BITS):
        _count.over(PARTS, keys, order, np.uint32(shift), counts)
        _begin.alone(1, counts)
        _distribute.over(PARTS, keys, order, np.uint32(shift), counts, sorted_order)
        order, sorted_order = sorted_order, order
    return order


@kernel("u4[:] i8[:] u4 i8[:,:]!")
def _count(start: int, stop: int, keys: Array, order: Array, shift: np.uint32, counts: Array) -> None:
    n = keys.shape[0]
    for part in range(start, stop):
        counts[part, :] = 0
        for position in range(part * n // PARTS, (part + 1) * n // PARTS):
            counts[part, (keys[order[position]] >> shift) & np.uint32(BUCKETS - 1)] += 1


@kernel("i8[:,:]!")
def _begin(start: int, stop: int, counts: Array) -> None:
    """Turn counts into where the keys of a bucket begin that come from a part: after smaller ones and earlier parts."""
    total = 0
    for bucket in range(counts.shape[1]):
        for part in range(counts.shape[0]):
            here = counts[part, bucket]
            counts[part, bucket] = total
            total += here


@kernel("u4[:] i8[:] u4 i8[:,:]! i8[:]!")
def _distribute(start: int, stop: int, keys: Array, order: Array, shift: np.uint32, ends: Array, result: Array) -> None:
    n = keys.shape[0]
    for part in range(start, stop):
        for position in range(part * n // PARTS, (part + 1) * n // PARTS):
            bucket = (keys[order[position]] >> shift) & np.uint32(BUCKETS - 1)
            result[ends[part, bucket]] = order[position]
            ends[part, bucket] += 1
