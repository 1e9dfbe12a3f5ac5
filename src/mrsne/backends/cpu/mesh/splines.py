"""Unit charges onto a grid with quintic B-splines, and a potential and its slope back.

A grid always has three axes on a line and in space, the unused ones of length 1. In the plane, where nearly every map
is, a row of the spline's nodes is in one register, which takes a third of the time: six nodes, and two more lanes whose
weights are zero.
"""

from functools import lru_cache

import numpy as np

from mrsne.arrays import Float32, Float64
from mrsne.backends.cpu.mesh.charges import CHUNKS, points_of
from mrsne.backends.grid import SUPPORT, slope_polynomials, weight_polynomials
from mrsne.lanes import lane, put, spread_out8, take8, total
from mrsne.loops import Kernel, inlined, kernel

LANES = 8
_u = np.uint64
_f = np.float32  # constants are single precision: one double would turn the whole expression into doubles
WEIGHTS = weight_polynomials().astype(np.float32)
SLOPES = slope_polynomials().astype(np.float32)


@inlined
def _weight(t, q):
    w = WEIGHTS
    return ((((w[5, q] * t + w[4, q]) * t + w[3, q]) * t + w[2, q]) * t + w[1, q]) * t + w[0, q]


@inlined
def _slope(t, q):
    w = SLOPES
    return (((w[4, q] * t + w[3, q]) * t + w[2, q]) * t + w[1, q]) * t + w[0, q]


@inlined
def weights(t):
    """Return B₅ at the six nodes around a point that lies a fraction ``t`` of a step after the third of them."""
    return _weight(t, 0), _weight(t, 1), _weight(t, 2), _weight(t, 3), _weight(t, 4), _weight(t, 5)


@inlined
def slopes(t):
    return _slope(t, 0), _slope(t, 1), _slope(t, 2), _slope(t, 3), _slope(t, 4), _slope(t, 5)


@inlined
def _place(Y, i, k, origin, inverse_step):
    """Return the first node that a point touches along an axis, and how far beyond the third node it lies."""
    u = (Y[i, k] - origin[k]) * inverse_step
    return int(u), u - _f(int(u))


@lru_cache
def spread(n_components: int) -> Kernel:
    """Return the loop that adds a unit charge for every point, ρ(g) = Σ_i Π_k B₅(u_ik − g_k), in 1 or 3 dimensions.

    It runs over every second band of rows, of the given parity, in each of some copies of the grid.
    """
    solid = n_components == 3

    @kernel("f4[:,:] f4[:] f4 i4[:] i8[:] i8 i8 f4[:,:,:,:]!")
    def spread_charges(start, stop, Y, origin, inverse_step, order, ends, parity, copies, grids):
        for task in range(start, stop):
            copy = task % copies
            first, last = points_of(ends, 2 * (task // copies) + parity, copy, copies)
            for position in range(first, last):
                i = order[position]
                a, t = _place(Y, i, 0, origin, inverse_step)
                wa = weights(t)
                if solid:
                    b, t = _place(Y, i, 1, origin, inverse_step)
                    c, s = _place(Y, i, 2, origin, inverse_step)
                    wb, wc = weights(t), weights(s)
                for p in range(SUPPORT):
                    if solid:
                        for q in range(SUPPORT):
                            line = wa[p] * wb[q]
                            for r in range(SUPPORT):
                                grids[copy, a + p, b + q, c + r] += line * wc[r]
                    else:
                        grids[copy, a + p, 0, 0] += wa[p]

    return spread_charges


@inlined
def _read_line(grid, a, t):
    wa, sa = weights(t), slopes(t)
    value, slope = _f(0), _f(0)
    for p in range(SUPPORT):
        value += grid[a + p, 0, 0] * wa[p]
        slope += grid[a + p, 0, 0] * sa[p]
    return value, slope


@inlined
def _read_cube(grid, a, b, c, t, s, r):
    wa, wb, wc, sa, sb, sc = weights(t), weights(s), weights(r), slopes(t), slopes(s), slopes(r)
    value, slope_a, slope_b, slope_c = _f(0), _f(0), _f(0), _f(0)
    for p in range(SUPPORT):
        plane, plane_b, plane_c = _f(0), _f(0), _f(0)
        for q in range(SUPPORT):
            line, line_c = _f(0), _f(0)
            for k in range(SUPPORT):
                node = grid[a + p, b + q, c + k]
                line += node * wc[k]
                line_c += node * sc[k]
            plane += line * wb[q]
            plane_b += line * sb[q]
            plane_c += line_c * wb[q]
        value += plane * wa[p]
        slope_a += plane * sa[p]
        slope_b += plane_b * wa[p]
        slope_c += plane_c * wa[p]
    return value, slope_a, slope_b, slope_c


@lru_cache
def gather(n_components: int) -> Kernel:
    """Return the loop that reads Φ(y_i) = Σ_g φ(g) Π_k B₅(u_ik − g_k) and ``scale`` ∇Φ, by u, in 1 or 3 dimensions."""
    solid = n_components == 3

    @kernel("f4[:,:] f4[:] f4 f4 f4[:,:,:] f4[:]! f4[:,:]! f8[:]!")
    def gather_potential(start, stop, Y, origin, inverse_step, scale, grid, potential, gradient, sums):
        n = Y.shape[0]
        for chunk in range(start, stop):
            whole = 0.0
            for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
                a, t = _place(Y, i, 0, origin, inverse_step)
                if solid:
                    b, s = _place(Y, i, 1, origin, inverse_step)
                    c, r = _place(Y, i, 2, origin, inverse_step)
                    value, slope, slope_b, slope_c = _read_cube(grid, a, b, c, t, s, r)
                    gradient[i, 1] = slope_b * scale
                    gradient[i, 2] = slope_c * scale
                else:
                    value, slope = _read_line(grid, a, t)
                gradient[i, 0] = slope * scale
                potential[i] = value
                whole += float(value)
            sums[chunk] = whole

    return gather_potential


def _in_lanes(coefficients: Float64) -> Float32:
    padded = np.zeros((len(coefficients), LANES), np.float32)
    padded[:, :SUPPORT] = coefficients
    return padded.ravel()


WEIGHT_LANES = _in_lanes(weight_polynomials())
SLOPE_LANES = _in_lanes(slope_polynomials())


@inlined
def _in_one_register(coefficients, degree, t):
    """Return the polynomials of all nodes at t."""
    s = spread_out8(t)
    value = take8(coefficients, _u(degree * LANES))
    for power in range(degree - 1, -1, -1):
        value = value * s + take8(coefficients, _u(power * LANES))
    return value


@inlined
def weights_at(t):
    return _in_one_register(WEIGHT_LANES, 5, t)


@inlined
def slopes_at(t):
    return _in_one_register(SLOPE_LANES, 4, t)


@kernel("f4[:,:] f4[:] f4 i4[:] i8[:] i8 i8 i8 f4[:,:]!")
def spread_in_the_plane(start, stop, Y, origin, inverse_step, order, ends, parity, copies, width, grids):
    """Add a unit charge for every point; see :func:`spread`."""
    for task in range(start, stop):
        grid = grids[task % copies]
        first, last = points_of(ends, 2 * (task // copies) + parity, task % copies, copies)
        for position in range(first, last):
            i = order[position]
            u = (Y[i, 0] - origin[0]) * inverse_step
            v = (Y[i, 1] - origin[1]) * inverse_step
            a, b = int(u), int(v)
            down, across = weights_at(u - _f(a)), weights_at(v - _f(b))
            place = _u(a * width + b)
            for p in range(_u(SUPPORT)):
                put(grid, place, take8(grid, place) + across * spread_out8(lane(down, p)))
                place += _u(width)


@kernel("f4[:,:] f4[:] f4 f4 i8 f4[:] f4[:]! f4[:,:]! f8[:]!")
def gather_in_the_plane(start, stop, Y, origin, inverse_step, scale, width, grid, potential, gradient, sums):
    """Read the potential and its gradient at every point; see :func:`gather`."""
    n = Y.shape[0]
    for chunk in range(start, stop):
        whole = 0.0
        for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            u = (Y[i, 0] - origin[0]) * inverse_step
            v = (Y[i, 1] - origin[1]) * inverse_step
            a, b = int(u), int(v)
            down, down_slope = weights_at(u - _f(a)), slopes_at(u - _f(a))
            across, across_slope = weights_at(v - _f(b)), slopes_at(v - _f(b))
            place = _u(a * width + b)
            line = take8(grid, place)
            value = line * spread_out8(lane(down, _u(0)))
            slope = line * spread_out8(lane(down_slope, _u(0)))
            for p in range(_u(1), _u(SUPPORT)):
                place += _u(width)
                line = take8(grid, place)
                value = value + line * spread_out8(lane(down, p))
                slope = slope + line * spread_out8(lane(down_slope, p))
            here = total(value * across)
            potential[i] = here
            whole += here
            gradient[i, 0] = total(slope * across) * scale
            gradient[i, 1] = total(value * across_slope) * scale
        sums[chunk] = whole
