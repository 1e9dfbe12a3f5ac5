"""A quadtree: squares of the map, each with the items to show first and four smaller squares with the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DEEPEST = 20


@dataclass(frozen=True)
class Quadtree:
    """Items by square.

    Parameters
    ----------
    order : array of shape (n,)
        The items, square after square.
    nodes : array of shape (squares, 6)
        For each square: depth, column and row (square ``(0, 0, 0)`` is the whole map from -1 to 1, rows go up), where
        its items start in ``order``, how many there are, and the number of its parent, -1 for the first.
    """

    order: NDArray[np.uint32]
    nodes: NDArray[np.int32]

    def items(self, node: int) -> NDArray[np.uint32]:
        """Return the items of a square."""
        start, count = self.nodes[node, 3:5]
        return self.order[start : start + count]


def quadtree(places: NDArray[np.float32], first: NDArray[np.int64], capacity: int) -> Quadtree:
    """Put items into squares, at most ``capacity`` into each.

    Parameters
    ----------
    places : array of shape (n, 2)
        Between -1 and 1.
    first : array of shape (n,)
        The items in the order in which they are to be shown: a square takes the first ones, smaller squares the rest.
    capacity : int

    Examples
    --------
    >>> places = np.array([[-0.5, -0.5], [0.5, 0.5], [-0.6, -0.6]], np.float32)
    >>> tree = quadtree(places, np.array([1, 0, 2]), capacity=2)
    >>> tree.items(0), tree.items(1)
    (array([1, 0], dtype=uint32), array([2], dtype=uint32))
    >>> tree.nodes[1].tolist()
    [1, 0, 0, 2, 1, 0]
    """
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
