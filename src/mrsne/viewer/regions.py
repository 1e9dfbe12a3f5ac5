"""The regions of a map as its page reads them: names, places and outlines, and the innermost region of every item."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mrsne.arrays import Float32, Float64, Int64, UInt16
from mrsne.data.outline import Outline
from mrsne.regions.finding import find_regions
from mrsne.regions.keeping import former_regions
from mrsne.regions.result import Region, Regions

FEWEST_ITEMS = 100  # of a map with regions: fewer are seen at a glance
FEWEST_REGIONS = 3  # with names
CORNERS = 48  # of an outline; the page draws curves through them
STEPS = 16384  # of a unit of the map: coordinates of outlines are whole numbers
NONE = 65535  # in place of the number of a region


def regions_panel(
    coordinates: Mapping[str, Any], data: Outline | None, pictured: bool, centre: Sequence[float], reach: float
) -> tuple[int, dict[str, Callable[[], Any]]]:
    """Return what a page reads of the regions of a map within ``reach`` of ``centre``: their number, and parts."""
    found = page_regions(coordinates, data, pictured)
    if found is None:
        return 0, {}
    innermost = innermost_regions(found, {name: len(Y) for name, Y in coordinates.items()})
    return len(found), {"regions": lambda: drawn_regions(found, centre, reach), "region-of": lambda: (innermost,)}


def page_regions(coordinates: Mapping[str, Any], data: Outline | None, pictured: bool) -> Regions | None:
    """Return the regions of a map that have names; None where there are too few items, or names, to tell parts."""
    if data is None or sum(map(len, coordinates.values())) < FEWEST_ITEMS:
        return None
    found = find_regions({name: coordinates[name] for name in data.sizes}, data, former=former_regions(coordinates))
    by_links = pictured or any(any(region.scores) for region in found)
    named = named_regions(found, by_links)
    return named if len(named.at(0)) >= FEWEST_REGIONS else None


def named_regions(regions: Regions, by_links: bool) -> Regions:
    """Return the regions that have a name, by links where asked for; parts all named as the whole are left out."""
    words: dict[int | None, set[str]] = {None: set()} | {at: set(region.words) for at, region in enumerate(regions)}
    distinct = {region.parent for region in regions if set(region.words) != words[region.parent]}
    kept: list[Region] = []
    numbers: list[int | None] = []  # of each region, or of the one around it, among those that are kept
    for region in regions:
        around = None if region.parent is None else numbers[region.parent]
        if region.words and region.parent in distinct and (any(region.scores) or not by_links):
            numbers.append(len(kept))
            kept.append(replace(region, parent=around))
        else:
            numbers.append(around)
    return Regions(kept)


def drawn_regions(regions: Regions, centre: Sequence[float], reach: float) -> dict[str, Any]:
    """Return what a page draws of regions: corners are steps from the one before."""
    middle = np.asarray(centre)

    def steps(places: Any) -> Int64:
        return np.asarray(np.round((np.asarray(places, np.float64) - middle) / reach * STEPS), np.int64)

    return {
        "words": [region.words for region in regions],
        "parents": [-1 if region.parent is None else region.parent for region in regions],
        "centres": [steps(region.centre).tolist() for region in regions],
        "outlines": [
            [np.diff(steps(evenly_spaced(line)), axis=0, prepend=0).ravel().tolist() for line in region.outline]
            for region in regions
        ],
    }


def evenly_spaced(line: Float32, most: int = CORNERS) -> Float64:
    """Return corners of a closed line at even distances, without the last, which is the first again."""
    exact = np.asarray(line, np.float64)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(exact, axis=0).T))])
    wanted = np.linspace(0, along[-1], min(most, 2 * len(exact)), endpoint=False)
    return np.stack([np.interp(wanted, along, exact[:, axis]) for axis in (0, 1)], axis=1)


def innermost_regions(regions: Regions, sizes: Mapping[str, int]) -> UInt16:
    """Return the number of the smallest region that each item is in, which tells of all levels; ``NONE`` for none."""
    found = {name: np.full(size, NONE, np.uint16) for name, size in sizes.items()}
    for number, region in enumerate(regions):  # parents come before their parts
        for name, items in region.members.items():
            found[name][items] = number
    return np.concatenate(list(found.values()))
