"""Regions of a map that continues another: those that keep most of their items keep their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Int64
from mrsne.data.outline import Outline
from mrsne.regions.result import Region, Regions

MOST = 0.5  # of the items of both regions, those that are in both maps, are in both


def former_regions(coordinates: Any) -> Regions | None:
    """Return the regions whose names those of a map are to keep: an Embedding that continues another has them."""
    found: Regions | None = getattr(getattr(coordinates, "lineage", None), "regions", None)
    return found


def with_kept_names(found: Regions, former: Regions, data: Outline | None, matches: Mapping[str, Int64]) -> Regions:
    """Return regions under the names and keys of the former ones that they continue.

    ``matches`` are the positions in the former map of all items, −1 for new ones. A name is not kept where one of its
    words is no longer the name of an item.
    """
    names = set() if data is None else {name for kind in data.sizes for name in data.shown_names(kind) or ()}
    free = 1 + max((region.key for region in former), default=-1)
    result: list[Region] = []
    for region, number in zip(found, continued_regions(found, former, matches), strict=True):
        if number is None:
            result.append(replace(region, key=free))
            free += 1
            continue
        old = former[number]
        lasting = old.words and all(word in names or word.rpartition(" (")[0] in names for word in old.words)
        words, scores = (old.words, old.scores) if lasting else (region.words, region.scores)
        result.append(replace(region, key=old.key, words=words, scores=scores))
    return Regions(result)


def continued_regions(found: Regions, former: Regions, matches: Mapping[str, Int64]) -> list[int | None]:
    """Return the former region that each region continues, where most of the items of each are in the other, or None.

    Items that are in one of the two maps only do not count.
    """
    lasting = {kind: np.sort(positions[positions >= 0]) for kind, positions in matches.items()}
    before = _membership(former, {}, lasting)
    after = _membership(found, matches, lasting)
    sizes, old_sizes = np.diff(after.indptr), np.diff(before.indptr)
    shared = (after @ before.T).tocoo()
    pairs = []
    for number, old, count in zip(shared.row.tolist(), shared.col.tolist(), shared.data.tolist(), strict=True):
        if count > MOST * sizes[number] and count > MOST * old_sizes[old]:
            likeness = count / (sizes[number] + old_sizes[old] - count)
            pairs.append((-likeness, found[number].level != former[old].level, number, old))
    origin: list[int | None] = [None] * len(found)
    for *_, number, old in sorted(pairs):
        if origin[number] is None and old not in origin:
            origin[number] = old
    return origin


def _membership(regions: Regions, former: Mapping[str, Int64], lasting: Mapping[str, Int64]) -> sparse.csr_matrix:
    """Return 1 for each region and each of its items that is in both maps, by the number of the item among these."""
    starts = dict(zip(lasting, np.cumsum([0, *map(len, lasting.values())]).tolist(), strict=False))
    columns: list[Int64] = []
    for region in regions:
        own = [np.empty(0, np.int64)]
        for kind, items in region.members.items():
            positions = former[kind][items] if kind in former else items
            known = positions[np.isin(positions, lasting.get(kind, own[0]))]
            own.append(np.searchsorted(lasting[kind], known) + starts[kind] if len(known) else own[0])
        columns.append(np.concatenate(own))
    indptr = np.cumsum([0, *map(len, columns)])
    indices = np.concatenate([np.empty(0, np.int64), *columns])
    width = sum(map(len, lasting.values()))
    return sparse.csr_matrix((np.ones(len(indices)), indices, indptr), shape=(len(columns), width))
