"""Spreading and gathering in the plane, where nearly every map is: a row of the spline's nodes in one register.

The same as :mod:`mrsne.backends.cpu.mesh.splines` does for any number of coordinates, three times as fast. A row has
six nodes and two more lanes, whose weights are zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.cpu.mesh.charges import CHUNKS, points_of
from mrsne.backends.grid import SUPPORT, slope_polynomials, weight_polynomials
from mrsne.lanes import lane, put, spread_out8, take8, total
from mrsne.loops import inlined, kernel

LANES = 8
_f, _u = np.float32, np.uint64


def _in_lanes(coefficients: NDArray[np.float64]) -> NDArray[np.float32]:
    padded = np.zeros((len(coefficients), LANES), np.float32)
    padded[:, :SUPPORT] = coefficients
    return padded.ravel()


WEIGHTS = _in_lanes(weight_polynomials())
SLOPES = _in_lanes(slope_polynomials())


@inlined
def weights_at(t):
    """Return the weights of the nodes in one register."""
    s = spread_out8(t)
    value = take8(WEIGHTS, _u(5 * LANES))
    value = value * s + take8(WEIGHTS, _u(4 * LANES))
    value = value * s + take8(WEIGHTS, _u(3 * LANES))
    value = value * s + take8(WEIGHTS, _u(2 * LANES))
    value = value * s + take8(WEIGHTS, _u(LANES))
    return value * s + take8(WEIGHTS, _u(0))


@inlined
def slopes_at(t):
    """Return the derivatives of the weights by t."""
    s = spread_out8(t)
    value = take8(SLOPES, _u(4 * LANES))
    value = value * s + take8(SLOPES, _u(3 * LANES))
    value = value * s + take8(SLOPES, _u(2 * LANES))
    value = value * s + take8(SLOPES, _u(LANES))
    return value * s + take8(SLOPES, _u(0))


@kernel("f4[:,:] f4[:] f4 i4[:] i8[:] i8 i8 i8 f4[:,:]!")
def spread_in_the_plane(start, stop, Y, origin, inverse_step, order, ends, parity, copies, width, grids):
    """Add a unit charge for every point; see :func:`mrsne.backends.cpu.mesh.splines.spread`."""
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
    """Read the potential and its gradient at every point; see :func:`mrsne.backends.cpu.mesh.splines.gather`."""
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
