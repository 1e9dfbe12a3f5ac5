"""Symmetric Sinkhorn scaling: every item the same mass."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.parameters import ParameterError

TOLERANCE = 1e-8  # relative deviation of the masses
MOST_STEPS = 2_000
WIDEST = 1e3  # largest scale of an item, and smallest, relative to the typical one


def balance(P: sparse.csr_matrix) -> sparse.csr_matrix:
    """Scale a symmetric matrix to D P D, D diagonal, so that every non-empty row has the same sum, and all sum to 1.

    Not every pattern can be balanced: where forty items have links to a single other one and to nothing else, that one
    cannot carry as little as each of them. Then the masses come as close as a bounded D brings them, with a warning,
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
    for _ in range(MOST_STEPS):
        ratio = np.divide(1.0 / n, scale * (P @ scale), out=np.ones_like(scale), where=active)
        if np.abs(1 / ratio - 1).max() < TOLERANCE:
            return np.asarray(scale)
        wanted = scale * np.sqrt(ratio)
        middle = np.median(wanted[active])
        bounded = np.where(active, np.clip(wanted, middle / WIDEST, middle * WIDEST), 0)
        stuck = not np.array_equal(bounded, wanted) and np.allclose(bounded, scale, rtol=1e-6, atol=0)
        scale = bounded
        if stuck:
            break
    mass = (scale * (P @ scale))[active]
    lightest, heaviest = mass.min() / mass.mean(), mass.max() / mass.mean()
    warnings.warn(
        "weights='balanced' cannot give every item the same mass on these links: "
        f"masses are between {lightest:.3g} and {heaviest:.3g} of the mean",
        stacklevel=2,
    )
    return np.asarray(scale)
