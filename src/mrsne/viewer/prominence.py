"""Which names are shown first: those that say most about their place on the map, not just those with many links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data.outline import Pair

COMPARISONS = 2e7  # of items with a sample
BLOCK = 100_000  # comparisons at a time, which fit into a processor's cache
SAMPLE = (256, 2048)  # items in it, at least and at most
GENERIC = 1.0  # bits: a name that says less about its place is not for the overview
SPREAD = 8  # fewer links are never called spread all over the map
STEPS_BACK = 6  # the first level at which generic names are shown; names are on the screen two levels before theirs
OCTAVE = 1024  # steps of a packed prominence for twice as much
Places: TypeAlias = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Prominence:
    """How much names say about their places."""

    values: NDArray[np.float64]  # the name with the larger one is shown first
    generic: NDArray[np.bool_]  # of an item with links all over the map, whose name says nothing about a place


def prominence(
    domain: str, places: Places, relations: Mapping[Pair, sparse.csr_matrix], strength: NDArray[np.float64]
) -> Prominence:
    """Return how much the name of each item of a domain says about its place on the map.

    Where half of the items that it is linked to are within the share q of all items that are nearest to it, a name
    tells −log₂ 2q bits about where on the map one is: none where its links are all over the map. These count as often
    as it is linked, and (1 − s)² times where it is linked to the share s of all items.
    """
    own = places[domain]
    item, distance, others = _linked(domain, places, relations)
    if not len(item):
        return Prominence(strength, np.zeros(len(own), bool))
    counts = np.bincount(item, minlength=len(own))
    order = np.lexsort((distance, item))
    middle = np.cumsum(counts) - counts + np.maximum((counts + 1) // 2 - 1, 0)
    linked = counts > 0
    reach = np.zeros(len(own))
    reach[linked] = distance[order[middle[linked]]]
    bits = np.maximum(-np.log2(2 * _share_within(own, reach, others)), 0.0)
    words = len(own) <= len(others)  # few describe many; what is described is not generic
    generic = linked & (bits < GENERIC) & (counts >= SPREAD) & words
    weight = np.maximum(bits, GENERIC / 8) * (1 - np.minimum(counts / len(others), 1)) ** 2
    return Prominence(strength * weight, generic)


def _linked(
    domain: str, places: Places, relations: Mapping[Pair, sparse.csr_matrix]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return, for each end of a link in a domain, the item and how far the other end is, and places of all others."""
    items, distances, others = [np.empty(0, np.int64)], [np.empty(0)], {}
    for pair, W in relations.items():
        for side in (side for side in (0, 1) if pair[side] == domain):
            here, there = W.nonzero() if side == 0 else W.nonzero()[::-1]
            others[pair[1 - side]] = np.asarray(places[pair[1 - side]], np.float64)
            items.append(here)
            distances.append(np.hypot(*(places[domain][here] - others[pair[1 - side]][there]).T))
    known = np.concatenate(list(others.values())) if others else np.empty((0, 2))
    return np.concatenate(items), np.concatenate(distances), known


def _share_within(
    centres: NDArray[np.float32], reach: NDArray[np.float64], others: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the share of all others that is within reach of each centre, estimated from a sample."""
    least, most = SAMPLE
    count = min(len(others), int(np.clip(COMPARISONS / len(centres), least, most)))
    x, y = others[np.random.default_rng(0).choice(len(others), count, replace=False)].astype(np.float32).T
    inside = np.empty(len(centres))
    limits = (reach**2 * (1 + 1e-5)).astype(np.float32)  # the item that is just in reach counts
    block = max(1, BLOCK // count)
    for start in range(0, len(centres), block):
        near = slice(start, start + block)
        across, along = centres[near, :1] - x, centres[near, 1:] - y
        across *= across
        along *= along
        across += along
        inside[near] = np.count_nonzero(across <= limits[near, None], axis=1)
    return np.asarray(np.maximum(inside, 1) / count)


def behind(levels: NDArray[np.uint8], generic: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return the levels from which names are shown, generic ones only after some zooming."""
    return np.where(generic, np.maximum(levels, STEPS_BACK), levels).astype(levels.dtype)


def least_prominence(found: Sequence[Prominence]) -> float:
    """Return the least of all prominences but zero, the unit of packed ones."""
    least = min((float(each.values[each.values > 0].min(initial=np.inf)) for each in found), default=np.inf)
    return least if np.isfinite(least) else 1.0


def packed_prominence(values: NDArray[np.float64], unit: float) -> NDArray[np.uint16]:
    """Return prominences on a scale that all kinds share, in steps of a thousandth of an octave."""
    return np.minimum(np.round(OCTAVE * np.log2(1 + values / unit)), 65535).astype(np.uint16)
