"""Which items are shown at which zoom, and in which square of the map."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mrsne.viewer.spacing import DEEPEST, LEVELS, PIXELS, STEP, levels_of, quadtree

BOXES = np.stack([np.linspace(40, 90, LEVELS), np.linspace(20, 60, LEVELS)], axis=1)


def made(count: int, seed: int, spread: float = 1.0) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    random = np.random.default_rng(seed)
    places = np.clip(random.normal(scale=spread / 3, size=(count, 2)), -1, 1).astype(np.float32)
    return places, random.integers(0, 5, count).astype(float)


@given(st.integers(1, 120), st.integers(0, 10_000), st.sampled_from([1.0, 0.05, 1e-4]))
def test_what_is_shown_never_overlaps_and_what_is_hidden_would(count: int, seed: int, spread: float) -> None:
    places, importance = made(count, seed, spread)
    levels = levels_of(places, importance, BOXES)
    for level in (0, 3, 9, LEVELS - 1):
        scale = PIXELS * STEP**level / BOXES[level]
        apart = np.abs(places[:, None].astype(float) - places[None].astype(float)) * scale
        covers = (apart < 1).all(axis=2) & ~np.eye(count, dtype=bool)
        shown = levels <= level
        assert not covers[np.ix_(shown, shown)].any()
        assert covers[np.ix_(~shown, shown)].any(axis=1).all()


def test_of_two_that_cover_each_other_the_more_important_is_shown() -> None:
    places = np.array([[0.0, 0.0], [0.001, 0.0], [0.001, 0.001]], np.float32)
    levels = levels_of(places, np.array([1.0, 3.0, 2.0]), BOXES)
    assert levels[1] == 0
    assert levels[2] > 0


def test_items_at_one_place_are_shown_once() -> None:
    levels = levels_of(np.zeros((1000, 2), np.float32), np.zeros(1000), BOXES)
    assert levels[0] == 0
    assert (levels[1:] == LEVELS).all()


@pytest.mark.parametrize("count", [0, 1])
def test_few_items(count: int) -> None:
    assert levels_of(np.zeros((count, 2), np.float32), np.zeros(count), BOXES).tolist() == [0] * count


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
