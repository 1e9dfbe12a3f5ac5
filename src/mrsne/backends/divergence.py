"""KL(P̃‖Q̃) from its sums."""

from __future__ import annotations

import math

from mrsne.parameters import ParameterError


def divergence(negative_entropy: float, cross_entropy: float, total: float, Z: float) -> float:
    """Return KL(P̃‖Q̃) = Σ p̃ log p̃ − Σ p̃ log w_ij + log Z · Σ p̃.

    Parameters
    ----------
    negative_entropy : float
        Σ p̃ log p̃.
    cross_entropy : float
        −Σ p̃ log w_ij.
    total : float
        Σ p̃, which is 1 but for rounding.
    Z : float
        Σ_{i≠j} w_ij.
    """
    if Z <= 0:
        raise ParameterError("the map is so wide that no item is near any other: Q̃ vanishes")
    return negative_entropy + cross_entropy + total * math.log(Z)
