"""Lines around regions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from mrsne.regions.density import CELLS, Density

INSIDE = 0.9  # share of a region's items within its outline
AROUND = 0.6  # of the density at the outermost of these items: a line around them, not through them
SMALLEST = 0.05  # share of the largest part's area that another part needs to have an outline


def outline(density: Density, items: NDArray[np.int64]) -> tuple[tuple[NDArray[np.float32], ...], tuple[float, float]]:
    """Return the contour of a region's own density that holds nine tenths of its items, and where it is densest."""
    from contourpy import contour_generator

    rows, columns = np.divmod(density.where[items], CELLS)
    spread = float(np.hypot(rows.std(), columns.std())) / 2**0.5
    width = max(1.0, spread * len(items) ** (-1 / 6))  # Silverman's rule
    reach = int(3 * width) + 2
    top, left = int(rows.min()) - reach, int(columns.min()) - reach
    shape = (int(rows.max()) + reach + 1 - top, int(columns.max()) + reach + 1 - left)
    counts = np.bincount((rows - top) * shape[1] + columns - left, minlength=shape[0] * shape[1]).reshape(shape)
    own = gaussian_filter(counts.astype(np.float32), width, mode="constant", truncate=3.0)
    threshold = float(np.quantile(own[rows - top, columns - left], 1 - INSIDE))
    lines = contour_generator(z=own).lines(AROUND * threshold)
    areas = [_area(np.asarray(line)) for line in lines]  # negative for holes
    origin = density.corner + density.cell * (np.array([left, top]) + 0.5)
    least = SMALLEST * max(areas, default=0.0)
    kept = [origin + density.cell * np.asarray(line) for line, area in zip(lines, areas, strict=True) if area > least]
    row, column = np.unravel_index(int(own.argmax()), shape)
    x, y = origin + density.cell * np.array([column, row])
    return tuple(line.astype(np.float32) for line in kept), (float(x), float(y))


def _area(line: NDArray[np.float64]) -> float:
    """Return the area within a closed line, negative where it runs clockwise."""
    (x, y), (next_x, next_y) = line[:-1].T, line[1:].T
    return float((x * next_y - next_x * y).sum() / 2)
