"""Repulsion between all pairs on a GPU; see :mod:`mrsne.backends.cpu.repulsion`."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from mrsne.backends.gpu.kernel import falloff, similarity

TILE = 64


@triton.jit
def _all_pairs(Y, potentials, force, factor, n, CAUCHY: tl.constexpr, TILE: tl.constexpr):
    """Sum w_ij and α w_ij f_ij (y_i − y_j) over all j, with f_ij = 1/(1+‖y_i−y_j‖²) and w = f^α."""
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    here = i < n
    x = tl.load(Y + 2 * i, mask=here, other=0.0)
    y = tl.load(Y + 2 * i + 1, mask=here, other=0.0)
    total = tl.zeros((TILE,), tl.float64)
    fx = tl.zeros((TILE,), tl.float64)
    fy = tl.zeros((TILE,), tl.float64)
    dof = tl.load(factor)
    start = 0
    while start < n:
        j = start + tl.arange(0, TILE)
        there = j < n
        dx = x[:, None] - tl.load(Y + 2 * j, mask=there, other=0.0)[None, :]
        dy = y[:, None] - tl.load(Y + 2 * j + 1, mask=there, other=0.0)[None, :]
        f = falloff(dx * dx + dy * dy)
        w = tl.where(there[None, :], similarity(f, dof, CAUCHY), 0.0)
        total += tl.sum(w, 1).to(tl.float64)
        fx += tl.sum(w * f * dx, 1).to(tl.float64)
        fy += tl.sum(w * f * dy, 1).to(tl.float64)
        start += TILE
    tl.store(potentials + tl.program_id(0), tl.sum(tl.where(here, total, 0.0), 0))
    tl.store(force + 2 * i, (dof * fx).to(tl.float32), mask=here)
    tl.store(force + 2 * i + 1, (dof * fy).to(tl.float32), mask=here)


def exact_repulsion(Y: torch.Tensor, dof: torch.Tensor, cauchy: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Return Z = Σ_{i≠j} w_ij, a scalar on the device, and −½ ∇Φ, the force on every point, in units of the kernel.

    ``dof`` holds α, one number on the device.
    """
    count = triton.cdiv(len(Y), TILE)
    potentials = torch.empty(count, dtype=torch.float64, device=Y.device)
    force = torch.empty_like(Y)
    _all_pairs[(count,)](Y, potentials, force, dof, len(Y), CAUCHY=cauchy, TILE=TILE)
    return potentials.sum() - len(Y), force
