"""A sparse matrix times a few columns, on all threads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.compilation import Array, kernel
from mrsne.layout.attraction import PARTS, equal_parts


@kernel
def _multiply(
    start: int, stop: int, parts: Array, indptr: Array, indices: Array, values: Array, X: Array, result: Array
) -> None:
    for i in range(parts[start], parts[stop]):
        result[i, :] = 0
        for position in range(indptr[i], indptr[i + 1]):
            for k in range(X.shape[1]):
                result[i, k] += values[position] * X[indices[position], k]


def multiply(A: sparse.csr_matrix, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return A @ X.

    Examples
    --------
    >>> multiply(sparse.csr_matrix(np.array([[0, 2], [1, 0]], dtype=np.float32)), np.array([[1.0], [3.0]]))
    array([[6.],
           [1.]])
    """
    result = np.empty((A.shape[0], X.shape[1]))
    _multiply.over(PARTS, equal_parts(A.indptr), A.indptr, A.indices, A.data, np.ascontiguousarray(X), result)
    return result
