"""The density of a map at any smoothness, its peaks, and the basin of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft, ndimage

CELLS = 256  # on a side: at 100,000 items a region of the finest level still has a hundred
MARGIN = 0.06  # of the map's extent, empty on every side, so that outlines close


@dataclass(frozen=True)
class Density:
    """Counts of items on a square grid.

    Attributes
    ----------
    corner : array of shape (2,)
        Where the grid begins.
    cell : float
        Side of a cell.
    where : array of shape (items,)
        The cell of each item, in the flattened grid.
    spectrum : array of shape (CELLS, CELLS)
        Cosine transform of the counts.
    """

    corner: NDArray[np.float64]
    cell: float
    where: NDArray[np.int64]
    spectrum: NDArray[np.float64]

    @classmethod
    def of(cls, Y: NDArray[np.float32]) -> Density:
        """Count items at their places."""
        low, high = Y.min(axis=0).astype(np.float64), Y.max(axis=0).astype(np.float64)
        side = max(float((high - low).max()), 1e-12 * max(1.0, float(np.abs(Y).max()))) * (1 + 2 * MARGIN)
        corner, cell = (low + high - side) / 2, side / CELLS
        columns, rows = np.clip((Y - corner) / cell, 0, CELLS - 1).astype(np.int64).T
        where = rows * CELLS + columns
        counts = np.bincount(where, minlength=CELLS * CELLS).reshape(CELLS, CELLS).astype(np.float64)
        return cls(corner, cell, where, fft.dctn(counts, norm="ortho"))

    def smooth(self, width: float) -> NDArray[np.float64]:
        """Return the counts, smoothed by a Gaussian of this standard deviation in cells."""
        decay = np.exp(-0.5 * (width * np.pi * np.arange(CELLS) / CELLS) ** 2)
        smoothed = fft.idctn(self.spectrum * decay[:, None] * decay, norm="ortho")
        return np.asarray(np.maximum(smoothed, 0))

    def places(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the middles of some cells."""
        return np.asarray(self.corner + self.cell * (np.stack([cells % CELLS, cells // CELLS], axis=1) + 0.5))


def peaks(smoothed: NDArray[np.float64], width: float, fewest: float) -> NDArray[np.int64]:
    """Return the cells of peaks: higher than their neighbours, and as high as ``fewest`` items in one place."""
    highest = ndimage.maximum_filter(smoothed, 3)
    high_enough = smoothed * 2 * np.pi * max(width, 0.5) ** 2 >= fewest
    return np.flatnonzero((smoothed == highest) & high_enough)


def basins(smoothed: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return, for each cell, the cell of the peak where the steepest way up ends."""
    padded = np.pad(smoothed, 1, constant_values=-1.0)
    steps = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1)]
    rise = np.stack([padded[1 + r : CELLS + 1 + r, 1 + c : CELLS + 1 + c] for r, c in steps])
    rise[4] *= 1 + 1e-12  # on a plateau, stay
    offsets = np.array([r * CELLS + c for r, c in steps])
    up = np.arange(CELLS * CELLS) + offsets[rise.argmax(axis=0)].ravel()
    while not np.array_equal(up, further := up[up]):
        up = further
    return np.asarray(up)
