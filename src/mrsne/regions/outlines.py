"""Lines around regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from mrsne.regions.levels import CELLS, Density

INSIDE = 0.9  # share of a region's items within its outline
AROUND = 0.6  # of the density at the outermost of these items: a line around them, not through them
GAP = 1.1  # times as dense as any other region of the level, within the outline
Shape: TypeAlias = tuple[tuple[NDArray[np.float32], ...], tuple[float, float]]  # lines, and the densest place
SMALLEST = 0.05  # share of the largest part's area that another part needs to have an outline


def outlines(density: Density, members: Sequence[NDArray[np.int64]], levels: Sequence[int]) -> list[Shape]:
    """Return, for each region, lines around nine tenths of its items, and where these are densest.

    A line is a contour of the region's own density. It ends where another region of the same level is as dense: regions
    beside each other have a border, and do not overlap.
    """
    fields = [_own_density(density, items) for items in members]
    margin = max((field.reach for field in fields), default=0)
    found: list[Shape] = [((), (0.0, 0.0))] * len(members)
    for level in sorted(set(levels)):
        regions = [region for region, own in enumerate(levels) if own == level]
        first, second = np.zeros((2, CELLS + 2 * margin, CELLS + 2 * margin), np.float32)
        for region in regions:
            window = fields[region].window(margin)
            own = fields[region].values
            second[window] = np.maximum(second[window], np.minimum(first[window], own))
            first[window] = np.maximum(first[window], own)
        for region in regions:
            window = fields[region].window(margin)
            rival = np.where(fields[region].values >= first[window], second[window], first[window])
            found[region] = fields[region].outline(density, rival)
    return found


@dataclass(frozen=True)
class OwnDensity:
    """The density of a region's items alone, in a part of the grid."""

    values: NDArray[np.float32]
    corner: tuple[int, int]  # the row and column of its first cell
    reach: int  # how many cells it begins before the first of its items
    threshold: float  # the density that all but a tenth of its items exceed

    def window(self, margin: int) -> tuple[slice, slice]:
        """Return where it is on a grid with a margin."""
        (top, left), (height, width) = self.corner, self.values.shape
        return slice(top + margin, top + margin + height), slice(left + margin, left + margin + width)

    def outline(self, density: Density, rival: NDArray[np.float32]) -> Shape:
        """Return lines around it where it is denser than its rivals, and its densest place."""
        from contourpy import contour_generator

        top, left = self.corner
        above = np.minimum(self.values - AROUND * self.threshold, self.values - GAP * rival)
        lines = contour_generator(z=above).lines(0.0)
        areas = [_area(np.asarray(line)) for line in lines]  # negative for holes
        origin = density.corner + density.cell * (np.array([left, top]) + 0.5)
        least = SMALLEST * max(areas, default=0.0)
        large = [np.asarray(line) for line, area in zip(lines, areas, strict=True) if area > least]
        row, column = np.unravel_index(int(above.argmax()), above.shape)
        x, y = origin + density.cell * np.array([column, row])
        return tuple((origin + density.cell * line).astype(np.float32) for line in large), (float(x), float(y))


def _own_density(density: Density, items: NDArray[np.int64]) -> OwnDensity:
    rows, columns = np.divmod(density.where[items], CELLS)
    spread = float(np.hypot(rows.std(), columns.std())) / 2**0.5
    width = max(1.0, spread * len(items) ** (-1 / 6))  # Silverman's rule
    reach = int(3 * width) + 2
    top, left = int(rows.min()) - reach, int(columns.min()) - reach
    shape = (int(rows.max()) + reach + 1 - top, int(columns.max()) + reach + 1 - left)
    counts = np.bincount((rows - top) * shape[1] + columns - left, minlength=shape[0] * shape[1]).reshape(shape)
    values = gaussian_filter(counts.astype(np.float32), width, mode="constant", truncate=3.0)
    threshold = float(np.quantile(values[rows - top, columns - left], 1 - INSIDE))
    return OwnDensity(values, (top, left), reach, threshold)


def _area(line: NDArray[np.float64]) -> float:
    """Return the area within a closed line, negative where it runs clockwise."""
    (x, y), (next_x, next_y) = line[:-1].T, line[1:].T
    return float((x * next_y - next_x * y).sum() / 2)
