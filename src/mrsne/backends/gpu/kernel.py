"""The kernel in Triton; see :mod:`mrsne.backends.kernel` for what it is."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def falloff(squared):
    """Return 1/(1+ρ²): what weighs attraction, and the Cauchy kernel itself."""
    return 1.0 / (1.0 + squared)


@triton.jit
def negative_log(squared):
    """Return log(1+ρ²), which is −log w divided by α."""
    return tl.log(1.0 + squared)


@triton.jit
def similarity(weight, dof, CAUCHY: tl.constexpr):
    """Return w = (1+ρ²)^−α from 1/(1+ρ²)."""
    if CAUCHY:
        return weight
    else:
        return tl.exp(dof * tl.log(weight))
