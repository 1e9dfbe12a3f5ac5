"""The principal axes of wide vectors, which are read in blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.projection import Projection, times
from mrsne.backends.rows import Rows, Sparse, blocks_of

COVARIANCE_UP_TO = 2_048  # dimensions whose covariance is computed; beyond, a subspace is iterated
EXTRA = 10  # axes beyond those asked for, so that the iteration settles sooner
PASSES = 5  # over all vectors


def principal_axes(rows: Rows, n_components: int) -> Projection:
    """Return the projection that keeps the most variance.

    From the covariance where that is small, otherwise by iterating a random subspace (Halko, Martinsson, Tropp 2011).
    Both read the vectors block by block. The random numbers are always the same.

    Examples
    --------
    >>> from mrsne.backends.rows import prepare
    >>> rows = prepare(np.array([[0.0, 0.1], [1.0, 0.0], [2.0, 0.1]]), "euclidean")
    >>> principal_axes(rows, 1)(rows).values.ravel().round(3)
    array([-1.,  0.,  1.], dtype=float32)
    """
    mean = np.zeros(rows.shape[1])
    for block in blocks_of(rows, dense=False):
        part = rows.matrix[block] if isinstance(rows, Sparse) else rows.block(block)
        mean += np.asarray(part.sum(axis=0, dtype=np.float64)).ravel() / len(rows)
    if rows.shape[1] > COVARIANCE_UP_TO:
        return Projection.from_axes(mean, _iterated_subspace(rows, mean, n_components))
    return Projection.from_covariance(mean, _covariance(rows, mean), n_components)


def _covariance(rows: Rows, mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the covariance times the number of rows."""
    d = rows.shape[1]
    covariance = np.zeros((d, d))
    for block in blocks_of(rows):
        centred = (rows.block(block) - mean).astype(np.float32)
        covariance += centred.T @ centred
    return covariance


def _iterated_subspace(rows: Rows, mean: NDArray[np.float64], n_components: int) -> NDArray[np.float64]:
    d = rows.shape[1]
    basis = np.random.default_rng(0).standard_normal((d, min(n_components + EXTRA, d)))
    for _ in range(PASSES):
        basis = np.linalg.qr(basis)[0]
        moved = np.zeros_like(basis)
        for block in blocks_of(rows, dense=False):
            moved += transposed_times(rows, block, times(rows, block, basis, mean), mean)
        basis = moved
    basis = np.linalg.qr(basis)[0]
    small = np.zeros((basis.shape[1], basis.shape[1]))
    for block in blocks_of(rows, dense=False):
        coordinates = times(rows, block, basis, mean)
        small += coordinates.T @ coordinates
    _, directions = np.linalg.eigh(small)
    return np.asarray(basis @ directions[:, ::-1][:, :n_components])


def transposed_times(
    rows: Rows, block: slice, coordinates: NDArray[np.float64], mean: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (X − mean)ᵀ Z for a block of rows; sparse rows stay sparse."""
    part = rows.matrix[block] if isinstance(rows, Sparse) else rows.block(block)
    return np.asarray(part.T @ coordinates) - np.outer(mean, coordinates.sum(axis=0))
