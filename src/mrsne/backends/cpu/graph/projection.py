"""Wide vectors onto their principal axes, read in blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from mrsne.backends.rows import Dense, Rows, Sparse, blocks_of

COVARIANCE_UP_TO = 2_048  # dimensions whose covariance is computed; beyond, a subspace is iterated
EXTRA = 10  # axes beyond those asked for, so that the iteration settles sooner
PASSES = 5  # over all vectors


@dataclass(frozen=True)
class Projection:
    """The mean of some vectors and the axes of their largest variance."""

    mean: NDArray[np.float64]
    axes: NDArray[np.float64]  # (d, m), orthonormal columns

    def __call__(self, rows: Rows) -> Dense:
        """Return rows in the coordinates of the axes, in single precision."""
        result = np.empty((len(rows), self.axes.shape[1]), np.float32)
        for block in blocks_of(rows, dense=False):
            result[block] = times(rows, block, self.axes, self.mean)
        return Dense(result, np.ones(len(rows)))


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
    small = rows.shape[1] <= COVARIANCE_UP_TO
    axes = _from_covariance(rows, mean, n_components) if small else _from_subspace(rows, mean, n_components)
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    return Projection(mean, axes * signs)


def _from_covariance(rows: Rows, mean: NDArray[np.float64], n_components: int) -> NDArray[np.float64]:
    d = rows.shape[1]
    covariance = np.zeros((d, d))
    for block in blocks_of(rows):
        centred = (rows.block(block) - mean).astype(np.float32)
        covariance += centred.T @ centred
    _, axes = scipy.linalg.eigh(covariance, subset_by_index=(d - n_components, d - 1))
    return np.asarray(axes[:, ::-1])


def _from_subspace(rows: Rows, mean: NDArray[np.float64], n_components: int) -> NDArray[np.float64]:
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


def times(rows: Rows, block: slice, axes: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (X − mean) A for a block of rows; sparse rows stay sparse."""
    part = rows.matrix[block] if isinstance(rows, Sparse) else rows.block(block)
    return np.asarray(part @ axes) - mean @ axes


def transposed_times(
    rows: Rows, block: slice, coordinates: NDArray[np.float64], mean: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (X − mean)ᵀ Z for a block of rows; sparse rows stay sparse."""
    part = rows.matrix[block] if isinstance(rows, Sparse) else rows.block(block)
    return np.asarray(part.T @ coordinates) - np.outer(mean, coordinates.sum(axis=0))
