"""Repulsion between all pairs on a GPU; see :mod:`mrsne.backends.cpu.forces.repulsion`."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

TILE = 64


@triton.jit
def _all_pairs(Y, potentials, force, n, TILE: tl.constexpr):
    """Sum q_ij and q_ij² (y_i − y_j) over all j, with q_ij = 1/(1+‖y_i−y_j‖²)."""
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    here = i < n
    x = tl.load(Y + 2 * i, mask=here, other=0.0)
    y = tl.load(Y + 2 * i + 1, mask=here, other=0.0)
    total = tl.zeros((TILE,), tl.float64)
    fx = tl.zeros((TILE,), tl.float64)
    fy = tl.zeros((TILE,), tl.float64)
    start = 0
    while start < n:
        j = start + tl.arange(0, TILE)
        there = j < n
        dx = x[:, None] - tl.load(Y + 2 * j, mask=there, other=0.0)[None, :]
        dy = y[:, None] - tl.load(Y + 2 * j + 1, mask=there, other=0.0)[None, :]
        q = tl.where(there[None, :], 1.0 / (1.0 + dx * dx + dy * dy), 0.0)
        total += tl.sum(q, 1).to(tl.float64)
        fx += tl.sum(q * q * dx, 1).to(tl.float64)
        fy += tl.sum(q * q * dy, 1).to(tl.float64)
        start += TILE
    tl.store(potentials + tl.program_id(0), tl.sum(tl.where(here, total, 0.0), 0))
    tl.store(force + 2 * i, fx.to(tl.float32), mask=here)
    tl.store(force + 2 * i + 1, fy.to(tl.float32), mask=here)


def exact_repulsion(Y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return Z = Σ_{i≠j} q_ij, a scalar on the device, and the force Σ_j q_ij² (y_i − y_j) on every point."""
    count = triton.cdiv(len(Y), TILE)
    potentials = torch.empty(count, dtype=torch.float64, device=Y.device)
    force = torch.empty_like(Y)
    _all_pairs[(count,)](Y, potentials, force, len(Y), TILE=TILE)
    return potentials.sum() - len(Y), force
