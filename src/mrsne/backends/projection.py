"""Vectors in the coordinates of their principal axes, which are found by reading them in blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from mrsne.arrays import Float64
from mrsne.backends.rows import Dense, Rows, Sparse, blocks_of

COVARIANCE_UP_TO = 2_048  # dimensions whose covariance is computed; beyond, a subspace is iterated
EXTRA = 10  # axes beyond those asked for, so that the iteration settles sooner
PASSES = 5  # over all vectors


@dataclass(frozen=True)
class Projection:
    """The mean of some vectors and the axes of their largest variance."""

    mean: Float64
    axes: Float64  # (d, m), orthonormal columns

    def __call__(self, rows: Rows) -> Dense:
        """Return rows in the coordinates of the axes, in single precision."""
        result = np.empty((len(rows), self.axes.shape[1]), np.float32)
        for block in blocks_of(rows, dense=False):
            result[block] = times(rows, block, self.axes, self.mean)
        return Dense(result, np.ones(len(rows)))

    @classmethod
    def from_axes(cls, mean: Float64, axes: Float64) -> Projection:
        """Return the projection onto orthonormal columns, the largest number of each positive."""
        signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
        return cls(mean, axes * signs)

    @classmethod
    def from_covariance(cls, mean: Float64, covariance: Float64, n_components: int) -> Projection:
        """Return the projection that keeps the most variance; the covariance may have any factor."""
        d = len(mean)
        _, axes = scipy.linalg.eigh(covariance, subset_by_index=(d - n_components, d - 1))
        return cls.from_axes(mean, np.asarray(axes[:, ::-1]))


def _part(rows: Rows, block: slice) -> Any:
    """Return a block of rows; sparse rows stay sparse."""
    return rows.matrix[block] if isinstance(rows, Sparse) else rows.block(block)


def times(rows: Rows, block: slice, axes: Float64, mean: Float64) -> Float64:
    """Return (X − mean) A for a block of rows."""
    return np.asarray(_part(rows, block) @ axes) - mean @ axes


def principal_axes(rows: Rows, n_components: int) -> Projection:
    """Return the projection that keeps the most variance, by its covariance where that is small.

    Otherwise a random subspace is iterated (Halko, Martinsson, Tropp 2011); its random numbers are always the same.
    """
    mean = np.zeros(rows.shape[1])
    for block in blocks_of(rows, dense=False):
        mean += np.asarray(_part(rows, block).sum(axis=0, dtype=np.float64)).ravel() / len(rows)
    if rows.shape[1] > COVARIANCE_UP_TO:
        return Projection.from_axes(mean, _iterated_subspace(rows, mean, n_components))
    covariance = np.zeros((len(mean), len(mean)))  # times the number of rows
    for block in blocks_of(rows):
        centred = (rows.block(block) - mean).astype(np.float32)
        covariance += centred.T @ centred
    return Projection.from_covariance(mean, covariance, n_components)


def _iterated_subspace(rows: Rows, mean: Float64, n_components: int) -> Float64:
    d = rows.shape[1]
    basis = np.random.default_rng(0).standard_normal((d, min(n_components + EXTRA, d)))
    for _ in range(PASSES):
        basis = np.linalg.qr(basis)[0]
        moved = np.zeros_like(basis)
        for block in blocks_of(rows, dense=False):
            coordinates = times(rows, block, basis, mean)
            moved += np.asarray(_part(rows, block).T @ coordinates) - np.outer(mean, coordinates.sum(axis=0))
        basis = moved
    basis = np.linalg.qr(basis)[0]
    small = np.zeros((basis.shape[1], basis.shape[1]))
    for block in blocks_of(rows, dense=False):
        coordinates = times(rows, block, basis, mean)
        small += coordinates.T @ coordinates
    _, directions = np.linalg.eigh(small)
    return np.asarray(basis @ directions[:, ::-1][:, :n_components])
