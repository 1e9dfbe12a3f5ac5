"""The part of a small map's potential that needs no grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.cpu.mesh.splines import CHUNKS
from mrsne.backends.kernel import StudentKernel
from mrsne.loops import Array, kernel


@kernel("f4[:,:] f8[:] f8[:,:]! f8[:]!")
def _moments(start: int, stop: int, Y: Array, mean: Array, sums: Array, squares: Array) -> None:
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
def _add(
    start: int,
    stop: int,
    Y: Array,
    mean: Array,
    constant: float,
    slope: float,
    factor: np.float32,
    potential: Array,
    gradient: Array,
    sums: Array,
) -> None:
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


@dataclass(frozen=True)
class Bulk:
    """The part Σ_j (1 − α ‖y−y_j‖²) of the potential of a small map, from mean and variance of its points alone.

    On the mesh its rounding errors would be larger than the forces of a map whose span is 1e-3.

    Examples
    --------
    >>> bulk = Bulk.of(np.array([[0.0], [0.5]], dtype=np.float32), StudentKernel())
    >>> bulk.mean, bulk.variance, bulk.sum()
    (array([0.25]), 0.0625, 3.5)
    """

    n: int
    mean: NDArray[np.float64]
    variance: float
    dof: float

    @classmethod
    def of(cls, Y: NDArray[np.float32], kernel: StudentKernel) -> Bulk:
        """Return that of some points, in units of the kernel."""
        sums, squares = np.empty((CHUNKS, Y.shape[1])), np.empty(CHUNKS)
        _moments.over(CHUNKS, Y, np.zeros(Y.shape[1]), sums, squares)
        mean = sums.sum(axis=0) / len(Y)
        _moments.over(CHUNKS, Y, mean, sums, squares)
        return cls(len(Y), mean, float(squares.sum()) / len(Y), kernel.dof)

    def add_to(
        self,
        Y: NDArray[np.float32],
        factor: float,
        potential: NDArray[np.float32],
        gradient: NDArray[np.float32],
        sums: NDArray[np.float64],
    ) -> None:
        """Add n (1 − α ‖y−ȳ‖² − α · variance) to the potential, and ``factor`` times −2nα (y − ȳ) to its gradient.

        ``sums`` receives the sum of the potential, chunk by chunk.
        """
        constant, slope = self.n * (1 - self.dof * self.variance), self.n * self.dof
        _add.over(CHUNKS, Y, self.mean, constant, slope, np.float32(factor), potential, gradient, sums)

    def sum(self) -> float:
        """Return the sum of the potential over all points."""
        return self.n * self.n * (1 - 2 * self.dof * self.variance)
