"""The similarity of two items at distance r on the map, w(r) = (1 + r²/α)^−α: Student's t with α degrees of freedom.

For α = 1 it is the Cauchy kernel 1/(1 + r²) of t-SNE and of the paper; smaller α has a heavier tail and pulls clusters
apart, larger α comes close to a Gaussian. It is openTSNE's ``dof``.

In units of √α, u = y/√α and ρ = r/√α, it is w = (1 + ρ²)^−α, and everything that P̃ pulls at depends on 1 + ρ² alone:

- log w = −α log(1 + ρ²), the part of KL(P̃‖Q̃) that belongs to a pair;
- attraction: −½ p̃ ∂ log w/∂y = p̃ (y_i−y_j)/(1+ρ²) = √α · p̃ (u_i−u_j)/(1+ρ²), the Cauchy kernel's in units of √α;
- repulsion: −½ ∂w/∂y = (1+ρ²)^(−α−1) (y_i−y_j), so that with the potential Φ = Σ_j w the force is −½ ∇Φ for any α: one
  potential gives both Z = Σ_i Φ(y_i) − n and the force.

The gradient is 4 (attraction − repulsion/Z). Engines compute in units of √α; compiled loops have 1/(1+ρ²), w and
log(1+ρ²) from one place each (``cpu/attraction.py`` and the GPU's).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mrsne.arrays import Float32
from mrsne.parameters import ParameterError, check_number

SMALL_BELOW = 0.5  # span below which 1 − αρ², the bulk of w, is summed in closed form; the mesh gets the rest


@dataclass(frozen=True)
class StudentKernel:
    """The kernel for some degrees of freedom."""

    dof: float = 1.0

    @classmethod
    def checked(cls, dof: Any) -> StudentKernel:
        """Return the kernel, or raise an error that names ``dof``."""
        return cls(check_number("dof", dof, above=0))

    @property
    def is_cauchy(self) -> bool:
        """Whether it is t-SNE's own, for which nothing needs to be scaled."""
        return self.dof == 1

    @property
    def unit(self) -> float:
        """√α, the unit of length."""
        return math.sqrt(self.dof)

    def scaled(self, Y: Float32) -> Float32:
        """Return positions in units of √α; the same array where that is 1."""
        return Y if self.is_cauchy else Y / np.float32(self.unit)

    def values(self, squared: Any) -> Any:
        """Return w for squared distances ρ², an array of numpy or torch."""
        return 1 / (1 + squared) if self.is_cauchy else (1 + squared) ** -self.dof

    def push(self, squared: Any) -> Any:
        """Return α (1+ρ²)^(−α−1), the factor of u_i − u_j in −½ ∇Φ, in units of √α."""
        return self.dof * self.values(squared) / (1 + squared)

    def remainder(self, squared: Any) -> Any:
        """Return w − (1 − αρ²), which in a small map is all that a mesh has to resolve."""
        if self.is_cauchy:
            return squared**2 / (1 + squared)
        library: Any = np
        if not isinstance(squared, np.ndarray):
            import torch as library
        return library.expm1(-self.dof * library.log1p(squared)) + self.dof * squared

    def cell_width(self, step: float) -> float:
        """Return the width of a cell, in units of √α, that resolves the kernel as ``step`` does the Cauchy kernel."""
        return step / max(1.0, self.unit)


CAUCHY = StudentKernel()


def divergence(negative_entropy: float, cross_entropy: float, total: float, Z: float) -> float:
    """Return KL(P̃‖Q̃) = Σ p̃ log p̃ − Σ p̃ log w_ij + log Z · Σ p̃."""
    if Z <= 0:
        raise ParameterError("the map is so wide that no item is near any other: Q̃ vanishes")
    return negative_entropy + cross_entropy + total * math.log(Z)
