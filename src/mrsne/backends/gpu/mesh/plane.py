"""Unit charges onto a grid and a potential back from it, on a GPU; see :mod:`mrsne.backends.cpu.mesh.plane`.

Charges are added as whole numbers of 2⁻³², so that their sum does not depend on the order in which threads come.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from mrsne.backends.grid import slope_polynomials, weight_polynomials

POINTS = 128  # that one program works on
UNIT = 2.0**32  # a charge of 1
WEIGHTS = tl.constexpr(tuple(tuple(node) for node in weight_polynomials().T.tolist()))  # of each node, by power of t
SLOPES = tl.constexpr(tuple(tuple(node) for node in slope_polynomials().T.tolist()))


@triton.jit
def weight(t, q: tl.constexpr):
    """Return B₅ at node q of the six around a point that lies a fraction t of a step after the third of them."""
    c: tl.constexpr = WEIGHTS[q]
    return ((((c[5] * t + c[4]) * t + c[3]) * t + c[2]) * t + c[1]) * t + c[0]


@triton.jit
def slope(t, q: tl.constexpr):
    """Return the derivative of a weight by t."""
    c: tl.constexpr = SLOPES[q]
    return (((c[4] * t + c[3]) * t + c[2]) * t + c[1]) * t + c[0]


@triton.jit
def _spread(Y, place, grid, n, width, cells, copies, UNIT: tl.constexpr, POINTS: tl.constexpr):
    """Add Π_k B₅(u_ik − g_k) of every point i to the six times six nodes g around it.

    Rows that are close in memory are close on the map: threads of one program take rows far apart, and programs take
    turns with several copies of the grid, so that few of them wait for each other at the same node.
    """
    i = tl.arange(0, POINTS) * tl.num_programs(0) + tl.program_id(0)
    here = i < n
    u = (tl.load(Y + 2 * i, mask=here, other=0.0) - tl.load(place)) * tl.load(place + 2)
    v = (tl.load(Y + 2 * i + 1, mask=here, other=0.0) - tl.load(place + 1)) * tl.load(place + 2)
    a, b = u.to(tl.int32), v.to(tl.int32)
    s, t = u - a.to(tl.float32), v - b.to(tl.float32)
    node = a * width + b + tl.program_id(0) % copies * cells
    for p in tl.static_range(6):
        down = weight(s, p) * UNIT
        for q in tl.static_range(6):
            charge = (down * weight(t, q)).to(tl.int64)
            tl.atomic_add(grid + node + p * width + q, charge, mask=here, sem="relaxed")


@triton.jit
def _gather(Y, place, bulk, grid, potentials, gradient, n, width, SMALL: tl.constexpr, POINTS: tl.constexpr):
    """Read Φ(y_i) = Σ_g φ(g) Π_k B₅(u_ik − g_k) and its gradient; in a small map add the bulk in closed form."""
    i = tl.program_id(0) * POINTS + tl.arange(0, POINTS)
    here = i < n
    inverse_step = tl.load(place + 2)
    x = tl.load(Y + 2 * i, mask=here, other=0.0)
    y = tl.load(Y + 2 * i + 1, mask=here, other=0.0)
    u, v = (x - tl.load(place)) * inverse_step, (y - tl.load(place + 1)) * inverse_step
    a, b = u.to(tl.int32), v.to(tl.int32)
    s, t = u - a.to(tl.float32), v - b.to(tl.float32)
    node = a * width + b
    value = tl.zeros((POINTS,), tl.float32)
    gx = tl.zeros((POINTS,), tl.float32)
    gy = tl.zeros((POINTS,), tl.float32)
    for p in tl.static_range(6):
        line = tl.zeros((POINTS,), tl.float32)
        line_slope = tl.zeros((POINTS,), tl.float32)
        for q in tl.static_range(6):
            phi = tl.load(grid + node + p * width + q, mask=here, other=0.0)
            line += phi * weight(t, q)
            line_slope += phi * slope(t, q)
        value += line * weight(s, p)
        gx += line * slope(s, p)
        gy += line_slope * weight(s, p)
    gx, gy = gx * inverse_step, gy * inverse_step
    total = value.to(tl.float64)
    if SMALL:  # n (1 − α ‖y−ȳ‖² − α variance), and its gradient −2nα (y−ȳ)
        dof = tl.load(bulk + 3)
        dx, dy = x.to(tl.float64) - tl.load(bulk), y.to(tl.float64) - tl.load(bulk + 1)
        total += n * (1.0 - dof * (dx * dx + dy * dy + tl.load(bulk + 2)))
        gx += (-2.0 * n * dof * dx).to(tl.float32)
        gy += (-2.0 * n * dof * dy).to(tl.float32)
    tl.store(potentials + tl.program_id(0), tl.sum(tl.where(here, total, 0.0), 0))
    tl.store(gradient + 2 * i, gx, mask=here)
    tl.store(gradient + 2 * i + 1, gy, mask=here)


def spread_in_the_plane(Y: torch.Tensor, place: torch.Tensor, grid: torch.Tensor) -> None:
    """Add a unit charge for every point to copies of a grid of int64, whose sum is then the grid.

    ``place`` holds the origin of the grid and 1 / cell width.
    """
    copies, rows, width = grid.shape
    programs = (triton.cdiv(len(Y), POINTS),)
    _spread[programs](Y, place, grid, len(Y), width, rows * width, copies, UNIT=UNIT, POINTS=POINTS)


def gather_in_the_plane(
    Y: torch.Tensor,
    place: torch.Tensor,
    bulk: torch.Tensor | None,
    grid: torch.Tensor,
    potentials: torch.Tensor,
    gradient: torch.Tensor,
) -> None:
    """Read the gradient of the potential at every point, and the sum of the potential over each run of points."""
    small = bulk is not None
    given = bulk if bulk is not None else place
    count = (triton.cdiv(len(Y), POINTS),)
    _gather[count](Y, place, given, grid, potentials, gradient, len(Y), grid.shape[1], SMALL=small, POINTS=POINTS)
