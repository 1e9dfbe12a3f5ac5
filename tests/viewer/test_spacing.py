"""Which items and names are shown at which zoom, and in which square of the map."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mrsne import Embedding, RelationalData
from mrsne.data.relational import link_strength
from mrsne.viewer.content import Content
from mrsne.viewer.spacing import (
    DEEPEST,
    LEVELS,
    PIXELS,
    STEP,
    STEPS_BACK,
    Places,
    Prominence,
    levels_of,
    packed_prominence,
    prominence,
    quadtree,
)

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


SUBJECTS = ["beach", "city", "dog", "forest", "kitchen", "mountain", "portrait", "train"]


def photographs(each: int = 60) -> tuple[Embedding, RelationalData]:
    """Eight subjects around a circle; half of all pictures, of every subject, are wallpapers, and so is the middle."""
    random = np.random.default_rng(0)
    count = each * len(SUBJECTS)
    angle = 2 * np.pi * np.arange(len(SUBJECTS)) / len(SUBJECTS)
    middles = 10 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    places = np.repeat(middles, each, axis=0) + random.normal(size=(count, 2))
    links = [(i, i // each) for i in range(count)] + [(i, len(SUBJECTS)) for i in range(0, count, 2)]
    links += [(i, len(SUBJECTS) + 1) for i in range(0, count, 20)]  # few, and all over the map
    data = RelationalData(
        {"photo": count, "tag": len(SUBJECTS) + 2},
        {("photo", "tag"): links},
        names={"tag": [*SUBJECTS, "wallpaper", "scan"]},
    )
    return Embedding({"photo": places, "tag": [*middles, [0, 0], [0.1, 0.1]]}), data


def shown(domain: str, places: Places, data: RelationalData) -> Prominence:
    return prominence(domain, places, data.relations, link_strength(data, domain))


def test_a_tag_of_half_of_all_pictures_comes_after_those_of_places() -> None:
    embedding, data = photographs()
    found = shown("tag", embedding, data)
    assert found.generic.tolist() == [False] * 8 + [True] * 2
    assert found.values[8:].max() < found.values[:8].min() / 10


def test_generic_names_are_not_in_the_overview_even_where_there_is_room() -> None:
    content = Content(*photographs(), report=False)
    part = gzip.decompress(content.parts["tree-1"]())
    squares = int(np.frombuffer(part[:4], "<u4")[0])
    order = np.frombuffer(part, "<u4", 10, 8 + 24 * squares)
    levels = np.frombuffer(part, "u1", 10, 8 + 24 * squares + 40)
    shown_from = dict(zip(order.tolist(), levels.tolist(), strict=True))
    assert [shown_from[tag] for tag in range(8)] == [0] * 8
    assert min(shown_from[8], shown_from[9]) >= STEPS_BACK


def test_what_is_linked_to_few_words_is_not_generic() -> None:
    random = np.random.default_rng(0)
    links = [(i, tag) for i in range(100) for tag in range(10)]
    data = RelationalData({"photo": 100, "tag": 10}, {("photo", "tag"): links})
    places = {name: random.uniform(-1, 1, (size, 2)).astype(np.float32) for name, size in data.sizes.items()}
    assert not shown("photo", places, data).generic.any()
    assert shown("tag", places, data).generic.all()


def test_of_two_names_that_say_as_much_the_one_with_more_links_comes_first() -> None:
    along = np.stack([np.arange(200.0), np.zeros(200)], axis=1).astype(np.float32)
    near = [(i, 0) for i in range(40, 60)] + [(i, 1) for i in range(140, 150)] + [(i, 1) for i in range(150, 160)]
    links = [(i, tag, 2.0 if tag else 1.0) for i, tag in near]
    data = RelationalData({"photo": 200, "tag": 3}, {("photo", "tag"): links})
    places = {"photo": along, "tag": np.array([[49.5, 0], [149.5, 0], [0, 0]], np.float32)}
    found = shown("tag", places, data).values
    assert found[1] == pytest.approx(2 * found[0])
    assert found[2] == 0


def test_links_within_a_kind_and_maps_without_links() -> None:
    data = RelationalData({"person": 3}, {("person", "person"): [(0, 1), (1, 2)]}, names={"person": ["a", "b", "c"]})
    values = shown("person", {"person": np.eye(3, 2, dtype=np.float32)}, data).values
    assert np.isfinite(values).all()
    nothing = RelationalData({"person": 3}, names={"person": ["a", "b", "c"]})
    assert shown("person", {"person": np.eye(3, 2, dtype=np.float32)}, nothing).values.tolist() == [
        0,
        0,
        0,
    ]
    content = Content(Embedding({"person": np.eye(3, 2)}), nothing)
    assert not content.about["domains"][0]["prominent"]
    assert "prominence-0" not in content.parts


def test_bits_count_as_often_as_a_name_is_linked() -> None:
    along = np.stack([np.linspace(-1, 1, 100), np.zeros(100)], axis=1).astype(np.float32)
    links = [(i, 0) for i in range(0, 100, 2)] + [(i, 1) for i in range(45, 55)]
    data = RelationalData({"photo": 100, "tag": 2}, {("photo", "tag"): links})
    found = shown("tag", {"photo": along, "tag": np.zeros((2, 2), np.float32)}, data)
    assert found.values.round(1).tolist() == [1.6, 24.8]  # 50 links everywhere; 10 links within a tenth of the map
    assert found.generic.tolist() == [True, False]


def test_prominences_keep_their_order_when_packed() -> None:
    assert packed_prominence(np.array([0.0, 1.0, 3.0]), 1.0).tolist() == [0, 1024, 2048]
    values = np.array([0.0, 1e-6, 2e-6, 0.5, 3.0, 1e6])
    assert np.array_equal(np.argsort(packed_prominence(values, 1e-6), kind="stable"), np.arange(6))
