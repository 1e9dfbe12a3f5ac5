"""Two maps are brought onto each other, their items matched, and their neighbours counted."""

from __future__ import annotations

import numpy as np
import pytest

from mrsne import RelationalData
from mrsne.metrics.movement import alignment, kept_neighbors, matched


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_map_that_is_turned_reflected_scaled_and_shifted_comes_back(mirrored: bool) -> None:
    random = np.random.default_rng(0)
    Y = random.normal(size=(30, 2))
    angle = 1.2
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    if mirrored:
        turn = turn @ np.diag([1, -1])
    Z = 7.5 * Y @ turn + [3, -4]
    np.testing.assert_allclose(alignment(Y, Z)(Z), Y, atol=1e-12)


def test_no_other_turn_or_shift_is_nearer_and_both_maps_are_equally_wide() -> None:
    random = np.random.default_rng(1)
    Y, Z = random.normal(size=(40, 2)), random.normal(size=(40, 2)) * [2, 1]
    best = alignment(Y, Z)(Z)
    middle = best.mean(axis=0)
    error = ((Y - best) ** 2).sum()
    for _ in range(50):
        angle = random.uniform(0, 0.2)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        other = (best - middle) @ turn + middle + random.normal(size=2) / 9
        assert ((Y - other) ** 2).sum() >= error
    assert best.var(axis=0).sum() == pytest.approx(Y.var(axis=0).sum())


def test_items_at_one_place_are_only_shifted() -> None:
    shifted = alignment(np.full((3, 2), 4.0), np.zeros((3, 2)))
    np.testing.assert_array_equal(shifted(np.zeros((3, 2))), np.full((3, 2), 4.0))


def test_items_are_matched_by_kind_and_name_or_by_position() -> None:
    places = {"photo": np.zeros((3, 2), np.float32), "tag": np.zeros((2, 2), np.float32)}
    later = {"tag": np.zeros((3, 2), np.float32), "photo": np.zeros((2, 2), np.float32)}
    old = RelationalData({"photo": 3, "tag": 2}, names={"tag": ["a", "b"]})
    new = RelationalData({"tag": 3, "photo": 2}, names={"tag": ["c", "b", "a"]})
    found = matched(places, later, old, new)
    assert {name: positions.tolist() for name, positions in found.items()} == {"photo": [0, 1, -1], "tag": [2, 1]}
    assert matched(places, {"word": later["tag"]}, old, None)["tag"].tolist() == [-1, -1]


def test_kept_neighbours_are_those_that_sorting_all_distances_finds() -> None:
    random = np.random.default_rng(2)
    Y = random.normal(size=(50, 2))
    Z = Y + 0.3 * random.normal(size=(50, 2))

    def nearest(places: np.ndarray) -> list[set[int]]:
        distances = np.linalg.norm(places[:, None] - places[None], axis=2)
        np.fill_diagonal(distances, np.inf)
        return [set(row[:5].tolist()) for row in np.argsort(distances, axis=1)]

    expected = [len(one & other) / 5 for one, other in zip(nearest(Y), nearest(Z), strict=True)]
    np.testing.assert_allclose(kept_neighbors(Y, Z, 5), expected)
    assert 0.2 < np.mean(expected) < 0.9


def test_many_items_at_one_place_and_few_items_have_neighbours_too() -> None:
    assert kept_neighbors(np.zeros((30, 2)), np.zeros((30, 2)), 5).shape == (30,)
    assert kept_neighbors(np.eye(3, 2), np.eye(3, 2), 10).tolist() == [1, 1, 1]
    assert kept_neighbors(np.zeros((1, 2)), np.zeros((1, 2)), 10).tolist() == [1]
