"""Regions of a map: nested, named, outlined."""

from __future__ import annotations

from collections import Counter

import dask.array as da
import numpy as np
import pytest
from matplotlib.path import Path
from numpy.typing import NDArray

from mrsne import Embedding, RelationalData
from mrsne.regions.density import level_counts
from mrsne.regions.result import Regions

COUNTRIES = ["fruit", "animal", "vehicle", "weather", "music"]
PER_TOWN, TOWNS = 40, 6


def world() -> tuple[Embedding, RelationalData, NDArray[np.int64]]:
    """A map of five countries with six towns each: a word for each country and town, and one that everybody has."""
    random = np.random.default_rng(0)
    country, town = np.divmod(np.repeat(np.arange(5 * TOWNS), PER_TOWN), TOWNS)
    angles, turns = 2 * np.pi * country / 5, 2 * np.pi * town / TOWNS
    places = 30 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    places += 8 * np.stack([np.cos(turns), np.sin(turns)], axis=1) + random.normal(size=(len(country), 2))
    towns = [f"{name} {number}" for name in COUNTRIES for number in range(TOWNS)]
    words = [*COUNTRIES, *towns, "wallpaper", "hapax"]
    links = [(i, c) for i, c in enumerate(country)]
    links += [(i, 5 + c * TOWNS + t) for i, (c, t) in enumerate(zip(country, town, strict=True))]
    links += [(i, 35) for i in range(len(country)) if i % 10] + [(0, 36)]
    data = RelationalData(
        {"photo": len(country), "tag": len(words)},
        {("photo", "tag"): links},
        names={"photo": [f"p{i}" for i in range(len(country))], "tag": words},
    )
    tags = random.normal(size=(len(words), 2)) + places[:: len(places) // len(words)][: len(words)]
    return Embedding({"photo": places, "tag": tags}), data, country


@pytest.fixture(scope="module")
def found() -> Regions:
    embedding, data, _ = world()
    return embedding.regions(data)


def test_the_overview_has_the_countries_by_their_names(found: Regions) -> None:
    assert Counter(region.words[0] for region in found.at(0)) == Counter(COUNTRIES)


def test_items_of_a_region_belong_together(found: Regions) -> None:
    country = world()[2]
    for region in found.at(0):
        inside = country[region.members["photo"]]
        assert (inside == COUNTRIES.index(region.words[0])).mean() > 0.99


def test_parts_lie_within_their_parent_and_are_called_by_what_is_theirs(found: Regions) -> None:
    assert found.n_levels >= 2
    for region in found.at(1):
        assert region.parent is not None
        parent = found[region.parent]
        assert parent.level == 0
        assert set(region.members["photo"]) <= set(parent.members["photo"])
        assert region.words[0].startswith(f"{parent.words[0]} ")


def test_generic_and_rare_words_name_nothing(found: Regions) -> None:
    assert not {"wallpaper", "hapax"} & {word for region in found for word in region.words}


def test_an_outline_holds_most_of_its_items_and_its_name_stands_inside(found: Regions) -> None:
    embedding = world()[0]
    for region in found:
        places = np.concatenate([embedding[name][items] for name, items in region.members.items()])
        inside = np.any([Path(line).contains_points(places) for line in region.outline], axis=0)
        assert 0.8 < inside.mean() <= 1
        assert any(Path(line).contains_point(region.centre) for line in region.outline)
        assert all(np.array_equal(line[0], line[-1]) for line in region.outline)


def test_no_item_is_in_two_regions_of_a_level(found: Regions) -> None:
    for level in range(found.n_levels):
        for domain in ("photo", "tag"):
            together = np.concatenate([region.members[domain] for region in found.at(level)])
            assert len(np.unique(together)) == len(together)


def test_scores_fall_from_word_to_word_and_the_result_cannot_be_changed(found: Regions) -> None:
    assert all(region.scores[0] == max(region.scores) for region in found)
    assert min(region.scores[0] for region in (*found.at(0), *found.at(1))) > 0
    with pytest.raises(ValueError, match="read-only"):
        found[0].members["photo"][0] = 1
    with pytest.raises(AttributeError):
        found[0].level = 1  # type: ignore[misc]


def test_the_same_map_moved_turned_and_enlarged_has_the_same_overview(found: Regions) -> None:
    embedding, data, _ = world()
    turn = 1000 * np.array([[0, 1], [-1, 0]])
    again = Embedding({name: Y @ turn + 500 for name, Y in embedding.items()}).regions(data)
    assert {region.words[0] for region in again.at(0)} == {region.words[0] for region in found.at(0)}


def test_without_links_a_region_is_called_by_items_in_its_middle() -> None:
    embedding, data, _ = world()
    names = [f"photo {i}" for i in range(data.sizes["photo"])]
    alone = Embedding({"photo": embedding["photo"]})
    regions = alone.regions(RelationalData({"photo": len(names)}, names={"photo": names}))
    for region in regions:
        assert region.scores == (0.0, 0.0)
        middle = np.median(embedding["photo"][region.members["photo"]], axis=0)
        distances = np.linalg.norm(embedding["photo"][region.members["photo"]] - middle, axis=1)
        typical = embedding["photo"][int(region.words[0].removeprefix("photo "))]
        assert np.linalg.norm(typical - middle) == pytest.approx(distances.min(), abs=1e-5)


def test_without_data_regions_have_no_names() -> None:
    regions = Embedding({"photo": world()[0]["photo"]}).regions()
    assert len(regions) > 5
    assert {region.name for region in regions} == {""}


def test_data_on_a_cluster_gives_names_of_items_only() -> None:
    embedding = world()[0]
    sizes = {name: len(Y) for name, Y in embedding.items()}
    vectors = {"photo": da.zeros((sizes["photo"], 2)), "tag": sizes["tag"]}
    names = {name: [f"{name} {i}" for i in range(size)] for name, size in sizes.items()}
    regions = embedding.regions(RelationalData(vectors, names=names))
    assert all(len(region.words) == 2 for region in regions)


@pytest.mark.parametrize("places", [[[1, 1]], [[1, 1]] * 50, [[0, 0], [1, 0]], [[i, 0] for i in range(100)]])
def test_few_items_and_degenerate_maps_have_regions_too(places: list[list[float]]) -> None:
    regions = Embedding({"tag": places}).regions()
    assert 1 <= len(regions.at(0)) <= len(places)
    assert all(np.isfinite(region.centre).all() for region in regions)


def test_what_cannot_have_regions_is_refused() -> None:
    with pytest.raises(ValueError, match="a two-dimensional map, got 3 dimensions"):
        Embedding({"tag": [[1, 2, 3]]}).regions()
    with pytest.raises(ValueError, match="finite coordinates"):
        Embedding({"tag": [[1, np.nan]]}).regions()
    with pytest.raises(ValueError, match=r"data must have the items of the map, \{'tag': 1\}, got \{'tag': 2\}"):
        Embedding({"tag": [[1, 2]]}).regions(RelationalData({"tag": 2}))
    embedding, data, _ = world()
    with pytest.raises(ValueError, match=r"by must be domains with links and names \('photo', 'tag'\), got 'place'"):
        embedding.regions(data, by=["place"])


def test_regions_of_one_level_do_not_overlap(found: Regions) -> None:
    rows, columns = np.mgrid[-1:1:80j, -1:1:80j]
    everything = np.concatenate(list(world()[0].values()))
    middle, reach = everything.mean(axis=0), np.abs(everything - everything.mean(axis=0)).max()
    places = middle + reach * np.stack([columns.ravel(), rows.ravel()], axis=1)
    for level in range(found.n_levels):
        inside = [np.any([Path(line).contains_points(places) for line in r.outline], axis=0) for r in found.at(level)]
        assert np.sum(inside, axis=0).max() == 1


def test_a_level_ends_where_joining_two_more_would_cost_most() -> None:
    assert level_counts(np.array([1.0, 1, 1, 1, 1, 1, 9, 9, 9, 9]), 11) == [5, 11]
