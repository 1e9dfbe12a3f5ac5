"""What users hand over, checked: affinities, brought into the form that P̃ has, and positions."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from mrsne.arrays import Array, Float32
from mrsne.backends.base import FARTHEST
from mrsne.data.vectors import check_plain
from mrsne.matrices import is_symmetric
from mrsne.parameters import ParameterError, describe
from mrsne.sparse_structure import check_structure

INITS = ("spectral", "random", "pca")
SYMMETRIC_WITHIN = 1e-6  # of the largest entry


def check_affinities(P: Any, normalize: bool = False) -> sparse.csr_matrix:
    """Return P̃ as a CSR matrix with float32 values, over the caller's memory where it can be."""
    if sparse.issparse(P):
        check_structure("P", P)
    matrix = sparse.csr_matrix(P) if sparse.issparse(P) else sparse.csr_matrix(_dense(P))
    if matrix.dtype.kind not in "fiub":
        raise ParameterError(f"P must hold real numbers, got {matrix.dtype}")
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if matrix.shape[0] != matrix.shape[1]:
        raise ParameterError(f"P must be square, got shape {matrix.shape}")
    if matrix.shape[0] < 2:
        raise ParameterError(f"P must hold at least 2 items, got {matrix.shape[0]}")
    values = matrix.data
    total = float(values.sum(dtype=np.float64)) if values.size else 0.0
    if normalize and np.isfinite(total) and total > 0 and abs(total - 1) > 1e-5:
        values = values / total
    values = values.astype(np.float32, copy=False)
    if values.size and not (np.isfinite(values.min()) and np.isfinite(values.max()) and values.min() >= 0):
        raise ParameterError("P must hold finite, non-negative numbers")
    if not values.any():
        raise ParameterError("P must have a positive entry, got none")
    return sparse.csr_matrix((values, matrix.indices, matrix.indptr), shape=matrix.shape)


def _dense(P: Any) -> Array:
    """Return P as an array of numbers that scipy has sparse matrices of."""
    check_plain("P", P)
    try:
        array = np.asarray(P)
        array = array.astype(np.float64) if array.dtype.kind == "O" else array
    except (ValueError, TypeError, OverflowError) as error:
        raise ParameterError(f"P must be a sparse matrix or an array of numbers, got {describe(P)}") from error
    if array.ndim != 2:
        raise ParameterError(f"P must be square, got shape {array.shape}")
    if array.dtype.kind not in "fiub":
        raise ParameterError(f"P must hold real numbers, got {array.dtype}")
    is_known = array.dtype.isnative and (array.dtype.kind != "f" or array.itemsize in (4, 8))
    return array if is_known else array.astype(np.float64)


def proper_affinities(P: Any) -> sparse.csr_matrix:
    """Return affinities that are symmetric, have no diagonal and sum to 1; unchanged where they already are."""
    P = check_affinities(P, normalize=True)
    if not is_symmetric(P, SYMMETRIC_WITHIN * float(P.data.max())) or P.diagonal().any():
        P = ((P + P.T.tocsr()) * np.float32(0.5)).tocsr()
        P.setdiag(0)
    if not P.has_canonical_format or not P.data.all():
        P = P.copy()
        P.sum_duplicates()
        P.eliminate_zeros()
    total = P.data.sum(dtype=np.float64)
    if total <= 0:
        raise ParameterError("P must have a positive entry off its diagonal, got none")
    if abs(total - 1) < 1e-5:
        return P
    return sparse.csr_matrix((P.data / np.float32(total), P.indices, P.indptr), shape=P.shape)


def check_layout(name: str, Y: ArrayLike, n: int) -> Float32:
    """Return positions as a C-ordered float32 array with one finite row per item."""
    check_plain(name, Y)
    try:
        layout = np.ascontiguousarray(Y, dtype=np.float32)
    except (ValueError, TypeError, OverflowError) as error:
        raise ParameterError(f"{name} must be an array of numbers of shape ({n}, K) ({error})") from error
    if layout.ndim != 2 or layout.shape[0] != n or layout.shape[1] < 1:
        raise ParameterError(f"{name} must have shape ({n}, K), one row per item, got {describe(layout)}")
    if not np.isfinite(layout).all():
        raise ParameterError(f"{name} must hold finite numbers, got {int((~np.isfinite(layout)).sum())} that are not")
    if np.abs(layout).max() >= FARTHEST:
        raise ParameterError(f"{name} must hold coordinates below {FARTHEST:g}, got {np.abs(layout).max():g}")
    return layout


def check_init(init: Any, n: int, n_components: int) -> Float32 | None:
    """Return the start where ``init`` is one, None where it names how to make one."""
    if isinstance(init, str) and init in INITS:
        return None
    if init is None or isinstance(init, str):
        raise ParameterError(
            f"init must be one of {', '.join(map(repr, INITS))}, or an array of shape ({n}, {n_components}), "
            f"got {describe(init)}"
        )
    layout = check_layout("init", init, n)
    if layout.shape[1] != n_components:
        raise ParameterError(f"init has {layout.shape[1]} columns, but n_components is {n_components}")
    if not np.ptp(layout, axis=0).any():
        raise ParameterError(
            "init puts all items on one spot, where nothing pushes them apart; give them different ones"
        )
    return layout
