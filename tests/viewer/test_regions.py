"""Regions in a page: which there are, what is packed, and what it says of every item."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mrsne import Embedding, RelationalData
from mrsne.regions.result import Regions
from mrsne.viewer.content import Content
from mrsne.viewer.regions import NONE, STEPS, evenly_spaced, innermost_regions, named_regions, page_regions

CORNERS = {"cat": (0, 0), "dog": (0, 30), "sea": (30, 0), "sky": (30, 30)}


def corner_map(
    each: int = 60, linked: bool = True, pictured: bool = False, tagged: int = 4
) -> tuple[Embedding, RelationalData]:
    """Four heaps of photographs in the corners, the first ``tagged`` each with a tag, and one photograph far away."""
    random = np.random.default_rng(0)
    places = np.repeat(list(CORNERS.values()), each, axis=0) + random.normal(size=(4 * each, 2))
    count = 4 * each + 1
    links = {("photo", "tag"): [(i, i // each) for i in range(tagged * each)]} if linked else None
    data = RelationalData(
        {"photo": count, "tag": 4},
        links,
        names={"photo": [f"IMG_{i}.jpg" for i in range(count)], "tag": list(CORNERS)},
        pictures={"photo": np.zeros((count, 4, 4, 3), np.uint8)} if pictured else None,
    )
    far = np.array([[70.0, 70.0]])
    return Embedding({"photo": np.concatenate([places, far]), "tag": list(CORNERS.values())}, data=data), data


def packed(content: Content) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = json.loads(gzip.decompress(content.parts["regions"]()))
    return found


def test_names_places_and_outlines_come_back() -> None:
    embedding, data = corner_map()
    content = Content(embedding, data, report=False)
    regions = page_regions(embedding, data, pictured=False)
    assert regions is not None
    found = packed(content)
    assert content.about["regions"] == len(regions)
    assert found["words"] == [list(region.words) for region in regions]
    middle, reach = np.array(content.about["centre"]), content.about["reach"]
    for region, steps, lines in zip(regions, found["centres"], found["outlines"], strict=True):
        np.testing.assert_allclose(np.array(steps) / STEPS * reach + middle, region.centre, atol=reach / STEPS)
        corners = [np.cumsum(np.reshape(line, (-1, 2)), axis=0) / STEPS * reach + middle for line in lines]
        for own, outline in zip(corners, region.outline, strict=True):
            assert farthest(own, outline) < 2 * reach / STEPS  # each corner is on the line


def farthest(corners: NDArray[np.float64], line: NDArray[np.float32]) -> float:
    """Return the largest distance of a corner from a line."""
    a, b = line[:-1].astype(np.float64), line[1:].astype(np.float64)
    along = ((corners[:, None] - a) * (b - a)).sum(axis=2) / np.maximum(((b - a) ** 2).sum(axis=1), 1e-300)
    nearest = a + np.clip(along, 0, 1)[:, :, None] * (b - a)
    return float(np.linalg.norm(corners[:, None] - nearest, axis=2).min(axis=1).max())


def test_the_innermost_region_of_an_item_tells_all_that_it_is_in() -> None:
    embedding, data = corner_map()
    regions = embedding.regions(data)
    assert regions.n_levels > 1
    innermost = innermost_regions(regions, data.sizes)
    starts = {"photo": 0, "tag": data.sizes["photo"]}
    members: list[set[int]] = [set() for _ in regions]
    for item, number in enumerate(innermost):
        at = None if number == NONE else int(number)
        while at is not None:
            members[at].add(item)
            at = regions[at].parent
    for region, found in zip(regions, members, strict=True):
        assert found == {starts[name] + item for name, items in region.members.items() for item in items}
    assert innermost[data.sizes["photo"] - 1] == NONE  # far away


def test_corners_of_an_outline_are_at_even_distances() -> None:
    square = np.array([[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]], np.float32)
    expected = [[0, 0], [1, 0], [2, 0], [2, 1], [2, 2], [1, 2], [0, 2], [0, 1]]
    assert evenly_spaced(square, 8).tolist() == expected


def test_few_items_and_a_map_without_names_have_no_regions() -> None:
    embedding, data = corner_map(each=20)
    assert Content(embedding, data, report=False).about["regions"] == 0
    assert "regions" not in Content(embedding, data, report=False).parts
    embedding, data = corner_map()
    assert Content(dict(embedding)).about["regions"] == 0


def test_no_region_is_called_by_the_names_of_picture_files() -> None:
    embedding, data = corner_map(linked=False)
    assert Content(embedding, data, report=False).about["regions"] > 0  # by typical items
    embedding, data = corner_map(linked=False, pictured=True)
    assert Content(embedding, data, report=False).about["regions"] == 0
    embedding, data = corner_map(pictured=True)
    words = {word for name in packed(Content(embedding, data, report=False))["words"] for word in name}
    assert words == set(CORNERS)


def test_parts_of_a_region_without_a_name_belong_to_the_one_around_it() -> None:
    embedding, data = corner_map()
    a, b, c = embedding.regions(data)[:3]
    nested = Regions([a, replace(b, parent=0, words=(), scores=()), replace(c, parent=1)])
    found = named_regions(nested, by_links=True)
    assert [(region.name, region.parent) for region in found] == [(a.name, None), (c.name, 0)]


def test_the_order_of_kinds_need_not_be_that_of_the_data() -> None:
    embedding, data = corner_map()
    turned = {name: embedding[name] for name in reversed(list(embedding))}
    content = Content(turned, data, report=False)
    innermost = np.frombuffer(gzip.decompress(content.parts["region-of"]()), "<u2")
    words = packed(content)["words"]
    assert [words[number][0] for number in innermost[:4]] == list(CORNERS)  # the tags come first


def test_where_links_name_regions_none_is_called_by_typical_items() -> None:
    embedding, data = corner_map(tagged=3)
    assert any(word.startswith("IMG") for region in embedding.regions(data) for word in region.words)
    words = {word for name in packed(Content(embedding, data, report=False))["words"] for word in name}
    assert words == set(list(CORNERS)[:3])


def test_parts_that_are_all_called_like_what_they_are_parts_of_are_left_out() -> None:
    embedding, data = corner_map()
    found = embedding.regions(data)
    assert any(region.parent is not None and region.words == found[region.parent].words for region in found)
    assert sorted(packed(Content(embedding, data, report=False))["words"]) == sorted([[name] for name in CORNERS])
    parts = [at for at, region in enumerate(found) if region.parent == 0]
    renamed = [replace(region, words=("kitten",)) if at == parts[0] else region for at, region in enumerate(found)]
    kept = named_regions(Regions(renamed), by_links=True)
    # beside a part with another name, the others are named like the whole, whose name is gone by then
    assert sorted(region.name for region in kept if region.parent == 0) == sorted(
        ["kitten"] + ["cat"] * (len(parts) - 1)
    )


@pytest.mark.slow
def test_regions_add_little_to_a_page() -> None:
    from mrsne.datasets.emoji import load_emoji

    data = load_emoji()
    random = np.random.default_rng(0)
    embedding = Embedding({name: random.normal(size=(size, 2)) for name, size in data.sizes.items()})
    parts = Content(embedding, data, report=False).parts
    added = sum(len(parts[name]()) for name in ("regions", "region-of", "prominence-1"))
    assert added < 0.02 * sum(len(part()) for part in parts.values())
