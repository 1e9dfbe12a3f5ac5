"""Which words name a region."""

from __future__ import annotations

import numpy as np
import pytest

from mrsne import RelationalData
from mrsne.regions.descriptions import read_descriptions
from mrsne.regions.naming import name_regions


def words_of(links: dict[str, list[int]], parts: list[list[int]], parents: list[int | None] | None = None) -> list[str]:
    """Return the names of regions, from the positions of the items that each word describes, among 100."""
    pairs = [(item, word) for word, items in links.items() for item in items]
    data = RelationalData({"photo": 100, "tag": len(links)}, {("photo", "tag"): pairs}, names={"tag": list(links)})
    descriptions = read_descriptions(data)
    assert descriptions is not None
    found = name_regions(descriptions, [np.array(part) for part in parts], parents or [None] * len(parts))
    return [", ".join(words) for words, _ in found]


def test_a_word_that_most_items_have_says_less_than_one_of_the_region() -> None:
    links = {"wallpaper": [*range(38), *range(40, 62)], "cat": [*range(10), 90]}
    assert words_of(links, [list(range(40))])[0].startswith("cat")


def test_a_word_of_three_items_does_not_come_before_one_of_most_of_the_region() -> None:
    links = {"rare": [0, 1, 2], "outdoor": [*range(12), *range(40, 58)]}
    assert words_of(links, [list(range(20))]) == ["outdoor"]


def test_a_region_that_nothing_describes_more_than_by_chance_has_no_name() -> None:
    assert words_of({"any": list(range(0, 100, 2))}, [list(range(20))]) == [""]


def test_the_second_word_is_for_items_that_the_first_does_not_describe() -> None:
    links = {"cat": list(range(12)), "kitten": list(range(11)), "dog": list(range(12, 20))}
    assert words_of(links, [list(range(20))])[0].split(", ")[:2] == ["cat", "dog"]


def test_plurals_are_not_said_beside_the_word() -> None:
    assert words_of({"cat": list(range(12)), "cats": list(range(12))}, [list(range(20))]) == ["cat"]


def test_a_part_is_called_by_what_tells_it_from_its_parent() -> None:
    links = {"animal": list(range(30)), "cat": [*range(6), 40, 41], "sea": list(range(60, 90))}
    whole, part = words_of(links, [list(range(30)), list(range(14))], [None, 0])
    assert (whole.split(", ")[0], part.split(", ")[0]) == ("animal", "cat")


def test_kinds_that_an_item_has_one_of_name_regions_only_where_asked() -> None:
    data = RelationalData(
        {"photo": 9, "tag": 3, "author": 2},
        {
            ("photo", "tag"): [(i, j) for i in range(9) for j in (i % 3, (i + 1) % 3)],
            ("author", "photo"): [(i % 2, i) for i in range(9)],
        },
        names={"tag": ["a", "b", "c"], "author": ["Ada", "Bea"]},
    )
    for by, words in ((None, ["a", "b", "c"]), (["author"], ["Ada", "Bea"])):
        found = read_descriptions(data, by)
        assert found is not None
        assert found.words == words


@pytest.mark.parametrize("smaller_is_named", [True, False])
def test_the_smaller_kind_describes_unless_only_the_larger_has_names(smaller_is_named: bool) -> None:
    names = {"tag": ["a", "b"]} if smaller_is_named else {"photo": ["x", "y", "z"]}
    data = RelationalData({"photo": 3, "tag": 2}, {("photo", "tag"): [(0, 0), (1, 0), (2, 1)]}, names=names)
    found = read_descriptions(data)
    assert found is not None
    assert found.words == next(iter(names.values()))
    assert found.links.sum() == 3


def test_within_one_kind_links_count_both_ways() -> None:
    data = RelationalData(
        {"paper": 3}, {("paper", "paper"): [(0, 1), (1, 0), (1, 2)]}, names={"paper": ["a", "b", "c"]}
    )
    found = read_descriptions(data)
    assert found is not None
    assert found.links.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_nothing_describes_data_without_links() -> None:
    assert read_descriptions(RelationalData({"tag": 2}, names={"tag": ["a", "b"]})) is None
