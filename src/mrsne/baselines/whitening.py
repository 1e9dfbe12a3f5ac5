"""Coordinates in which the regularised covariance of a domain is the identity, for CDMCA."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist

from mrsne.arrays import Bool, Float64

RANK_TOLERANCE = 1e-12  # relative to the largest variance; smaller ones are rounding errors
ROUNDING = 1e-24  # relative to the mean square of the vectors; smaller variances count as zero
MEDIAN_SAMPLE = 1_000  # items whose distances give the default width of the kernel

Array = Float64


@dataclass(frozen=True)
class Ridge:
    """What is added to variances: λ times their mean, or λ to sums over all links, whose total weight is then given."""

    strength: float
    links: float | None = None


def whitened(X: Array, weight: Array, ridge: Ridge, centred: bool) -> Array:
    """Return the items in coordinates in which their regularised covariance G is the identity.

    √M (X − μ) = U S Vᵀ, so G = V (S² + κ) Vᵀ, with κ = λ times the mean of the p variances, or λ over the total weight
    of the links, by which the weights M are divided. Directions without variance are dropped: nothing correlates with
    them. Without centring μ = 0.
    """
    scale = float(np.abs(X).max()) or 1.0
    X = X / scale
    shifted = X - weight @ X / weight.sum() if centred else X
    _, S, Vt = linalg.svd(np.sqrt(weight)[:, None] * shifted, full_matrices=False)
    varies = _varying(S**2, float(weight @ (X**2).sum(axis=1)))
    squares = S[varies] ** 2
    mean = squares.sum() / X.shape[1] if ridge.links is None else 1 / ridge.links / scale**2
    return np.asarray(shifted @ Vt[varies].T / np.sqrt(squares + ridge.strength * mean))


def whitened_by_kernel(kernel: Array, weight: Array, ridge: Ridge, centred: bool) -> Array:
    """Return the same in the kernel's feature space, from √M K √M = U S² Uᵀ with K centred by the weights.

    Where λ is absolute, √M K √M is divided by its largest eigenvalue, and with S² for what is left G = S⁴ + λ: that is
    Pyrcca's K K + λ I for one row of K for each link.
    """
    share = weight / weight.sum()
    mean = kernel @ share
    shifted = kernel - mean[:, None] - mean[None, :] + share @ mean if centred else kernel
    root = np.sqrt(weight)
    # the default driver, evr, gives up on some kernels with many equal eigenvalues
    squares, U = linalg.eigh(root[:, None] * shifted * root[None, :], driver="evd")
    varies = _varying(squares, float(weight @ np.diag(kernel)))
    squares, U = squares[varies], U[:, varies]
    if ridge.links is None:
        scales = np.sqrt(squares * (squares + ridge.strength * squares.sum() / len(kernel)))
    else:
        largest = squares.max(initial=0) or 1.0
        scales = largest * np.sqrt((squares / largest) ** 2 + ridge.strength)
    return np.asarray(shifted @ (root[:, None] * U) / scales)


def _varying(variances: Array, mean_square: float) -> Bool:
    """Return which variances are more than rounding errors."""
    return np.asarray(variances > max(RANK_TOLERANCE * variances.max(initial=0), ROUNDING * mean_square))


def gaussian_kernel(X: Array, width: float) -> Array:
    """Return exp(−‖x − x'‖²/2s²) for all pairs."""
    return np.asarray(np.exp(-cdist(X, X, "sqeuclidean") / (2 * width**2)))


def median_distance(X: Array) -> float:
    """Return the median distance between distinct items, of every n-th item where there are many."""
    sample = X[:: max(1, -(-len(X) // MEDIAN_SAMPLE))]
    distances = cdist(sample, sample)[np.triu_indices(len(sample), 1)]
    distances = distances[distances > 0]
    return float(np.median(distances)) if len(distances) else 1.0
