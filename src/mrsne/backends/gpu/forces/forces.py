"""The two halves of the gradient of KL(P̃‖Q̃) on a GPU; see the processor's."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from mrsne.backends.gpu.forces.attraction import attract, cross_entropy
from mrsne.backends.gpu.forces.repulsion import exact_repulsion
from mrsne.backends.gpu.matrix.matrix import DeviceMatrix
from mrsne.backends.gpu.mesh.mesh import Mesh
from mrsne.backends.grid import FINE_STEP
from mrsne.backends.kernel import CAUCHY, StudentKernel, divergence

SUMMED = 2**28  # entries at a time


class DeviceForces:
    """Attraction and repulsion for one P̃.

    Parameters
    ----------
    P : DeviceMatrix
        P̃, its rows in the order of the map's; may be replaced by another order of the same.
    method : {"exact", "fft"}
    kernel : StudentKernel
    """

    def __init__(self, P: DeviceMatrix, method: str, kernel: StudentKernel = CAUCHY) -> None:
        n, device = P.shape[0], P.device
        self.P, self.device, self.kernel = P, device, kernel
        self.mesh = Mesh(n, device, kernel) if method == "fft" else None
        self.dof = torch.tensor([kernel.dof], dtype=torch.float32, device=device)
        self.total, self.negative_entropy = total_and_entropy(P.values)
        self.attractive = torch.empty((n, 2), dtype=torch.float32, device=device)

    def fit(self, low: NDArray[np.float64], high: NDArray[np.float64], step: float) -> bool:
        """Choose a grid for a map within bounds; return whether memory has changed."""
        return self.mesh is not None and self.mesh.fit(low / self.kernel.unit, high / self.kernel.unit, step)

    def at(self, Y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, float]:
        """Return Z, repulsion, attraction, and what repulsion has to be multiplied with to be a force.

        Nothing waits for the device, and all results are in the same memory at every call.
        """
        unit = self.kernel.unit
        U = self._scaled(Y)
        attract(self.P, U, self.attractive)
        if not self.kernel.is_cauchy:
            self.attractive *= unit
        if self.mesh is None:
            Z, repulsive = exact_repulsion(U, self.dof, self.kernel.is_cauchy)
            return Z, repulsive, self.attractive, 1 / unit
        Z, gradient = self.mesh.repulsion(U)
        return Z, gradient, self.attractive, -0.5 / unit

    def _scaled(self, Y: torch.Tensor) -> torch.Tensor:
        """Return positions in units of the kernel."""
        return Y if self.kernel.is_cauchy else Y / self.kernel.unit

    def halves(self, Y: torch.Tensor, step: float = FINE_STEP) -> tuple[float, torch.Tensor, torch.Tensor]:
        """Return Z, repulsion −½ ∇Φ and attraction Σ_j p̃_ij (y_i−y_j)/(1+ρ_ij²)."""
        low, high = (bound.double().cpu().numpy() for bound in (Y.amin(dim=0), Y.amax(dim=0)))
        self.fit(low, high, step)
        Z, repulsive, attractive, scale = self.at(Y)
        return float(Z), repulsive * scale, attractive

    def kl(self, Y: torch.Tensor, Z: float) -> float:
        """Return KL(P̃‖Q̃) of a map with normaliser Z."""
        pairs = self.kernel.dof * float(cross_entropy(self.P, self._scaled(Y)))
        return divergence(self.negative_entropy, pairs, self.total, Z)

    def divergence(self, Y: NDArray[np.float32]) -> float:
        """Return KL(P̃‖Q̃) of a map."""
        on_device = torch.from_numpy(np.array(Y)).to(self.device)
        return self.kl(on_device, self.halves(on_device)[0])

    def gradient(self, Y: NDArray[np.float32]) -> tuple[float, NDArray[np.float32]]:
        """Return KL(P̃‖Q̃) of a map and its gradient."""
        on_device = torch.from_numpy(np.array(Y)).to(self.device)
        Z, repulsive, attractive = self.halves(on_device)
        return self.kl(on_device, Z), (4 * (attractive - repulsive / Z)).cpu().numpy()


def total_and_entropy(values: torch.Tensor) -> tuple[float, float]:
    """Return Σ p and Σ p log p, in double precision, a part at a time."""
    total, entropy = 0.0, 0.0
    for p in values.split(SUMMED):
        total += float(p.sum(dtype=torch.float64))
        entropy += float(torch.xlogy(p, p).sum(dtype=torch.float64))
    return total, entropy
