"""The leading eigenvectors of many graphs at once, as precise as a start needs them.

Wanted are the eigenvectors of A = D^-½ P D^-½ for the largest eigenvalues below 1, which is the largest. A few random
vectors are multiplied with a polynomial of A that is small on all eigenvalues but the wanted ones (a Chebyshev filter),
and then combined to approximate eigenvectors (Rayleigh–Ritz); several times over, each time with a sharper polynomial.
Vectors stay in the engine's memory; only a few numbers for each component come here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import Operator

EXTRA = 2  # vectors beyond those asked for, at least: the last ones converge slowest
DEGREES = (4, 8, 12, 12)  # of the polynomials; each is that many passes over P̃, and one more for Rayleigh–Ritz
MORE_DEGREES = (6, 12, 20, 30)  # where a pass takes little time
LARGE_FROM = 200_000  # items
LOWEST, HIGHEST = -0.9, 0.9999  # limits for the end of the interval where the polynomial is small


def leading_eigenvectors(operator: Operator, n: int, count: int, random: np.random.RandomState) -> NDArray[np.float64]:
    """Return, for each component of n items, ``count`` eigenvectors of D⁻¹P for its largest eigenvalues below 1."""
    X = operator.start(count + EXTRA, random)
    for degree in MORE_DEGREES if n < LARGE_FROM else DEGREES:
        X, eigenvalues = rayleigh_ritz(operator, X)
        X = chebyshev_filtered(operator, np.clip(eigenvalues[:, -1], LOWEST, HIGHEST), degree, X)
    X, _ = rayleigh_ritz(operator, X)
    return operator.gather(X, count)


def rayleigh_ritz(operator: Operator, X: Any) -> tuple[Any, NDArray[np.float64]]:
    """Return the best approximate eigenvectors in the span of X, orthonormal in each component, and their eigenvalues.

    The largest eigenvalue comes first.
    """
    X = operator.deflated(X)
    n_components = len(inner := operator.products(X, X))
    AX = operator.recurrence(np.tile([1.0, 0.0, 0.0], (n_components, 1)), X, X)
    outer = operator.products(X, AX)
    outer = (outer + outer.transpose(0, 2, 1)) / 2
    sizes, axes = np.linalg.eigh(inner)
    axes = axes / np.sqrt(np.maximum(sizes, 1e-6 * sizes[:, -1:]))[:, None, :]  # directions that coincide stay short
    eigenvalues, rotation = np.linalg.eigh(axes.transpose(0, 2, 1) @ outer @ axes)
    return operator.combined(X, (axes @ rotation)[:, :, ::-1]), eigenvalues[:, ::-1]


def chebyshev_filtered(operator: Operator, end: NDArray[np.float64], degree: int, X: Any) -> Any:
    """Multiply with the Chebyshev polynomial that is at most 1 on the eigenvalues from -1 to ``end`` and large above.

    It is scaled by its value at 1, so that nothing overflows (Zhou and Saad 2007).
    """
    centre, half = (end - 1) / 2, (end + 1) / 2
    sigma = first_sigma = half / (1 - centre)
    none = np.zeros_like(end)
    before, now = X, operator.recurrence(np.stack([sigma / half, -centre * sigma / half, none], axis=1), X, X)
    for _ in range(degree - 1):
        following = 1 / (2 / first_sigma - sigma)
        scale = 2 * following / half
        coefficients = np.stack([scale, -centre * scale, -sigma * following], axis=1)
        before, now = now, operator.recurrence(coefficients, now, before)
        sigma = following
    return now
