"""Positions that users hand over, checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mrsne.backends.base import FARTHEST
from mrsne.parameters import ParameterError, describe


def check_layout(name: str, Y: ArrayLike, n: int) -> NDArray[np.float32]:
    """Return positions as a C-ordered float32 array with one finite row per item."""
    try:
        layout = np.ascontiguousarray(Y, dtype=np.float32)
    except (ValueError, TypeError, OverflowError) as error:
        raise ParameterError(f"{name} must be an array of numbers of shape ({n}, K) ({error})") from error
    if layout.ndim != 2 or layout.shape[0] != n or layout.shape[1] < 1:
        raise ParameterError(f"{name} must have shape ({n}, K), one row per item, got {describe(layout)}")
    if not np.isfinite(layout).all():
        raise ParameterError(f"{name} must hold finite numbers, got {int((~np.isfinite(layout)).sum())} that are not")
    if np.abs(layout).max() >= FARTHEST:
        raise ParameterError(f"{name} must hold coordinates below {FARTHEST:g}, got {np.abs(layout).max():g}")
    return layout
