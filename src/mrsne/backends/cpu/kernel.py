"""The kernel in compiled loops; see :mod:`mrsne.backends.kernel` for what it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from mrsne.loops import inlined

_f = np.float32


@inlined
def falloff(squared: Any) -> Any:
    """Return 1/(1+ρ²) in single precision: what weighs attraction, and the Cauchy kernel itself."""
    return _f(1) / (_f(1) + squared)


@inlined
def similarity(weight: Any, dof: Any) -> Any:
    """Return w = (1+ρ²)^−α from 1/(1+ρ²)."""
    return weight**dof


@inlined
def negative_log(squared: Any) -> Any:
    """Return log(1+ρ²), which is −log w divided by α, in the precision of ρ²."""
    return np.log1p(squared)
