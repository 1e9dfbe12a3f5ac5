"""Orders of rows: by whole numbers, and along the map, where rows that are close then are close in memory."""

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Float32, Int64
from mrsne.backends.cpu.mesh.charges import bounds
from mrsne.loops import inlined, kernel
from mrsne.matrices import PARTS

_u = np.uint32

WORTH_FROM = 20_000  # items; below, all positions fit into the cache anyway, and sums over neighbours find them there


def stable_order(keys: NDArray[np.uint32]) -> Int64:
    """Return the places of the keys in ascending order, equal ones in theirs, faster than numpy's argsort."""
    words = keys.astype(np.uint64) << np.uint64(32)
    words |= np.arange(len(keys), dtype=np.uint64)
    words.sort()
    words &= np.uint64(0xFFFFFFFF)
    return words.view(np.int64)


def spatial_order(Y: Float32) -> Int64:
    """Return the rows along a Z-order curve through the first two coordinates."""
    low, high = bounds(Y)
    scale = (2**16 - 1) / max(float((high - low)[:2].max()), 1e-30)
    codes = np.empty(len(Y), np.uint32)
    _z_order.over(PARTS, Y, low, scale, codes)
    return stable_order(codes)


@inlined
def _spread_bits(number):
    """Move bit b of a 16-bit number to bit 2b."""
    number = (number | (number << _u(8))) & _u(0x00FF00FF)
    number = (number | (number << _u(4))) & _u(0x0F0F0F0F)
    number = (number | (number << _u(2))) & _u(0x33333333)
    return (number | (number << _u(1))) & _u(0x55555555)


@kernel("f4[:,:] f8[:] f8 u4[:]!")
def _z_order(start, stop, Y, low, scale, codes):
    n = Y.shape[0]
    for i in range(start * n // PARTS, stop * n // PARTS):
        code = _spread_bits(_u((Y[i, 0] - low[0]) * scale))
        if Y.shape[1] > 1:
            code = (code << _u(1)) | _spread_bits(_u((Y[i, 1] - low[1]) * scale))
        codes[i] = code
