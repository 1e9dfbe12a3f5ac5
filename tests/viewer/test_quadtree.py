"""Items by squares of the map."""

from __future__ import annotations

import numpy as np
import pytest

from mrsne.viewer.quadtree import DEEPEST, quadtree


@pytest.mark.parametrize("count", [1, 7, 5000])
def test_every_item_is_in_one_square_that_it_lies_in(count: int) -> None:
    random = np.random.default_rng(0)
    places = np.clip(random.normal(scale=0.3, size=(count, 2)), -1, 1).astype(np.float32)
    places[0] = (1.0, -1.0)
    first = random.permutation(count)
    tree = quadtree(places, first, 16)
    assert sorted(tree.order.tolist()) == list(range(count))
    rank = np.argsort(first)
    for number, (depth, column, row, _, own, parent) in enumerate(tree.nodes.tolist()):
        items = tree.items(number)
        assert 0 < own <= 16
        side = 2.0 ** (1 - depth)
        low = np.array([column, row]) * side - 1
        assert (places[items] >= low - 1e-6).all()
        assert (places[items] <= low + side + 1e-6).all()
        assert (np.diff(rank[items]) > 0).all(), "in the order that was given"
        if parent >= 0:
            assert tree.nodes[parent, 0] == depth - 1
            assert tree.nodes[parent, 4] == 16, "only what is full has smaller squares"
            assert rank[tree.items(parent)].max() < rank[items].min()


def test_items_at_one_place_end() -> None:
    tree = quadtree(np.full((100, 2), 0.25, np.float32), np.arange(100), 8)
    assert tree.nodes[:, 0].max() <= DEEPEST
    assert sorted(tree.order.tolist()) == list(range(100))
