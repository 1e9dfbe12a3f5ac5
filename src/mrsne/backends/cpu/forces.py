"""Attraction and repulsion on the processor, and the divergence and gradient they make."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.cpu.attraction import Entries, attract, cross_entropy
from mrsne.backends.cpu.mesh.charges import bounds
from mrsne.backends.cpu.mesh.mesh import Mesh
from mrsne.backends.cpu.repulsion import exact_forces, exact_repulsion
from mrsne.backends.grid import FINE_STEP
from mrsne.backends.kernel import CAUCHY, StudentKernel, divergence
from mrsne.matrices import PARTS, total_and_entropy

MESH_ONLY_FROM = 60_000  # items; up to here all pairs are not slower than the largest grid, which a very wide map needs
DENSE_FROM = 1 / 8  # share of stored entries from which one pass over all pairs is faster than two


class CpuForces:
    """The two halves of the gradient of KL(P̃‖Q̃) for one P̃."""

    def __init__(
        self,
        P: sparse.csr_matrix,
        n_components: int,
        method: str,
        workers: int = 1,
        order: NDArray[np.int64] | None = None,
        kernel: StudentKernel = CAUCHY,
    ) -> None:
        n = P.shape[0]
        self.entries = Entries.of(P, order)
        self.kernel = kernel
        self.mesh = Mesh(n_components, workers=workers, kernel=kernel) if method == "fft" else None
        dense = method == "exact" and n_components <= 3 and order is None and P.nnz > DENSE_FROM * n**2
        self.dense = P.toarray() if dense else None
        self.total, self.negative_entropy = total_and_entropy(P.data)
        self.attractive = np.empty((n, n_components), np.float32)

    def halves(
        self, Y: NDArray[np.float32], step: float = FINE_STEP
    ) -> tuple[float, NDArray[np.float32], NDArray[np.float32]]:
        """Return Z, repulsion −½ ∇Φ and attraction Σ_j p̃_ij (y_i−y_j)/(1+ρ_ij²), in the same memory at every call."""
        U, unit = self.kernel.scaled(Y), np.float32(self.kernel.unit)
        Z, repulsive, attractive = self._in_units(U, step)
        if not self.kernel.is_cauchy:
            repulsive, attractive = repulsive / unit, attractive * unit
        return Z, repulsive, attractive

    def _in_units(self, U: NDArray[np.float32], step: float) -> tuple[float, NDArray[np.float32], NDArray[np.float32]]:
        """Do the same for positions in units of the kernel, with forces by these positions."""
        if self.dense is not None:
            return exact_forces(U, self.dense, self.kernel)
        Z, repulsive = self._repulsion(U, step)
        attract(self.entries, U, U, self.attractive)
        return Z, repulsive, self.attractive

    def _repulsion(self, U: NDArray[np.float32], step: float) -> tuple[float, NDArray[np.float32]]:
        if self.mesh is None:
            return exact_repulsion(U, self.kernel)
        limits = bounds(U)
        if len(U) <= MESH_ONLY_FROM and self.mesh.too_wide(limits, step):
            return exact_repulsion(U, self.kernel)
        self.mesh.step = step
        return self.mesh.repulsion(U, limits)

    def kl(self, Y: NDArray[np.float32], Z: float) -> float:
        """Return KL(P̃‖Q̃) of a map with normaliser Z."""
        sums, U = np.empty(PARTS), self.kernel.scaled(Y)
        cross_entropy.over(PARTS, *self.entries, U, U, sums)
        return divergence(self.negative_entropy, self.kernel.dof * float(sums.sum()), self.total, Z)

    def divergence(self, Y: NDArray[np.float32]) -> float:
        return self.kl(Y, self.halves(Y)[0])

    def gradient(self, Y: NDArray[np.float32]) -> tuple[float, NDArray[np.float32]]:
        Z, repulsive, attractive = self.halves(Y)
        return self.kl(Y, Z), (4 * (attractive - repulsive / np.float32(Z))).astype(np.float32)
