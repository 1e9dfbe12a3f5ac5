"""Sixteen (or eight) single-precision numbers at a time, in one register.

The compiler turns a loop into such code by itself only where it is long enough, and where the arrays can be proved not
to overlap. In an FFT they cannot, so its loops say what they mean: ``put(y, k, take(x, i) + take(x, j))``. On
processors with narrower registers the compiler uses several; where numba lacks what :mod:`mrsne.numba_internals` takes,
the numbers are a tuple, which is slow.
"""

WIDTH = 16

try:
    from mrsne.numba_internals import lane, put, spread_out, spread_out8, take, take8, total, transpose
except Exception:  # of which mrsne.loops warns
    from mrsne.lanes_as_tuples import lane, put, spread_out, spread_out8, take, take8, total, transpose

__all__ = ["WIDTH", "aligned", "lane", "put", "spread_out", "spread_out8", "take", "take8", "total", "transpose"]


def aligned(n: int) -> int:
    """Return n rounded up to whole registers."""
    return -(-n // WIDTH) * WIDTH
