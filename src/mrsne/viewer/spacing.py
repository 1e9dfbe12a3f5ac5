"""What is shown at which zoom: which names come first, the level from which an item is shown, and squares of the map.

Each level is √2 times the zoom of the one before. At every level the items that are shown do not cover each other, and
an item that is shown stays as one zooms in; so nothing has to be decided while the map moves. The items of a square
come in one sheet of thumbnails, so that a page requests what is on the screen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.arrays import Bool, Float32, Float64, Int32, Int64, UInt8, UInt16
from mrsne.data.outline import Pair
from mrsne.loops import Array, kernel

LEVELS = 26
PIXELS = 400.0  # on the screen for one unit of the map, at level 0: the whole map, from -1 to 1, is 800 pixels wide
STEP = 2.0**0.5  # zoom from one level to the next
DEEPEST = 20  # depth of squares; items that share one of these are as good as at one place
COMPARISONS = 2e7  # of items with a sample
BLOCK = 100_000  # comparisons at a time, which fit into a processor's cache
SAMPLE = (256, 2048)  # items in it, at least and at most
GENERIC = 1.0  # bits: a name that says less about its place is not for the overview
SPREAD = 8  # fewer links are never called spread all over the map
STEPS_BACK = 6  # the first level at which generic names are shown; names are on the screen two levels before theirs
OCTAVE = 1024  # steps of a packed prominence for twice as much
Places: TypeAlias = Mapping[str, Float32]


def levels_of(places: Float32, importance: Float64, boxes: Float64) -> UInt8:
    """Return the level from which each item is shown, ``LEVELS`` for those that are covered even at the last one.

    ``boxes`` has the pixels of what is shown for an item, by level. Of two that would cover each other, the more
    important is shown; of equals, the first.
    """
    count = len(places)
    levels = np.full(count, LEVELS, np.uint8)
    order = np.argsort(-importance, kind="stable").astype(np.int64)
    slots = 1 << max(4, int(np.ceil(np.log2(max(count, 1)))) + 1)
    table = np.empty(slots, np.int64)
    for level in range(LEVELS):
        table[:] = -1
        cells = np.ascontiguousarray((places.astype(np.float64) + 2.0) * (PIXELS * STEP**level / boxes[level]))
        _show.alone(count, cells, order, level, LEVELS, table, levels)
        if not np.any(levels == LEVELS):
            break
    return levels


@kernel("f8[:,:] i8[:] i8 i8 i8[:]! u1[:]!", exact=True)
def _show(
    first: int, last: int, cells: Array, order: Array, level: int, hidden: int, table: Array, levels: Array
) -> None:
    """Add to the items that are shown those a box away from all of them, by a hash map with one item in a cell."""
    mask = len(table) - 1
    for turn in range(2):
        for rank in range(first, last):
            item = order[rank]
            if (levels[item] < hidden) != (turn == 0):
                continue
            column, row = int(cells[item, 0]), int(cells[item, 1])
            free = True
            if turn == 1:
                for near in range(9):
                    x, y = column + near % 3 - 1, row + near // 3 - 1
                    slot = (x * 73856093 ^ y * 19349663) & mask
                    while free and table[slot] >= 0:
                        other = table[slot]
                        if abs(cells[other, 0] - cells[item, 0]) < 1.0 and abs(cells[other, 1] - cells[item, 1]) < 1.0:
                            free = False
                        slot = (slot + 1) & mask
                    if not free:
                        break
                if not free:
                    continue
                levels[item] = level
            slot = (column * 73856093 ^ row * 19349663) & mask
            while table[slot] >= 0:
                slot = (slot + 1) & mask
            table[slot] = item


@dataclass(frozen=True)
class Quadtree:
    """Squares of the map, each with the items to show first and four smaller squares with the rest.

    A node has depth, column and row (square ``(0, 0, 0)`` is the whole map from -1 to 1, rows go up), where its items
    start in ``order``, how many there are, and the number of its parent, -1 for the first.
    """

    order: NDArray[np.uint32]  # the items, square after square
    nodes: Int32

    def items(self, node: int) -> NDArray[np.uint32]:
        start, count = self.nodes[node, 3:5]
        return self.order[start : start + count]


def quadtree(places: Float32, first: Int64, capacity: int) -> Quadtree:
    """Put items into squares, at most ``capacity`` into each: the first ones of ``first``, smaller squares the rest."""
    order: list[Int64] = []
    nodes: list[tuple[int, int, int, int, int, int]] = []
    waiting = [(first, 0, 0, 0, -1)]
    start = 0
    while waiting:
        items, depth, column, row, parent = waiting.pop()
        own, rest = items[:capacity], items[capacity:]
        nodes.append((depth, column, row, start, len(own), parent))
        order.append(own)
        start += len(own)
        node = len(nodes) - 1
        if len(rest) and depth == DEEPEST:
            waiting.append((rest, depth, column, row, node))
        elif len(rest):
            middle = (np.array([column, row]) + 0.5) * 2.0 ** (1 - depth) - 1.0
            right, up = (places[rest] >= middle).T
            for part in range(4):
                inside = rest[(right == part % 2) & (up == part // 2)]
                if len(inside):
                    waiting.append((inside, depth + 1, 2 * column + part % 2, 2 * row + part // 2, node))
    return Quadtree(np.concatenate(order).astype(np.uint32), np.array(nodes, np.int32))


@dataclass(frozen=True)
class Prominence:
    """How much names say about their places."""

    values: Float64  # the name with the larger one is shown first
    generic: Bool  # of an item with links all over the map, whose name says nothing about a place


def prominence(
    domain: str, places: Places, relations: Mapping[Pair, sparse.csr_matrix], strength: Float64
) -> Prominence:
    """Return how much the name of each item of a domain says about its place on the map.

    Where half of its linked items are within the share q of all that are nearest to it, a name tells −log₂ 2q bits
    about a place. These count as often as it is linked, and (1 − s)² times where it is linked to the share s of all
    items.
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


def _linked(domain: str, places: Places, relations: Mapping[Pair, sparse.csr_matrix]) -> tuple[Int64, Float64, Float64]:
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


def _share_within(centres: Float32, reach: Float64, others: Float64) -> Float64:
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


def least_prominence(found: Sequence[Prominence]) -> float:
    """Return the least of all prominences but zero, the unit of packed ones."""
    least = min((float(each.values[each.values > 0].min(initial=np.inf)) for each in found), default=np.inf)
    return least if np.isfinite(least) else 1.0


def packed_prominence(values: Float64, unit: float) -> UInt16:
    """Return prominences on a scale that all kinds share, in steps of a thousandth of an octave."""
    return np.minimum(np.round(OCTAVE * np.log2(1 + values / unit)), 65535).astype(np.uint16)
