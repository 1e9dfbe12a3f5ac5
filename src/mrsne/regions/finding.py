"""From the places of items to named regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from mrsne.arrays import Float32, Int64
from mrsne.data.outline import Outline
from mrsne.data.relational import RelationalData, in_memory
from mrsne.data.vectors import read_only
from mrsne.parameters import ParameterError, describe
from mrsne.regions.density import Density, nested_levels, outlines
from mrsne.regions.keeping import with_kept_names
from mrsne.regions.naming import Name, name_regions, read_descriptions
from mrsne.regions.result import Region, Regions

MAX_SHARE_OF_PARENT = 0.9  # of its parent's items: such a region would only repeat it
TYPICAL_ITEMS = 2  # that name a region where no link distinguishes it from others


def find_regions(
    coordinates: Mapping[str, Float32],
    data: Outline | None,
    by: Sequence[str] | None = None,
    former: Regions | None = None,
) -> Regions:
    """Return the regions of a two-dimensional map, as :meth:`mrsne.Embedding.regions` describes them.

    ``former`` are regions of the same items whose names are kept, unless it is said by what to name them.
    """
    Y = np.concatenate(list(coordinates.values()))
    known = _check_map(coordinates, Y, data)
    if by is not None:
        _check_describing(by, known)
    density = Density.of(Y)
    levels = nested_levels(density)
    kept, parents = _nested_regions(levels)
    members = [np.flatnonzero(levels[level] == number) for level, number in kept]
    names = _names(known, by, Y, members, parents)
    starts = np.cumsum([0, *(len(places) for places in coordinates.values())])[:-1]
    found: list[Region] = []
    shapes = outlines(density, members, [level for level, _ in kept])
    for (level, _), items, parent, (words, scores), (lines, centre) in zip(
        kept, members, parents, names, shapes, strict=True
    ):
        by_domain = zip(coordinates, starts, np.split(items, np.searchsorted(items, starts[1:])), strict=True)
        positions = MappingProxyType({name: read_only(own - start) for name, start, own in by_domain})
        found.append(Region(level, parent, words, scores, positions, lines, centre, len(found)))
    if former is None or by is not None:
        return Regions(found)
    same = {name: np.arange(len(places), dtype=np.int64) for name, places in coordinates.items()}
    return with_kept_names(Regions(found), former, known, same)


def _check_map(coordinates: Mapping[str, Float32], Y: Float32, data: Outline | None) -> RelationalData | None:
    if Y.shape[1] != 2:
        raise ParameterError(f"regions need a two-dimensional map, got {Y.shape[1]} dimensions")
    if not len(Y) or not np.isfinite(Y).all():
        raise ParameterError("regions need items with finite coordinates, but the map has none or some are not")
    if data is None:
        return None
    if not isinstance(data, Outline):
        raise ParameterError(f"data must be a RelationalData, got {describe(data)}")
    sizes = {name: len(places) for name, places in coordinates.items()}
    if dict(data.sizes) != sizes or list(data.sizes) != list(sizes):
        raise ParameterError(f"data must have the items of the map, {sizes}, got {dict(data.sizes)}")
    return in_memory(data)


def _check_describing(by: Sequence[str], data: RelationalData | None) -> None:
    if isinstance(by, str) or not isinstance(by, Sequence):
        raise ParameterError(f"by must be a list of domains, got {describe(by)}")
    usable: list[str] = []
    if data is not None:
        linked = {name for pair in data.relations for name in pair}
        usable = [name for name in data.sizes if name in linked and data.shown_names(name) is not None]
    for name in by:
        if name not in usable:
            known = ", ".join(map(repr, usable)) or "there are none"
            raise ParameterError(f"by must be domains with links and names ({known}), got {describe(name)}")


def _nested_regions(levels: list[Int64]) -> tuple[list[tuple[int, int]], list[int | None]]:
    """Return the regions that are kept, as level and number in it, and the parent of each among them."""
    kept: list[tuple[int, int]] = []
    parents: list[int | None] = []
    sizes: list[int] = []
    above: Int64 | None = None  # of each item, its region on the levels so far
    for depth, level in enumerate(levels):
        inner = np.full(len(level), -1) if above is None else above.copy()
        for number in range(int(level.max()) + 1):
            items = np.flatnonzero(level == number)
            parent = None if above is None or above[items[0]] < 0 else int(above[items[0]])
            if parent is not None and len(items) >= MAX_SHARE_OF_PARENT * sizes[parent]:
                continue
            inner[items] = len(kept)
            kept.append((depth, number))
            parents.append(parent)
            sizes.append(len(items))
        above = inner
    return kept, parents


def _names(
    data: RelationalData | None, by: Sequence[str] | None, Y: Float32, members: list[Int64], parents: list[int | None]
) -> list[Name]:
    """Return names by links or, where a region has none of these, by typical items."""
    names: list[Name] = [((), ())] * len(members)
    if data is None:
        return names
    descriptions = read_descriptions(data, by)
    if descriptions is not None and members:
        names = name_regions(descriptions, members, parents)
    for index, items in enumerate(members):
        if not names[index][0]:
            words = _typical_names(data, items, Y)
            names[index] = (words, (0.0,) * len(words))
    return names


def _typical_names(data: RelationalData, items: Int64, Y: Float32) -> tuple[str, ...]:
    """Return the names of items in the middle, nearest to the median place, of the kind with names that has most."""
    best: Int64 = items[:0]
    names: tuple[str, ...] = ()
    for name, size in data.sizes.items():
        start = data.offsets[name]
        own = items[(items >= start) & (items < start + size)]
        if len(own) > len(best) and (shown := data.shown_names(name)) is not None:
            best, names = own, tuple(shown[item - start] for item in own)
    if not names:
        return ()
    places = Y[best].astype(np.float64)
    far = ((places - np.median(places, axis=0)) ** 2).sum(axis=1)
    return tuple(names[i] for i in np.argsort(far, kind="stable")[:TYPICAL_ITEMS])
