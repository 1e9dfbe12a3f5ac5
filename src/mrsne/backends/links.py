"""What the weights of links are multiplied with, and what they add up to; arrays are numpy's or torch's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import Exponents, LinkFactors, LinkNorm, LinkTotals


def link_scale(row_sums: Any, column_sums: Any, exponents: Exponents) -> Any:
    """Return r^a c^b, by which a link is divided, for the row sum r and the column sum c of each link.

    Examples
    --------
    >>> link_scale(np.array([4.0, 9.0]), np.array([1.0, 4.0]), (0.5, 0.5))
    array([2., 6.])
    """
    a, b = exponents
    if a == b:
        return (row_sums * column_sums) ** a
    return row_sums**a * column_sums**b


def link_values(weights: Any, first: Any, second: Any, norm: LinkNorm) -> Any:
    """Return w_ij (u_i + v_j), from the factors of both ends of every link, or w_ij / (r_i^a c_j^b), from their sums.

    Examples
    --------
    >>> link_values(np.array([1.0, 2.0]), np.array([4.0, 9.0]), np.array([1.0, 4.0]), (0.5, 0.5))
    array([0.5       , 0.33333333])
    """
    if isinstance(norm, LinkFactors):
        return weights * (first + second)
    return weights if norm == (0.0, 0.0) else weights / link_scale(first, second, norm)


def totals_of(sums: NDArray[np.float64], squares: NDArray[np.float64]) -> LinkTotals:
    """Return what links add up to, from the sums of their weights and of the squares of those.

    Examples
    --------
    >>> totals_of(np.array([3.0, 1.0, 0.0]), np.array([3.0, 1.0, 0.0])).effective
    array([3., 1., 0.])
    """
    # weights too small to have a square count as one link
    effective = np.divide(sums**2, squares, out=(sums > 0).astype(np.float64), where=squares > 0)
    return LinkTotals(sums, np.maximum(effective, sums > 0))
