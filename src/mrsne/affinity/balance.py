"""Symmetric Sinkhorn scaling: every item the same mass."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.parameters import ParameterError

TOLERANCE = 1e-8  # relative deviation of the masses
MOST_STEPS = 5_000


def balance(P: sparse.csr_matrix) -> sparse.csr_matrix:
    """Scale a symmetric matrix to D P D, D diagonal, so that every non-empty row has the same sum, and all sum to 1.

    Not every pattern can be balanced: where forty items have links to a single other one and to nothing else, that one
    cannot carry as little as each of them. Then the masses come as close as the iteration brings them, with a warning,
    and still sum to 1.

    Examples
    --------
    >>> P = sparse.csr_matrix(np.array([[0, 1.0, 2.0], [1.0, 0, 5.0], [2.0, 5.0, 0]]))
    >>> np.asarray(balance(P).sum(axis=1)).ravel().round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """
    scale = balancing_scale(P)
    rows = np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))
    # one product per pair, in an order that does not depend on which side it is on, keeps the matrix symmetric to the
    # last bit
    values = P.data * (scale[rows] * scale[P.indices])
    return sparse.csr_matrix((values / values.sum(), P.indices, P.indptr), shape=P.shape)


def balancing_scale(P: sparse.csr_matrix) -> NDArray[np.float64]:
    """Return the diagonal of D.

    The step d ← √(d · t / (P d)) with t = 1/n is the geometric mean of the old and the plain Sinkhorn value. It
    converges where the plain step d ← t / (P d) swings between two values.
    """
    active = np.diff(P.indptr) > 0
    n = int(active.sum())
    if n == 0:
        raise ParameterError("P must have a positive entry, got none")
    scale = active.astype(np.float64)
    deviation = np.inf
    for _ in range(MOST_STEPS):
        mass = P @ scale
        ratio = np.divide(1.0 / n, scale * mass, out=np.ones_like(scale), where=active)
        deviation = float(np.abs(1 / ratio - 1).max())
        if deviation < TOLERANCE:
            return np.asarray(scale)
        scale *= np.sqrt(ratio)
    warnings.warn(
        "weights='balanced' cannot give every item the same mass on these links; "
        f"the worst is off by a factor of {1 + deviation:.3g}",
        stacklevel=2,
    )
    return np.asarray(scale)
