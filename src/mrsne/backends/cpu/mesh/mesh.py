"""Repulsion in O(n): one potential on a grid, one forward and one inverse FFT.

Unit charges are spread with B-splines, convolved with the kernel w on a doubled grid (so that the map does not wrap
around), and the potential Φ is gathered with the spline and its derivative; see :mod:`mrsne.backends.kernel`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mrsne.arrays import Float32, Float64
from mrsne.backends.cpu.mesh.charges import CHUNKS, Charges, bounds
from mrsne.backends.cpu.mesh.convolution import Convolution, ScipyConvolution, convolve, grid_width, kernel_spectrum
from mrsne.backends.cpu.mesh.splines import gather, gather_in_the_plane, spread, spread_in_the_plane
from mrsne.backends.grid import FINE_STEP, PADDING, choose_grid
from mrsne.backends.kernel import CAUCHY, StudentKernel
from mrsne.loops import kernel
from mrsne.parameters import is_switched_off

Limits = tuple[Float64, Float64]  # smallest and largest coordinates


@dataclass(frozen=True)
class Bulk:
    """The part Σ_j (1 − α ‖y−y_j‖²) of the potential of a small map, for which a mesh would be too coarse."""

    n: int
    mean: Float64
    variance: float
    dof: float

    @classmethod
    def of(cls, Y: Float32, kernel: StudentKernel) -> Bulk:
        """Return that of some points, in units of the kernel."""
        sums, squares = np.empty((CHUNKS, Y.shape[1])), np.empty(CHUNKS)
        _moments.over(CHUNKS, Y, np.zeros(Y.shape[1]), sums, squares)
        mean = sums.sum(axis=0) / len(Y)
        _moments.over(CHUNKS, Y, mean, sums, squares)
        return cls(len(Y), mean, float(squares.sum()) / len(Y), kernel.dof)

    def add_to(self, Y: Float32, factor: float, potential: Float32, gradient: Float32, sums: Float64) -> None:
        """Add n (1 − α ‖y−ȳ‖² − α · variance) to the potential, and ``factor`` times −2nα (y − ȳ) to its gradient."""
        constant, slope = self.n * (1 - self.dof * self.variance), self.n * self.dof
        _add_bulk.over(CHUNKS, Y, self.mean, constant, slope, np.float32(factor), potential, gradient, sums)

    def sum(self) -> float:
        return self.n * self.n * (1 - 2 * self.dof * self.variance)


class Mesh:
    """The potential of points on a grid that depends on their bounds alone: the same points give the same bits."""

    def __init__(self, n_components: int, step: float = FINE_STEP, kernel: StudentKernel = CAUCHY) -> None:
        self.n_components = n_components
        self.step = step
        self.kernel = kernel
        self.bulk: Bulk | None = None
        self.potential = np.empty((0,) * max(2, n_components), np.float32)
        self._size: tuple[Any, ...] = ()
        self._charges = Charges(self._spread)
        self._found = np.empty(0, np.float32), np.empty((0, n_components), np.float32)  # potential and gradient
        self._sums = np.empty(CHUNKS)  # of the potential, chunk by chunk

    def too_wide(self, limits: Limits, step: float) -> bool:
        """Return whether the largest grid would have to be coarser than ``step`` for points within limits."""
        low, high = limits
        cell = self.kernel.cell_width(step)
        return choose_grid(high - low, cell, kernel=self.kernel)[0] > cell

    def repulsion(self, Y: Float32, limits: Limits | None = None) -> tuple[float, Float32]:
        """Return Z and −½ ∇Φ, the unnormalised repulsive force, on every point; ``limits`` are those of the points."""
        self.charge(Y, limits=limits)
        _, force = self.read(Y, factor=-0.5)
        return float(self._sums.sum()) - Y.shape[0], force

    def charge(self, Y: Float32, margin: float = 0.0, limits: Limits | None = None) -> None:
        """Compute the potential of the given points at every node of a grid that reaches ``margin`` beyond them."""
        low, high = bounds(Y) if limits is None else limits
        self.fit(low - margin, high + margin)
        self.bulk = Bulk.of(Y, self.kernel) if self.small else None
        self.convolve(self.charges(Y))

    def fit(self, low: Float64, high: Float64) -> None:
        self._width, shape, self.small = choose_grid(high - low, self.kernel.cell_width(self.step), kernel=self.kernel)
        self._origin = (low - 0.5 * self._width).astype(np.float32)
        self._used: Any = tuple((cells - PADDING) // 2 for cells in shape)
        self._wanted: Any = (shape, self._width, self.small, self.kernel)

    def charges(self, Y: Float32) -> Float32:
        """Return the charges of points on the grid, in the same memory at every call; those of several sets add up."""
        plane = self.n_components == 2
        shape = (self._used[0], grid_width(self._used[1])) if plane else self._used + (1,) * (3 - self.n_components)
        self.potential = self._charges(Y, self._origin, np.float32(1 / self._width), shape)
        return self.potential

    def _spread(self, tasks: int, points: Any, grids: Float32) -> None:
        if self.n_components == 2:
            arguments: tuple[Any, ...] = (*points, grids.shape[2], grids.reshape(len(grids), -1))
            spread_in_the_plane.over(tasks, *arguments)
        else:
            spread(self.n_components).over(tasks, *points, grids)

    def convolve(self, charges: Float32) -> Float32:
        """Turn charges into their potential, which is in the memory of the charges where the map is a plane."""
        if self.n_components == 2:
            if self._size != self._wanted:
                self._size = self._wanted
                convolution: Any = ScipyConvolution if is_switched_off("transforms") else Convolution
                self._convolution = convolution(kernel_spectrum(*self._wanted), self._used, self._wanted[0])
            self.potential = self._convolution(charges)
        else:
            grid = charges.reshape(self._used)
            potential = convolve(grid, kernel_spectrum(*self._wanted), self._wanted[0])
            self.potential = potential.reshape(charges.shape)
        return self.potential

    def read(self, Y: Float32, factor: float = 1.0) -> tuple[Float32, Float32]:
        """Return Φ and ``factor`` times its gradient at points within the grid, in the same memory at every call."""
        if len(self._found[0]) != len(Y):
            self._found = np.empty(len(Y), np.float32), np.empty(Y.shape, np.float32)
        inverse_step = np.float32(1 / self._width)
        points = (Y, self._origin, inverse_step, np.float32(factor) * inverse_step)
        if self.n_components == 2:
            gather_in_the_plane.over(
                CHUNKS, *points, self.potential.shape[1], self.potential.ravel(), *self._found, self._sums
            )
        else:
            gather(self.n_components).over(CHUNKS, *points, self.potential, *self._found, self._sums)
        if self.bulk is not None:
            self.bulk.add_to(Y, factor, *self._found, self._sums)
        return self._found


@kernel("f4[:,:] f8[:] f8[:,:]! f8[:]!")
def _moments(start, stop, Y, mean, sums, squares):
    n, K = Y.shape
    for chunk in range(start, stop):
        every = 0.0
        for k in range(K):
            total = 0.0
            for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
                difference = np.float64(Y[i, k]) - mean[k]
                total += difference
                every += difference * difference
            sums[chunk, k] = total
        squares[chunk] = every


@kernel("f4[:,:] f8[:] f8 f8 f4 f4[:]! f4[:,:]! f8[:]!")
def _add_bulk(start, stop, Y, mean, constant, slope, factor, potential, gradient, sums):
    n, K = Y.shape
    for chunk in range(start, stop):
        whole = 0.0
        for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            squared = 0.0
            for k in range(K):
                difference = np.float64(Y[i, k]) - mean[k]
                squared += difference * difference
                gradient[i, k] += np.float32(-2 * slope * difference) * factor
            here = potential[i] + np.float32(constant - slope * squared)
            potential[i] = here
            whole += here
        sums[chunk] = whole
