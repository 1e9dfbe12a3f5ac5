"""Symmetric Sinkhorn scaling: every item the same mass."""

import warnings
from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, cg

from mrsne.arrays import Float64, Int64
from mrsne.matrices import multiply, scaled
from mrsne.parameters import ParameterError

TOLERANCE = 1e-8  # relative deviation of the masses
SIMPLE_STEPS = 300
CHECK_EVERY = 20  # simple steps, whether the graph can be balanced at all
MIN_PROGRESS = 0.01  # share by which the largest deviation must fall between two checks
NEWTON_PASSES = 400  # over P, of all Newton steps together; with the simple steps fewer than a run has iterations
MAX_RATIO = 1e3  # how far scales may move apart from where they start, 1/√(row sum)


def balance(P: sparse.csr_matrix, warn: Callable[[str], None] = warnings.warn) -> sparse.csr_matrix:
    """Scale a symmetric float32 matrix to D P D, D diagonal, so that all non-empty rows sum to the same, in all to 1.

    Not every pattern can be balanced: where forty items are linked to one other item and to nothing else, that one
    cannot carry as little as each of them. Then the masses come as close as a bounded D allows, with a warning, and
    still sum to 1.
    """
    scale, mass = balancing_scale(P)
    if max(mass.max() / mass.mean(), mass.mean() / mass.min()) > 1 + 1e-6:
        warn(
            "weights='balanced' cannot give every item the same mass on these links: "
            f"masses are between {mass.min() / mass.mean():.3g} and {mass.max() / mass.mean():.3g} of the mean"
        )
    return scaled(P, scale / np.sqrt(float(scale @ _times(P, scale))))


def _times(P: sparse.csr_matrix, vector: Float64) -> Float64:
    return multiply(P, vector[:, None]).ravel()


def balancing_scale(P: sparse.csr_matrix) -> tuple[Float64, Float64]:
    """Return the diagonal of D, and the masses of the non-empty rows relative to 1/n.

    The step d ← √(d · t / (P d)) with t = 1/n is the geometric mean of the old and the plain Sinkhorn value. It
    converges where the plain step d ← t / (P d) swings between two values, but slowly on graphs that are nearly
    bipartite; Newton's method then does the rest. Where no scale gives every item its mass, some scales grow until they
    are clipped and the deviations stop falling: then the iteration ends.
    """
    active = np.flatnonzero(np.diff(P.indptr))
    n = len(active)
    if n == 0:
        raise ParameterError("P must have a positive entry, got none")
    scale = np.zeros(P.shape[0])
    scale[active] = first = 1 / np.sqrt(_times(P, np.ones(P.shape[0]))[active])
    steps, passes, last_deviation = 0, NEWTON_PASSES, np.inf
    while True:
        excess = n * (scale * _times(P, scale))[active] - 1  # relative to the wanted mass 1/n
        deviation = float(np.abs(excess).max())
        if deviation < TOLERANCE:
            break
        relative = scale[active] / first
        clipped = relative.max() >= MAX_RATIO * np.median(relative) or relative.min() <= np.median(relative) / MAX_RATIO
        if steps and steps % CHECK_EVERY == 0:
            if clipped and deviation > (1 - MIN_PROGRESS) * last_deviation:
                break
            last_deviation = deviation
        if steps < SIMPLE_STEPS:
            change = -0.5 * np.log1p(excess)
        elif passes > 0 and not clipped:
            change, used = _newton_step(P, scale, active, excess, passes)
            passes -= used
        else:
            break
        steps += 1
        grown = relative * np.exp(change)
        middle = np.median(grown)
        scale[active] = first * np.clip(grown, middle / MAX_RATIO, middle * MAX_RATIO)
    return scale, 1 + excess


def _newton_step(
    P: sparse.csr_matrix, scale: Float64, active: Int64, excess: Float64, most_passes: int
) -> tuple[Float64, int]:
    """Solve (diag(m) + D P D) δ = t − m for the masses m, where δ is the change of log d, clipped to 1.

    Also return the number of passes over P that it took.
    """
    n, passes = len(active), 0

    def derivative(x: Float64) -> Float64:
        nonlocal passes
        passes += 1
        spread = np.zeros_like(scale)
        spread[active] = scale[active] * x.ravel()
        return np.asarray((1 + excess) * x.ravel() + n * scale[active] * _times(P, spread)[active])

    operator = LinearOperator((n, n), matvec=derivative, dtype=np.float64)
    solution, _ = cg(operator, -excess, rtol=1e-4, maxiter=min(300, most_passes))
    return np.asarray(np.clip(solution, -1, 1)), passes + 1
