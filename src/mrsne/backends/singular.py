"""The first singular vectors of a large sparse matrix, by an iteration that is the same for every engine.

A random subspace is multiplied with the matrix and its transpose, over and over, until it holds the vectors of the
largest singular values (Halko, Martinsson, Tropp 2011). Between two passes its columns are made orthonormal through
their products with each other, a small matrix, so that the large ones are only multiplied.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

EXTRA = 10  # vectors beyond those asked for, so that the iteration settles sooner
PASSES = 5
SHORTEST = 1e-13  # squared length of a direction, beside the columns', below which it is rounding; those stay short
SMALLEST = 1e-30  # length of a column that is not made longer


class Products(Protocol):
    """A sparse matrix A of n times m numbers of about 1, and what is computed with it, in an engine's memory.

    Results may be in memory that is used again: one is gone when another of the same size is computed without it.
    """

    shape: tuple[int, int]

    def start(self, rows: int, columns: int) -> Any:
        """Return random numbers, always the same."""

    def times(self, X: Any) -> Any:
        """Return A X."""

    def transposed_times(self, X: Any) -> Any:
        """Return Aᵀ X."""

    def squares(self, X: Any) -> NDArray[np.float64]:
        """Return Xᵀ X, in double precision."""

    def combined(self, X: Any, C: NDArray[np.float64]) -> Any:
        """Return X C, summed in double precision."""


def left_singular_vectors(A: Products, width: int) -> Any:
    """Return U S of A ≈ U S Vᵀ for the largest singular values, the first column for the largest.

    The iteration is on the shorter side of A. For columns X that are orthonormal there, A X = U S Rᵀ with a small
    rotation R, and so U S = A X R; on the other side Aᵀ X = V S Rᵀ, and U = X R.
    """
    upright = A.shape[1] <= A.shape[0]
    there, back = (A.times, A.transposed_times) if upright else (A.transposed_times, A.times)
    X = A.start(min(A.shape), min(width + EXTRA, *A.shape))
    for _ in range(PASSES):
        X = back(there(A.combined(X, orthonormalizer(A.squares(X)))))
    X = A.combined(X, orthonormalizer(A.squares(X)))
    Y = there(X)  # of another size than X where both are needed below
    values, R = np.linalg.eigh(A.squares(Y))
    R = R[:, ::-1][:, :width]
    return A.combined(Y, R) if upright else A.combined(X, R * np.sqrt(np.maximum(values[::-1][:width], 0)))


def orthonormalizer(squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return C such that the columns of X C are orthonormal, from Xᵀ X; directions that are only rounding stay short.

    Columns are brought to one length first. From the second pass on they are nearly orthogonal, and one that belongs to
    a thousandth of the largest singular value would be lost beside that of the largest.

    Examples
    --------
    >>> X = np.array([[3.0, 0.0], [0.0, 0.5], [0.0, 0.0]])
    >>> np.abs(X @ orthonormalizer(X.T @ X))
    array([[1., 0.],
           [0., 1.],
           [0., 0.]])
    """
    lengths = np.maximum(np.sqrt(np.diagonal(squares)), SMALLEST)
    sizes, axes = np.linalg.eigh(squares / lengths[:, None] / lengths)
    return np.asarray(axes / np.sqrt(np.maximum(sizes, SHORTEST * max(sizes[-1], 1))) / lengths[:, None])
