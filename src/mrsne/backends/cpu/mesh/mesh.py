"""Repulsion in O(n): one potential on a grid, one forward and one inverse FFT.

Unit charges are spread with B-splines, convolved with the kernel w on a doubled grid (so that the map does not wrap
around), and the potential Φ is gathered with the spline and its derivative. Both Z and the force follow from it; see
:mod:`mrsne.backends.kernel`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from mrsne.backends.cpu.mesh.bulk import Bulk
from mrsne.backends.cpu.mesh.charges import Charges
from mrsne.backends.cpu.mesh.convolution import Convolution, grid_width
from mrsne.backends.cpu.mesh.plane import gather_in_the_plane
from mrsne.backends.cpu.mesh.spectrum import kernel_spectrum
from mrsne.backends.cpu.mesh.splines import CHUNKS, bounds, gather
from mrsne.backends.grid import FINE_STEP, PADDING, choose_grid
from mrsne.backends.kernel import CAUCHY, StudentKernel

Limits = tuple[NDArray[np.float64], NDArray[np.float64]]  # smallest and largest coordinates


class Readings(NamedTuple):
    """What points find on the grid."""

    potential: NDArray[np.float32]
    gradient: NDArray[np.float32]
    sums: NDArray[np.float64]  # of the potential, chunk by chunk


class Mesh:
    """The potential of a set of points on a grid.

    The grid is a function of the points' bounds alone, so that the same points give the same bits whatever came before.

    Parameters
    ----------
    n_components : int
        Dimension of the map, 1 to 3.
    step : float
        Width of a cell where the map is wide; small maps get smaller ones.
    workers : int
        Threads of the FFT.
    kernel : StudentKernel
        Positions are in its unit.

    Examples
    --------
    >>> Y = np.array([[0.0, 0.0], [1.0, 0.0]], dtype=np.float32)
    >>> Z, force = Mesh(2).repulsion(Y)
    >>> round(Z, 3), np.round(force[:, 0], 3)
    (1.0, array([-0.25,  0.25], dtype=float32))
    """

    def __init__(
        self, n_components: int, step: float = FINE_STEP, workers: int = 1, kernel: StudentKernel = CAUCHY
    ) -> None:
        self.n_components = n_components
        self.step = step
        self.kernel = kernel
        self.workers = workers
        self.bulk: Bulk | None = None
        self.potential = np.empty((0,) * max(2, n_components), np.float32)
        self._size: tuple[Any, ...] = ()
        self._charges = Charges(n_components)
        self._read = Readings(np.empty(0, np.float32), np.empty((0, n_components), np.float32), np.empty(CHUNKS))

    def too_wide(self, limits: Limits, step: float) -> bool:
        """Return whether the largest grid would have to be coarser than ``step`` for points within limits."""
        low, high = limits
        cell = self.kernel.cell_width(step)
        return choose_grid(high - low, cell, kernel=self.kernel)[0] > cell

    def repulsion(self, Y: NDArray[np.float32], limits: Limits | None = None) -> tuple[float, NDArray[np.float32]]:
        """Return Z and −½ ∇Φ, the unnormalised repulsive force, on every point; ``limits`` are those of the points."""
        self.charge(Y, limits=limits)
        _, force = self.read(Y, factor=-0.5)
        return float(self._read.sums.sum()) - Y.shape[0], force

    def charge(self, Y: NDArray[np.float32], margin: float = 0.0, limits: Limits | None = None) -> None:
        """Compute the potential of the given points at every node of a grid that reaches ``margin`` beyond them."""
        low, high = bounds(Y) if limits is None else limits
        self.fit(low - margin, high + margin)
        self.bulk = Bulk.of(Y, self.kernel) if self.small else None
        self.convolve(self.charges(Y))

    def fit(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        """Choose the grid for points within bounds."""
        self._width, shape, self.small = choose_grid(high - low, self.kernel.cell_width(self.step), kernel=self.kernel)
        self._origin = (low - 0.5 * self._width).astype(np.float32)
        self._used: Any = tuple((cells - PADDING) // 2 for cells in shape)
        self._wanted: Any = (shape, self._width, self.small, self.kernel)

    def charges(self, Y: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the charges of some points on the grid, in the same memory at every call with the same grid.

        Those of several sets of points add up to those of all.
        """
        plane = self.n_components == 2
        shape = (self._used[0], grid_width(self._used[1])) if plane else self._used + (1,) * (3 - self.n_components)
        self.potential = self._charges(Y, self._origin, np.float32(1 / self._width), shape)
        return self.potential

    def convolve(self, charges: NDArray[np.float32]) -> NDArray[np.float32]:
        """Turn charges into their potential, which is in the memory of the charges where the map is a plane."""
        if self.n_components == 2:
            if self._size != self._wanted:
                self._size = self._wanted
                spectrum = kernel_spectrum(*self._wanted)
                self._convolution = Convolution(spectrum, self._used, self._wanted[0])
            self.potential = self._convolution(charges)
        else:
            grid = charges.reshape(self._used)
            potential = convolve(grid, kernel_spectrum(*self._wanted), self._wanted[0], self.workers)
            self.potential = potential.reshape(charges.shape)
        return self.potential

    def read(self, Y: NDArray[np.float32], factor: float = 1.0) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the potential Φ of the charged points, and ``factor`` times its gradient, at points within the grid.

        Both are in the same memory at every call with as many points.
        """
        if len(self._read.potential) != len(Y):
            self._read = Readings(np.empty(len(Y), np.float32), np.empty(Y.shape, np.float32), np.empty(CHUNKS))
        inverse_step = np.float32(1 / self._width)
        points = (Y, self._origin, inverse_step, np.float32(factor) * inverse_step)
        if self.n_components == 2:
            gather_in_the_plane.over(CHUNKS, *points, self.potential.shape[1], self.potential.ravel(), *self._read)
        else:
            gather(self.n_components).over(CHUNKS, *points, self.potential, *self._read)
        if self.bulk is not None:
            self.bulk.add_to(Y, factor, *self._read)
        return self._read.potential, self._read.gradient


def convolve(
    grid: NDArray[np.float32], spectrum: NDArray[np.float32], shape: tuple[int, ...], workers: int
) -> NDArray[np.float32]:
    """Convolve a grid of one or three dimensions, padded with zeros to ``shape``, with a kernel given by its spectrum.

    Rows known to be zero are not transformed, and neither are rows of the result that nobody reads.
    """
    last = grid.ndim - 1
    spectral = scipy.fft.rfft(grid, shape[last], axis=last, workers=workers)
    for axis in range(last):
        spectral = scipy.fft.fft(spectral, shape[axis], axis=axis, workers=workers, overwrite_x=True)
    spectral *= spectrum
    for axis in range(last):
        spectral = scipy.fft.ifft(spectral, axis=axis, workers=workers, overwrite_x=True)
        spectral = spectral[(slice(None),) * axis + (slice(grid.shape[axis]),)]
    potential = scipy.fft.irfft(spectral, shape[last], axis=last, workers=workers)
    return np.ascontiguousarray(potential[..., : grid.shape[last]])
