"""Repulsion in O(n) on a GPU: unit charges onto a grid, and a potential back from it.

See :mod:`mrsne.backends.cpu.mesh`, whose grids these are. Charges are added as whole numbers of 2⁻³², so that their sum
does not depend on the order in which threads come.
"""

from functools import lru_cache

import numpy as np
import torch
import triton
import triton.language as tl
from torch import Tensor

from mrsne.arrays import Float64
from mrsne.backends import grid as grids
from mrsne.backends.kernel import CAUCHY, StudentKernel

GROWTH = 1.2  # grids come in sizes this far apart: a transform is cheap here, another plan and kernel are not
COPIES = 16  # of the grid of charges, where it is small: under exaggeration a million points are on a few nodes
COPIED_CELLS = 2**23  # in all copies together
POINTS = 128  # that one program works on
UNIT = 2.0**32  # a charge of 1
# of each node, by power of t
WEIGHTS = tl.constexpr(tuple(tuple(node) for node in grids.weight_polynomials().T.tolist()))
SLOPES = tl.constexpr(tuple(tuple(node) for node in grids.slope_polynomials().T.tolist()))


class Mesh:
    """The potential of n points, in units of the kernel, on a grid whose memory is allocated once for each size."""

    def __init__(self, n: int, device: torch.device, kernel: StudentKernel = CAUCHY) -> None:
        self.n, self.device, self.kernel = n, device, kernel
        self.place = torch.zeros(3, dtype=torch.float32, device=device)
        self.potentials = torch.empty(triton.cdiv(n, POINTS), dtype=torch.float64, device=device)
        self.gradient = torch.empty((n, 2), dtype=torch.float32, device=device)
        self.dof = torch.tensor([kernel.dof], dtype=torch.float64, device=device)
        self.shape: tuple[int, int] = (0, 0)
        self.small = False
        self._size: object = None

    def fit(self, low: Float64, high: Float64, step: float) -> bool:
        """Choose the grid for points within bounds; return whether its memory has changed."""
        width, shape, small = grids.choose_grid(high - low, self.kernel.cell_width(step), GROWTH, self.kernel)
        origin = (low - 0.5 * width).astype(np.float32)
        self.place.copy_(torch.tensor([*origin.tolist(), 1 / width], dtype=torch.float32))
        if self._size == (shape, width, small):
            return False
        moved = shape != self.shape or small != self.small
        self._size = (shape, width, small)
        spectrum = kernel_spectrum((shape[0], shape[1]), width, small, self.kernel, self.device)
        if moved:
            self.shape, self.small = (shape[0], shape[1]), small
            used = [(cells - grids.PADDING) // 2 for cells in shape]
            copies = max(1, min(COPIES, COPIED_CELLS // (used[0] * used[1])))
            self.charges = torch.zeros((copies, *used), dtype=torch.int64, device=self.device)
            self.padded = torch.zeros(self.shape, dtype=torch.float32, device=self.device)
            self.spectrum = spectrum.clone()
        else:
            self.spectrum.copy_(spectrum)
        return moved

    def repulsion(self, Y: Tensor) -> tuple[Tensor, Tensor]:
        """Return Z, a scalar on the device, and ∇Φ, which is −2 times the unnormalised repulsive force."""
        self.charges.zero_()
        self.spread(Y)
        _, rows, columns = self.charges.shape
        torch.mul(self.charges.sum(dim=0), 1 / UNIT, out=self.padded[:rows, :columns])
        spectral = torch.fft.rfft2(self.padded)
        spectral *= self.spectrum
        potential = torch.fft.irfft2(spectral, s=self.shape)
        self.gather(Y, potential)
        return self.potentials.sum() - self.n, self.gradient

    def spread(self, Y: Tensor) -> None:
        """Add a unit charge for every point to copies of the grid, whose sum is then the grid."""
        copies, rows, width = self.charges.shape
        sizes = (self.n, width, rows * width, copies)
        _spread[(triton.cdiv(self.n, POINTS),)](Y, self.place, self.charges, *sizes, UNIT=UNIT, POINTS=POINTS)

    def gather(self, Y: Tensor, potential: Tensor) -> None:
        """Read the gradient of the potential at every point, and the sum of the potential over each run of points."""
        bulk = self._bulk(Y) if self.small else self.place
        out = (self.potentials, self.gradient, self.n, potential.shape[1])
        _gather[(triton.cdiv(self.n, POINTS),)](Y, self.place, bulk, potential, *out, SMALL=self.small, POINTS=POINTS)

    def _bulk(self, Y: Tensor) -> Tensor:
        """Return mean and variance of the points, and α, in double precision."""
        exact = Y.double()
        mean = exact.mean(dim=0)
        variance = ((exact - mean) ** 2).sum().reshape(1) / self.n
        return torch.cat([mean, variance, self.dof])


@lru_cache(maxsize=4)
def kernel_spectrum(
    shape: tuple[int, int], width: float, small: bool, kernel: StudentKernel, device: torch.device
) -> Tensor:
    """Return the spectrum of the kernel, corrected for the splines' own, with one half along the last axis."""
    squared = [torch.from_numpy(grids.squared_offsets(cells, width)).float().to(device) for cells in shape]
    values = grids.kernel_on_grid(squared[0][:, None] + squared[1][None, :], small, kernel)
    correction = [
        torch.tensor(grids.influence(cells, axis == 1), dtype=torch.float32, device=device)
        for axis, cells in enumerate(shape)
    ]
    spectrum: Tensor = torch.fft.rfft2(values).real * correction[0][:, None] * correction[1][None, :]
    return spectrum


@triton.jit
def weight(t, q: tl.constexpr):
    """Return B₅ at node q of the six around a point that lies a fraction t of a step after the third of them."""
    c: tl.constexpr = WEIGHTS[q]
    return ((((c[5] * t + c[4]) * t + c[3]) * t + c[2]) * t + c[1]) * t + c[0]


@triton.jit
def slope(t, q: tl.constexpr):
    c: tl.constexpr = SLOPES[q]
    return (((c[4] * t + c[3]) * t + c[2]) * t + c[1]) * t + c[0]


@triton.jit
def _spread(Y, place, grid, n, width, cells, copies, UNIT: tl.constexpr, POINTS: tl.constexpr):
    """Add Π_k B₅(u_ik − g_k) of every point i to the six times six nodes g around it, in one of several copies.

    Rows that are close in memory are close on the map: threads of one program take rows far apart, and seldom wait.
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
