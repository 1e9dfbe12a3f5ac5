"""The parts of a page with two maps."""

from __future__ import annotations

import gzip
import json

import numpy as np

from mrsne import metrics
from mrsne.viewer.comparison import KEPT, MOVED, WHERE, pair_content
from tests.metrics.test_comparison import before_and_after


def test_items_distances_and_kept_neighbours_come_back() -> None:
    first, second = before_and_after()
    found = metrics.compare(first, second)
    content = pair_content(found, (first.data, second.data), ("old", "new"), "Two")
    part = gzip.decompress(content.parts["compared"]())
    items, moved, kept = (
        np.frombuffer(part[144 * at : 144 * (at + 1)], kind) for at, kind in enumerate(("<i4", "<f4", "<u4"))
    )
    assert items.tolist() == [*range(1, 21), -1, *range(21, 36)]
    np.testing.assert_allclose(moved, found.moved["photo"].astype(np.float32))
    np.testing.assert_array_equal(kept[items >= 0], np.round(10 * found.kept["photo"][items >= 0]))
    assert [about["title"] for about in content.about["maps"]] == ["old", "new"]
    assert content.about["neighbours"] == 10


def test_both_maps_can_be_coloured_by_what_changed() -> None:
    first, second = before_and_after()
    found = metrics.compare(first, second)
    content = pair_content(found, (first.data, second.data), ("old", "new"), "Two")
    for number, alone in ((0, 20), (1, 0)):
        columns = content.about["maps"][number]["domains"][0]["columns"]
        assert [column["name"] for column in columns] == [KEPT, MOVED, WHERE]
        assert content.about["maps"][number]["domains"][0]["placed"] == 0
        kept = np.frombuffer(gzip.decompress(content.parts[f"{number}-column-0-0"]()), "<f4")
        assert np.flatnonzero(np.isnan(kept)).tolist() == [alone]
    names = json.loads(gzip.decompress(content.parts["1-names-0"]()))
    kept = np.frombuffer(gzip.decompress(content.parts["1-column-0-0"]()), "<f4")
    assert kept[names.index("p7")] == np.float32(found.kept["photo"][7])


def test_maps_of_the_same_items_have_no_column_for_where_they_are() -> None:
    first, _ = before_and_after()
    content = pair_content(metrics.compare(first, first), (first.data, first.data), ("a", "b"), "Two")
    assert [column["name"] for column in content.about["maps"][0]["domains"][0]["columns"]] == [KEPT, MOVED]
