"""The quintic B-spline B₅ that carries charges to a grid and the potential back."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

SUPPORT = 6  # grid nodes a quintic B-spline touches along one axis
DEGREE = 5


def weight_polynomials() -> NDArray[np.float64]:
    """Return the coefficients, of 1, t, …, t⁵, of the weights of six nodes for a point a fraction t after the third.

    From B₅(x) = Σ_k (−1)^k C(6, k) max(x + 3 − k, 0)⁵ / 120 at x = t + 2 − q.

    Returns
    -------
    coefficients : array of shape (6, 6)
        Row p for t^p, column q for node q.

    Examples
    --------
    >>> weight_polynomials().sum(axis=1).round(12) + 0.0  # the weights add up to 1
    array([1., 0., 0., 0., 0., 0.])
    """
    coefficients = np.zeros((DEGREE + 1, SUPPORT))
    for q in range(SUPPORT):
        for k in range(SUPPORT - q):
            shift = DEGREE - q - k
            for power in range(DEGREE + 1):
                term = math.comb(DEGREE, power) * shift ** (DEGREE - power)
                coefficients[power, q] += (-1) ** k * math.comb(SUPPORT, k) * term / math.factorial(DEGREE)
    return coefficients


def slope_polynomials() -> NDArray[np.float64]:
    """Return the coefficients, of 1, t, …, t⁴, of the derivatives of the weights by t."""
    return np.asarray(np.arange(1, DEGREE + 1)[:, None] * weight_polynomials()[1:])
