"""Unit charges onto a grid with quintic B-splines, and a potential and its slope back from it.

Points have one, two or three coordinates; a grid always has three axes, the unused ones of length 1. The number of
coordinates is a constant of the compiled kernel, so one text serves all three without cost.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.splines import SUPPORT, slope_polynomials, weight_polynomials
from mrsne.loops import WORTH_SHARING, Array, Kernel, inlined, kernel

CHUNKS = 64  # parts of a parallel loop; fixed, so that results do not depend on the number of threads

_f = np.float32  # constants are single precision: one double would turn the whole expression into doubles
WEIGHTS = weight_polynomials().astype(np.float32)
SLOPES = slope_polynomials().astype(np.float32)


@inlined
def _weight(t: Any, q: int) -> Any:
    w = WEIGHTS
    return ((((w[5, q] * t + w[4, q]) * t + w[3, q]) * t + w[2, q]) * t + w[1, q]) * t + w[0, q]


@inlined
def _slope(t: Any, q: int) -> Any:
    w = SLOPES
    return (((w[4, q] * t + w[3, q]) * t + w[2, q]) * t + w[1, q]) * t + w[0, q]


@inlined
def weights(t: Any) -> Any:
    """Return B₅ at the six nodes around a point that lies a fraction ``t`` of a step after the third of them."""
    return _weight(t, 0), _weight(t, 1), _weight(t, 2), _weight(t, 3), _weight(t, 4), _weight(t, 5)


@inlined
def slopes(t: Any) -> Any:
    """Return the derivatives of the six weights by ``t``."""
    return _slope(t, 0), _slope(t, 1), _slope(t, 2), _slope(t, 3), _slope(t, 4), _slope(t, 5)


@kernel("f4[:,:] f8[:,:]! f8[:,:]!")
def _chunk_bounds(start: int, stop: int, Y: Array, low: Array, high: Array) -> None:
    n = Y.shape[0]
    for chunk in range(start, stop):
        first, last = chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS
        for k in range(Y.shape[1]):
            least, most = (
                _f(np.inf),
                _f(-np.inf),
            )  # of its own: threads that write to one cache line wait for each other
            for i in range(first, last):
                least = min(least, Y[i, k])
                most = max(most, Y[i, k])
            low[chunk, k] = least
            high[chunk, k] = most


def bounds(Y: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest and largest coordinate along each axis; numpy's own reduction takes 20 times as long."""
    low, high = np.empty((2, CHUNKS, Y.shape[1]))
    run = _chunk_bounds.over if len(Y) >= WORTH_SHARING else _chunk_bounds.alone
    run(CHUNKS, Y, low, high)
    return low.min(axis=0), high.max(axis=0)


@inlined
def points_of(ends: Any, band: int, copy: int, copies: int) -> Any:
    """Return where the points of a band that belong to a copy of the grid begin and end in the order of the bands."""
    chunk = band * CHUNKS + copy * CHUNKS // copies
    return ends[chunk - 1] if chunk > 0 else 0, ends[band * CHUNKS + (copy + 1) * CHUNKS // copies - 1]


@lru_cache
def spread(n_components: int) -> Kernel[Any]:
    """Return the kernel that adds a unit charge for every point: ρ(g) = Σ_i Π_k B₅(u_ik − g_k).

    It runs over every second band of rows, of the given parity, in each of some copies of the grid; see
    :class:`mrsne.backends.cpu.mesh.charges.Charges`.
    """
    second = SUPPORT if n_components > 1 else 1
    third = SUPPORT if n_components > 2 else 1

    @kernel("f4[:,:] f4[:] f4 i4[:] i8[:] i8 i8 f4[:,:,:,:]!")
    def spread_charges(
        start: int,
        stop: int,
        Y: Array,
        origin: Array,
        inverse_step: np.float32,
        order: Array,
        ends: Array,
        parity: int,
        copies: int,
        grids: Array,
    ) -> None:
        for task in range(start, stop):
            copy = task % copies
            first, last = points_of(ends, 2 * (task // copies) + parity, copy, copies)
            for position in range(first, last):
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
                            grids[copy, a + p, b + q, c + r] += line * wc[r] if third > 1 else line

    return spread_charges


@lru_cache
def gather(n_components: int) -> Kernel[Any]:
    """Return the kernel that reads Φ(y_i) = Σ_g φ(g) Π_k B₅(u_ik − g_k) and its gradient by y_i at every point.

    The gradient is that by u, times ``scale``. ``sums`` receives the sum of Φ, chunk by chunk.
    """
    second = SUPPORT if n_components > 1 else 1
    third = SUPPORT if n_components > 2 else 1

    @kernel("f4[:,:] f4[:] f4 f4 f4[:,:,:] f4[:]! f4[:,:]! f8[:]!")
    def gather_potential(
        start: int,
        stop: int,
        Y: Array,
        origin: Array,
        inverse_step: np.float32,
        scale: np.float32,
        grid: Array,
        potential: Array,
        gradient: Array,
        sums: Array,
    ) -> None:
        n = Y.shape[0]
        for chunk in range(start, stop):
            whole = 0.0
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
                whole += float(value)
                gradient[i, 0] = slope_a * scale
                if second > 1:
                    gradient[i, 1] = slope_b * scale
                if third > 1:
                    gradient[i, 2] = slope_c * scale
            sums[chunk] = whole

    return gather_potential
