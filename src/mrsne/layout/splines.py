"""Unit charges onto a grid with quintic B-splines, and a potential and its slope back from it.

Points have one, two or three coordinates; a grid always has three axes, the unused ones of length 1. The number of
coordinates is a constant of the compiled kernel, so one text serves all three without cost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from mrsne.compilation import Array, kernel

SUPPORT = 6  # grid nodes a quintic B-spline touches along one axis
BEFORE = 2  # how many of them lie before the cell a point is in
BAND = 8  # rows of the grid filled by one task; at least SUPPORT - 1, so that bands two apart never meet
CHUNKS = 64  # parts of a parallel loop; fixed, so that results do not depend on the number of threads

_f = np.float32  # constants are single precision: one double would turn the whole expression into doubles
ONE, HALF, QUARTER, THIRD, SIXTH, TWO_THIRDS = _f(1), _f(1 / 2), _f(1 / 4), _f(1 / 3), _f(1 / 6), _f(2 / 3)
TWELFTH, FIVE_TWELFTHS, TWENTYFOURTH = _f(1 / 12), _f(5 / 12), _f(1 / 24)
CENTRE, SIDE, FIVE_TWENTYFOURTHS, TAIL = _f(11 / 20), _f(13 / 60), _f(5 / 24), _f(1 / 120)


@kernel()
def weights(t: Any) -> Any:
    """Return B₅ at the six nodes around a point that lies a fraction ``t`` of a step after the third of them."""
    s = ONE - t
    tt, ss = t * t, s * s
    return (
        TAIL * ss * ss * s,
        SIDE - FIVE_TWELFTHS * t + tt * (SIXTH + t * (SIXTH + t * (TWENTYFOURTH * t - SIXTH))),
        CENTRE + tt * (tt * (QUARTER - TWELFTH * t) - HALF),
        CENTRE + ss * (ss * (QUARTER - TWELFTH * s) - HALF),
        SIDE - FIVE_TWELFTHS * s + ss * (SIXTH + s * (SIXTH + s * (TWENTYFOURTH * s - SIXTH))),
        TAIL * tt * tt * t,
    )


@kernel()
def slopes(t: Any) -> Any:
    """Return the derivatives of the six weights by ``t``."""
    s = ONE - t
    tt, ss = t * t, s * s
    return (
        -TWENTYFOURTH * ss * ss,
        -FIVE_TWELFTHS + t * (THIRD + t * (HALF + t * (FIVE_TWENTYFOURTHS * t - TWO_THIRDS))),
        t * (tt * (ONE - FIVE_TWELFTHS * t) - ONE),
        -s * (ss * (ONE - FIVE_TWELFTHS * s) - ONE),
        FIVE_TWELFTHS - s * (THIRD + s * (HALF + s * (FIVE_TWENTYFOURTHS * s - TWO_THIRDS))),
        TWENTYFOURTH * tt * tt,
    )


@kernel(parallel=True)
def _chunk_bounds(Y: Array, low: Array, high: Array) -> None:
    n = Y.shape[0]
    for chunk in numba.prange(CHUNKS):
        for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            for k in range(Y.shape[1]):
                low[chunk, k] = min(low[chunk, k], Y[i, k])
                high[chunk, k] = max(high[chunk, k], Y[i, k])


def bounds(Y: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest and largest coordinate along each axis; numpy's own reduction takes 20 times as long."""
    low = np.full((CHUNKS, Y.shape[1]), np.inf)
    _chunk_bounds(Y, low, high := -low)
    return low.min(axis=0), high.max(axis=0)


@kernel(parallel=True)
def sort_into_bands(Y: Array, origin: Array, inverse_step: np.float32, ends: Array, order: Array) -> None:
    """List the points band by band along the first axis.

    ``order`` receives the rows of ``Y``; ``ends[b, c]`` the place in it where the points of chunk ``c`` in band ``b``
    end, so that band ``b`` lies between ``ends[b - 1, -1]`` and ``ends[b, -1]``. Inside a band the rows keep their
    order.
    """
    n = Y.shape[0]
    n_bands = ends.shape[0]
    for chunk in numba.prange(CHUNKS):
        ends[:, chunk] = 0
        for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            ends[int((Y[i, 0] - origin[0]) * inverse_step) // BAND, chunk] += 1
    total = 0
    for band in range(n_bands):
        for chunk in range(CHUNKS):
            count = ends[band, chunk]
            ends[band, chunk] = total
            total += count
    for chunk in numba.prange(CHUNKS):
        for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            band = int((Y[i, 0] - origin[0]) * inverse_step) // BAND
            order[ends[band, chunk]] = i
            ends[band, chunk] += 1


@lru_cache
def spread(n_components: int) -> Callable[..., None]:
    """Return the kernel that adds a unit charge for every point: ρ(g) = Σ_i Π_k B₅(u_ik − g_k).

    Even bands are filled first, then odd ones, each by one thread in the order of the rows: no two threads ever touch
    one node, and every sum has the same order whatever the number of threads.
    """
    second = SUPPORT if n_components > 1 else 1
    third = SUPPORT if n_components > 2 else 1

    @kernel(parallel=True)
    def spread_charges(
        Y: Array, origin: Array, inverse_step: np.float32, ends: Array, order: Array, grid: Array
    ) -> None:
        n_bands = ends.shape[0]
        for parity in range(2):
            for pair in numba.prange((n_bands + 1 - parity) // 2):
                band = 2 * pair + parity
                start = ends[band - 1, CHUNKS - 1] if band > 0 else 0
                for position in range(start, ends[band, CHUNKS - 1]):
                    i = order[position]
                    u = (Y[i, 0] - origin[0]) * inverse_step
                    a = int(u)
                    wa = weights(u - _f(a))
                    b, wb = 0, wa
                    if second > 1:
                        u = (Y[i, 1] - origin[1]) * inverse_step
                        b = int(u)
                        wb = weights(u - _f(b))
                    c, wc = 0, wa
                    if third > 1:
                        u = (Y[i, 2] - origin[2]) * inverse_step
                        c = int(u)
                        wc = weights(u - _f(c))
                    for p in range(SUPPORT):
                        for q in range(second):
                            line = wa[p] * wb[q] if second > 1 else wa[p]
                            for r in range(third):
                                grid[a + p, b + q, c + r] += line * wc[r] if third > 1 else line

    return spread_charges


@lru_cache
def gather(n_components: int) -> Callable[..., None]:
    """Return the kernel that reads Φ(y_i) = Σ_g φ(g) Π_k B₅(u_ik − g_k) and its gradient by y_i at every point."""
    second = SUPPORT if n_components > 1 else 1
    third = SUPPORT if n_components > 2 else 1

    @kernel(parallel=True)
    def gather_potential(
        Y: Array, origin: Array, inverse_step: np.float32, grid: Array, potential: Array, gradient: Array
    ) -> None:
        n = Y.shape[0]
        for chunk in numba.prange(CHUNKS):
            for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
                u = (Y[i, 0] - origin[0]) * inverse_step
                a = int(u)
                wa, sa = weights(u - _f(a)), slopes(u - _f(a))
                b, wb, sb = 0, wa, sa
                if second > 1:
                    u = (Y[i, 1] - origin[1]) * inverse_step
                    b = int(u)
                    wb, sb = weights(u - _f(b)), slopes(u - _f(b))
                c, wc, sc = 0, wa, sa
                if third > 1:
                    u = (Y[i, 2] - origin[2]) * inverse_step
                    c = int(u)
                    wc, sc = weights(u - _f(c)), slopes(u - _f(c))
                value, slope_a, slope_b, slope_c = _f(0), _f(0), _f(0), _f(0)
                for p in range(SUPPORT):
                    plane, plane_b, plane_c = _f(0), _f(0), _f(0)
                    for q in range(second):
                        line, line_c = _f(0), _f(0)
                        for r in range(third):
                            node = grid[a + p, b + q, c + r]
                            line += node * wc[r] if third > 1 else node
                            if third > 1:
                                line_c += node * sc[r]
                        plane += line * wb[q] if second > 1 else line
                        if second > 1:
                            plane_b += line * sb[q]
                        if third > 1:
                            plane_c += line_c * wb[q]
                    value += plane * wa[p]
                    slope_a += plane * sa[p]
                    slope_b += plane_b * wa[p]
                    slope_c += plane_c * wa[p]
                potential[i] = value
                gradient[i, 0] = slope_a * inverse_step
                if second > 1:
                    gradient[i, 1] = slope_b * inverse_step
                if third > 1:
                    gradient[i, 2] = slope_c * inverse_step

    return gather_potential
