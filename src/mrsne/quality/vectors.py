"""Distances between the vectors of a domain, block by block of queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data import RelationalData
from mrsne.quality.ordering import squared_distances

METRICS = ("euclidean", "cosine")
WIDE = 32  # dimensions from which products of matrices are several times as fast as differences
ROUNDING = 1e-13  # of the lengths of two vectors: where their distance is no more, they are taken to be equal
Distances: TypeAlias = Callable[[NDArray[np.int64]], NDArray[Any]]


def vectors_of(data: RelationalData, domain: str, metric: str = "euclidean") -> tuple[Any, NDArray[np.int64]]:
    """Return a copy of the vectors of a domain's items that have one, in double precision, and where those are."""
    present = np.flatnonzero(~data.missing[domain])
    X: Any = data.vectors[domain]
    X = (X if len(present) == X.shape[0] else X[present]).astype(np.float64)
    if metric == "cosine":
        from sklearn.preprocessing import normalize

        X = normalize(X)
    return X, present


def exact_distances(X: Any) -> Distances:
    """Return a function that gives squared distances from some rows to all.

    Those of dense vectors come from differences, so that equal vectors are at exactly equal distances; those of sparse
    ones come from products, and rounding decides near ties.

    Examples
    --------
    >>> exact_distances(np.array([[0.0], [1.0], [3.0]]))(np.array([2]))
    array([[9., 4., 0.]])
    """
    if not sparse.issparse(X):
        return lambda items: squared_distances(X[items], X)
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return lambda items: np.asarray(squares[items, None] + squares[None, :] - 2 * (X[items] @ X.T).toarray())


def quick_distances(X: Any) -> Distances:
    """Return a function that gives squared distances, up to a common factor, from some rows to all; X is overwritten.

    Where vectors are wide, they come from products and are rounded to single precision, so that what differs only by
    rounding is tied, and equal vectors are at 0.

    Examples
    --------
    >>> X = np.repeat(np.eye(3), 20, axis=1)
    >>> quick_distances(X)(np.array([0])).tolist()
    [[0.0, 40.0, 40.0]]
    """
    if sparse.issparse(X) or X.shape[1] <= WIDE:
        return exact_distances(X)
    X /= max(float(X.max()), -float(X.min()), 1e-300)  # squares neither overflow nor vanish
    X -= X.mean(axis=0)
    squares = np.einsum("ij,ij->i", X, X)

    def distances(items: NDArray[np.int64]) -> NDArray[Any]:
        lengths = squares + squares[items, None]
        squared = lengths - 2 * (X[items] @ X.T)
        squared[squared < ROUNDING * lengths] = 0
        return np.asarray(squared, dtype=np.float32)

    return distances
