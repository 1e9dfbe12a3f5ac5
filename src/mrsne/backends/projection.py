"""Vectors in the coordinates of their principal axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from mrsne.backends.rows import Dense, Rows, Sparse, blocks_of


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

    @classmethod
    def from_axes(cls, mean: NDArray[np.float64], axes: NDArray[np.float64]) -> Projection:
        """Return the projection onto orthonormal columns, the largest number of each positive."""
        signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
        return cls(mean, axes * signs)

    @classmethod
    def from_covariance(
        cls, mean: NDArray[np.float64], covariance: NDArray[np.float64], n_components: int
    ) -> Projection:
        """Return the projection that keeps the most variance; the covariance may have any factor."""
        d = len(mean)
        _, axes = scipy.linalg.eigh(covariance, subset_by_index=(d - n_components, d - 1))
        return cls.from_axes(mean, np.asarray(axes[:, ::-1]))


def times(rows: Rows, block: slice, axes: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (X − mean) A for a block of rows; sparse rows stay sparse."""
    part = rows.matrix[block] if isinstance(rows, Sparse) else rows.block(block)
    return np.asarray(part @ axes) - mean @ axes
