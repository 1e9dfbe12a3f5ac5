"""The density of a map: nested levels, which are its basins, joined step by step; and lines around regions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import fft
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.ndimage import gaussian_filter, maximum_filter

from mrsne.arrays import Float32, Float64, Int64

CELLS = 256  # on a side of the grid: at 100,000 items a region of the finest level still has a hundred
MARGIN = 0.06  # of the map's extent, empty on every side, so that outlines close
MIN_ITEMS = 8  # items of a region
TYPICAL_ITEMS = 16  # items of a region of the finest level, on average
MAX_REGIONS = 480  # regions of the finest level
OVERVIEW_REGIONS = (4, 12)  # regions of the overview, at least and at most
GROWTH = (3.0, 6.0)  # times as many on each further level
LEVELS = 4
WIDTHS = np.geomspace(CELLS / 8, 0.8, 24)  # of the Gaussian, in cells
MAX_DISTANCE = 6  # widths from the nearest basin: farther items have no region
SAMPLE_POINTS = 1500  # that stand for all items while basins are joined
COVERED_SHARE = 0.9  # share of a region's items within its outline
OUTLINE_DENSITY = 0.6  # of the density at the outermost of these items: a line around them, not through them
DOMINANCE = 1.1  # times as dense as any other region of the level, within the outline
Shape: TypeAlias = tuple[tuple[Float32, ...], tuple[float, float]]  # lines, and the densest place
MIN_AREA_SHARE = 0.05  # share of the largest part's area that another part needs to have an outline


@dataclass(frozen=True)
class Density:
    """Counts of items on a square grid."""

    corner: Float64  # where the grid begins
    cell: float  # side of a cell
    where: Int64  # the cell of each item, in the flattened grid
    spectrum: Float64  # cosine transform of the counts, of shape (CELLS, CELLS)

    @classmethod
    def of(cls, Y: Float32) -> Density:
        low, high = Y.min(axis=0).astype(np.float64), Y.max(axis=0).astype(np.float64)
        side = max(float((high - low).max()), 1e-12 * max(1.0, float(np.abs(Y).max()))) * (1 + 2 * MARGIN)
        corner, cell = (low + high - side) / 2, side / CELLS
        columns, rows = np.clip((Y - corner) / cell, 0, CELLS - 1).astype(np.int64).T
        where = rows * CELLS + columns
        counts = np.bincount(where, minlength=CELLS * CELLS).reshape(CELLS, CELLS).astype(np.float64)
        return cls(corner, cell, where, fft.dctn(counts, norm="ortho"))

    def smooth(self, width: float) -> Float64:
        """Return the counts, smoothed by a Gaussian of this standard deviation in cells."""
        decay = np.exp(-0.5 * (width * np.pi * np.arange(CELLS) / CELLS) ** 2)
        smoothed = fft.idctn(self.spectrum * decay[:, None] * decay, norm="ortho")
        return np.asarray(np.maximum(smoothed, 0))

    def places(self, cells: Int64) -> Float64:
        return np.asarray(self.corner + self.cell * (np.stack([cells % CELLS, cells // CELLS], axis=1) + 0.5))


def peaks(smoothed: Float64, width: float, fewest: float) -> Int64:
    """Return the cells of peaks: higher than their neighbours, and as high as ``fewest`` items in one place."""
    highest = maximum_filter(smoothed, 3)
    high_enough = smoothed * 2 * np.pi * max(width, 0.5) ** 2 >= fewest
    return np.flatnonzero((smoothed == highest) & high_enough)


def basins(smoothed: Float64) -> Int64:
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


def nested_levels(density: Density) -> list[Int64]:
    """Return levels from coarse to fine: of each item, the number of its region, the largest first; -1 for none.

    The finest has the basins of the density, joined by Ward's criterion to regions of comparable extent.
    """
    finest = _basin_level(density, _finest_width(density))
    sizes = np.bincount(finest[finest >= 0])
    if len(sizes) < 2:
        return [finest]
    joins, first = _joins(density, finest, sizes)
    levels = []
    for count in level_counts(joins[:, 2], len(sizes)):
        group = np.append(fcluster(joins, count, criterion="maxclust")[first], -1)
        levels.append(_largest_first(group[finest]))
    return levels


def level_counts(heights: Float64, finest: int) -> list[int]:
    """Return how many regions each level has, from the distances at which clusters of the finest are joined, ascending.

    It is the number after which joining two more would cost most, compared with the join before. In an even disc the
    distance grows as one over the number of clusters, which is divided out.
    """
    counts: list[int] = []
    least, most = OVERVIEW_REGIONS
    while len(counts) < LEVELS and least < finest:
        numbers = np.arange(least, min(most, finest - 1) + 1)
        next_join, last_join = heights[-(numbers - 1)], heights[-numbers]
        gain = next_join * (numbers - 1) / np.maximum(last_join * numbers, 1e-300)
        counts.append(int(numbers[gain.argmax()]))
        least, most = round(counts[-1] * GROWTH[0]), round(counts[-1] * GROWTH[1])
    if not counts or (len(counts) < LEVELS and finest >= 1.5 * counts[-1]):
        counts.append(finest)
    return counts


def _finest_width(density: Density) -> float:
    """Return the width with nearly as many peaks as there should be regions of the finest level."""
    wanted = min(max(len(density.where) // TYPICAL_ITEMS, 1), MAX_REGIONS)
    counts = np.array([len(peaks(density.smooth(width), width, MIN_ITEMS / 2)) for width in WIDTHS])
    enough = np.flatnonzero(counts >= wanted)
    return float(WIDTHS[enough[0]] if len(enough) else WIDTHS[counts.argmax()])


def _basin_level(density: Density, width: float) -> Int64:
    """Return the basins with enough items; items of smaller ones go to the nearest, unless it is far away."""
    tops, of_item = np.unique(basins(density.smooth(width))[density.where], return_inverse=True)
    sizes = np.bincount(of_item)
    kept = np.flatnonzero(sizes >= min(MIN_ITEMS, sizes.max()))
    places = density.places(tops)
    distance = ((places[:, None] - places[kept]) ** 2).sum(axis=2)
    near = distance.argmin(axis=1)
    near[distance.min(axis=1) > (MAX_DISTANCE * width * density.cell) ** 2] = -1
    near[kept] = np.arange(len(kept))
    return _largest_first(near[of_item])


def _joins(density: Density, finest: Int64, sizes: Int64) -> tuple[Float64, Int64]:
    """Return Ward's joins of points at the mean of each basin, as many as its items deserve, and its first point."""
    inside = finest >= 0
    owner = finest[inside]
    places = density.places(density.where[inside])
    means = np.stack([np.bincount(owner, places[:, axis], len(sizes)) / sizes for axis in (0, 1)], axis=1)
    copies = np.maximum(1, np.round(sizes * min(1.0, SAMPLE_POINTS / sizes.sum()))).astype(np.int64)
    joins = linkage(np.repeat(means, copies, axis=0), "ward")
    return joins, np.concatenate([[0], np.cumsum(copies)[:-1]])


def _largest_first(of_item: Int64) -> Int64:
    """Return regions numbered by size; -1 stays."""
    numbers, compact = np.unique(of_item[of_item >= 0], return_inverse=True)
    order = np.argsort(-np.bincount(compact, minlength=len(numbers)), kind="stable")
    rank = np.argsort(order, kind="stable")
    found = np.full(len(of_item), -1, dtype=np.int64)
    found[of_item >= 0] = rank[compact]
    return found


def outlines(density: Density, members: Sequence[Int64], levels: Sequence[int]) -> list[Shape]:
    """Return, for each region, lines around nine tenths of its items, and where these are densest.

    A line is a contour of the region's own density, and ends where another region of the level is as dense.
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

    values: Float32
    corner: tuple[int, int]  # the row and column of its first cell
    reach: int  # how many cells it begins before the first of its items
    threshold: float  # the density that all but a tenth of its items exceed

    def window(self, margin: int) -> tuple[slice, slice]:
        """Return where it is on a grid with a margin."""
        (top, left), (height, width) = self.corner, self.values.shape
        return slice(top + margin, top + margin + height), slice(left + margin, left + margin + width)

    def outline(self, density: Density, rival: Float32) -> Shape:
        """Return lines around it where it is denser than its rivals, and its densest place."""
        from contourpy import contour_generator

        top, left = self.corner
        above = np.minimum(self.values - OUTLINE_DENSITY * self.threshold, self.values - DOMINANCE * rival)
        lines = contour_generator(z=above).lines(0.0)
        areas = [_area(np.asarray(line)) for line in lines]  # negative for holes
        origin = density.corner + density.cell * (np.array([left, top]) + 0.5)
        least = MIN_AREA_SHARE * max(areas, default=0.0)
        large = [np.asarray(line) for line, area in zip(lines, areas, strict=True) if area > least]
        row, column = np.unravel_index(int(above.argmax()), above.shape)
        x, y = origin + density.cell * np.array([column, row])
        return tuple((origin + density.cell * line).astype(np.float32) for line in large), (float(x), float(y))


def _own_density(density: Density, items: Int64) -> OwnDensity:
    rows, columns = np.divmod(density.where[items], CELLS)
    spread = float(np.hypot(rows.std(), columns.std())) / 2**0.5
    width = max(1.0, spread * len(items) ** (-1 / 6))  # Silverman's rule
    reach = int(3 * width) + 2
    top, left = int(rows.min()) - reach, int(columns.min()) - reach
    shape = (int(rows.max()) + reach + 1 - top, int(columns.max()) + reach + 1 - left)
    counts = np.bincount((rows - top) * shape[1] + columns - left, minlength=shape[0] * shape[1]).reshape(shape)
    values = gaussian_filter(counts.astype(np.float32), width, mode="constant", truncate=3.0)
    threshold = float(np.quantile(values[rows - top, columns - left], 1 - COVERED_SHARE))
    return OwnDensity(values, (top, left), reach, threshold)


def _area(line: Float64) -> float:
    """Return the area within a closed line, negative where it runs clockwise."""
    (x, y), (next_x, next_y) = line[:-1].T, line[1:].T
    return float((x * next_y - next_x * y).sum() / 2)
