"""From which zoom each item is shown, and in which square of the map.

Each level is √2 times the zoom of the one before. At every level the items that are shown do not cover each other, and
an item that is shown stays as one zooms in; so nothing has to be decided while the map moves. The items of a square
come in one sheet of thumbnails, so that a page requests what is on the screen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrsne.compilation import Array, kernel

LEVELS = 26
PIXELS = 400.0  # on the screen for one unit of the map, at level 0: the whole map, from -1 to 1, is 800 pixels wide
STEP = 2.0**0.5  # zoom from one level to the next
DEEPEST = 20  # depth of squares; items that share one of these are as good as at one place


def levels_of(
    places: NDArray[np.float32], importance: NDArray[np.float64], boxes: NDArray[np.float64]
) -> NDArray[np.uint8]:
    """Return the level from which each item is shown, ``LEVELS`` for those that are covered even at the last one.

    Places are between -1 and 1; ``boxes`` has the width and height in pixels of what is shown for an item, by level. Of
    two items that would cover each other, the more important is shown; of equals, the first.
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


@kernel("f8[:,:] i8[:] i8 i8 i8[:]! u1[:]!")
def _show(
    first: int, last: int, cells: Array, order: Array, level: int, hidden: int, table: Array, levels: Array
) -> None:
    """Add to the items that are shown those that are at least a box away from all of them.

    The table is a hash map of cells the size of a box. Items in one cell cover each other, so a cell holds one item,
    and only the neighbouring cells have to be looked at.
    """
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
    nodes: NDArray[np.int32]

    def items(self, node: int) -> NDArray[np.uint32]:
        """Return the items of a square."""
        start, count = self.nodes[node, 3:5]
        return self.order[start : start + count]


def quadtree(places: NDArray[np.float32], first: NDArray[np.int64], capacity: int) -> Quadtree:
    """Put items into squares, at most ``capacity`` into each: the first ones of ``first``, smaller squares the rest."""
    order: list[NDArray[np.int64]] = []
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
