"""Regions of a continued map keep their names while they keep most of their items."""

from __future__ import annotations

import numpy as np
import pytest

import mrsne
from mrsne import RelationalData
from mrsne.regions.keeping import continued_regions, with_kept_names
from mrsne.regions.result import Region, Regions

WORDS = ["owl", "boat", "tree", "car"]


def region(items: list[int], word: str, key: int = 0, level: int = 0) -> Region:
    return Region(level, None, (word,), (1.0,), {"photo": np.array(items)}, (), (0.0, 0.0), key)


def test_a_region_is_continued_where_most_of_both_is_in_both() -> None:
    former = Regions([region([0, 1, 2, 3], "owl"), region([4, 5, 6, 7], "boat"), region([8, 9], "tree")])
    # items 20 and 21 are new; 3 and 9 are gone; 7 has gone over to the first
    matches = {"photo": np.array([0, 1, 2, 4, 5, 6, 7, 8, -1, -1])}
    found = Regions([region([0, 1, 2, 6, 8], "a"), region([3, 4, 5, 9], "b"), region([7], "c")])
    assert continued_regions(found, former, matches) == [0, 1, 2]
    halves = Regions([region([0, 3], "a"), region([1, 4], "b")])
    assert continued_regions(halves, former, matches) == [None, None]


def test_names_and_keys_are_kept_and_others_are_new() -> None:
    former = Regions([region([0, 1, 2], "owl", 4), region([3, 4, 5], "gone", 7)])
    found = Regions([region([3, 4, 5], "boat"), region([0, 1, 2], "tree"), region([6, 7], "car")])
    data = RelationalData({"photo": 8, "tag": 4}, {("photo", "tag"): [(0, 0)]}, names={"tag": WORDS})
    kept = with_kept_names(found, former, data, {"photo": np.arange(8)})
    assert [(each.name, each.key) for each in kept] == [("boat", 7), ("owl", 4), ("car", 8)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*neither a vector nor a link")
def test_most_regions_of_the_emoji_keep_their_names() -> None:
    data = mrsne.datasets.load_emoji()
    first = mrsne.MRSNE(random_state=0).fit_transform(data.subset({"image": range(1620)}))
    second = mrsne.MRSNE(random_state=0).fit_transform(data.subset({"image": range(8, 1636)}), start_from=first)
    before, after = ({each.name for each in embedding.regions() if each.level > 0} for embedding in (first, second))
    assert len(before & after) > 0.6 * len(before)
    assert second.changes is not None
    assert any(change.because for change in second.changes.regions)
