"""What the weight of a link is divided by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import Exponents


def link_scale(
    row_sums: NDArray[np.float64], column_sums: NDArray[np.float64], exponents: Exponents
) -> NDArray[np.float64]:
    """Return r^a c^b for the row sum r and the column sum c of each link.

    Examples
    --------
    >>> link_scale(np.array([4.0, 9.0]), np.array([1.0, 4.0]), (0.5, 0.5))
    array([2., 6.])
    """
    a, b = exponents
    if a == b:
        return np.asarray((row_sums * column_sums) ** a)
    return np.asarray(row_sums**a * column_sums**b)
