"""The zoom level from which each item is shown: the important ones first, and none that would cover another.

Each level is √2 times the zoom of the one before. At every level the items that are shown do not cover each other, and
an item that is shown stays as one zooms in; so nothing has to be decided while the map moves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrsne.loops import Array, kernel

LEVELS = 26
PIXELS = 400.0  # on the screen for one unit of the map, at level 0: the whole map, from -1 to 1, is 800 pixels wide
STEP = 2.0**0.5  # zoom from one level to the next


def levels_of(
    places: NDArray[np.float32], importance: NDArray[np.float64], boxes: NDArray[np.float64]
) -> NDArray[np.uint8]:
    """Return the level from which each item is shown.

    Parameters
    ----------
    places : array of shape (n, 2)
        Between -1 and 1.
    importance : array of shape (n,)
        Of two items that would cover each other, the more important is shown; of equals, the first.
    boxes : array of shape (LEVELS, 2)
        Width and height on the screen of what is shown for an item, in pixels, at each level.

    Returns
    -------
    levels : array of shape (n,)
        ``LEVELS`` for items that are covered even at the last level, such as one of two at the same place.

    Examples
    --------
    >>> places = np.array([[0.0, 0.0], [0.5, 0.0], [0.01, 0.0]], np.float32)
    >>> levels_of(places, np.array([1.0, 1.0, 2.0]), np.full((LEVELS, 2), 32.0))
    array([7, 0, 0], dtype=uint8)
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
