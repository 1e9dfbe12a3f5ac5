"""Repulsion in O(n) on a GPU; see :mod:`mrsne.backends.cpu.mesh.mesh`, whose grids these are."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
import triton
from numpy.typing import NDArray

from mrsne.backends.gpu.mesh.plane import POINTS, UNIT, gather_in_the_plane, spread_in_the_plane
from mrsne.backends.grid import PADDING, choose_grid, influence, kernel_on_grid, squared_offsets
from mrsne.backends.kernel import CAUCHY, StudentKernel

GROWTH = 1.2  # grids come in sizes this far apart: a transform is cheap here, another plan and kernel are not
COPIES = 16  # of the grid of charges, where it is small: under exaggeration a million points are on a few nodes
COPIED_CELLS = 2**23  # in all copies together


class Mesh:
    """The potential of n points on a grid, in memory that is taken once for each size of grid.

    Parameters
    ----------
    n : int
    device : torch.device
    kernel : StudentKernel
        Positions are in its unit.
    """

    def __init__(self, n: int, device: torch.device, kernel: StudentKernel = CAUCHY) -> None:
        self.n, self.device, self.kernel = n, device, kernel
        self.place = torch.zeros(3, dtype=torch.float32, device=device)
        self.potentials = torch.empty(triton.cdiv(n, POINTS), dtype=torch.float64, device=device)
        self.gradient = torch.empty((n, 2), dtype=torch.float32, device=device)
        self.dof = torch.tensor([kernel.dof], dtype=torch.float64, device=device)
        self.shape: tuple[int, int] = (0, 0)
        self.small = False
        self._size: object = None

    def fit(self, low: NDArray[np.float64], high: NDArray[np.float64], step: float) -> bool:
        """Choose the grid for points within bounds; return whether its memory is another than before."""
        width, shape, small = choose_grid(high - low, self.kernel.cell_width(step), GROWTH, self.kernel)
        origin = (low - 0.5 * width).astype(np.float32)
        self.place.copy_(torch.tensor([*origin.tolist(), 1 / width], dtype=torch.float32))
        if self._size == (shape, width, small):
            return False
        moved = shape != self.shape or small != self.small
        self._size = (shape, width, small)
        spectrum = kernel_spectrum((shape[0], shape[1]), width, small, self.kernel, self.device)
        if moved:
            self.shape, self.small = (shape[0], shape[1]), small
            used = [(cells - PADDING) // 2 for cells in shape]
            copies = max(1, min(COPIES, COPIED_CELLS // (used[0] * used[1])))
            self.charges = torch.zeros((copies, *used), dtype=torch.int64, device=self.device)
            self.padded = torch.zeros(self.shape, dtype=torch.float32, device=self.device)
            self.spectrum = spectrum.clone()
        else:
            self.spectrum.copy_(spectrum)
        return moved

    def repulsion(self, Y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return Z, a scalar on the device, and ∇Φ, which is −2 times the unnormalised repulsive force."""
        self.charges.zero_()
        spread_in_the_plane(Y, self.place, self.charges)
        _, rows, columns = self.charges.shape
        torch.mul(self.charges.sum(dim=0), 1 / UNIT, out=self.padded[:rows, :columns])
        spectral = torch.fft.rfft2(self.padded)
        spectral *= self.spectrum
        potential = torch.fft.irfft2(spectral, s=self.shape)
        bulk = self._bulk(Y) if self.small else None
        gather_in_the_plane(Y, self.place, bulk, potential, self.potentials, self.gradient)
        return self.potentials.sum() - self.n, self.gradient

    def _bulk(self, Y: torch.Tensor) -> torch.Tensor:
        """Return mean and variance of the points, and α, in double precision."""
        exact = Y.double()
        mean = exact.mean(dim=0)
        variance = ((exact - mean) ** 2).sum().reshape(1) / self.n
        return torch.cat([mean, variance, self.dof])


@lru_cache(maxsize=4)
def kernel_spectrum(
    shape: tuple[int, int], width: float, small: bool, kernel: StudentKernel, device: torch.device
) -> torch.Tensor:
    """Return the spectrum of the kernel, corrected for the splines' own, with one half along the last axis."""
    squared = [torch.from_numpy(squared_offsets(cells, width)).float().to(device) for cells in shape]
    values = kernel_on_grid(squared[0][:, None] + squared[1][None, :], small, kernel)
    correction = [
        torch.tensor(influence(cells, axis == 1), dtype=torch.float32, device=device)
        for axis, cells in enumerate(shape)
    ]
    spectrum: torch.Tensor = torch.fft.rfft2(values).real * correction[0][:, None] * correction[1][None, :]
    return spectrum
