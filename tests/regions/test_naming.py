"""Which words name a region."""

from __future__ import annotations

import numpy as np
import pytest

from mrsne import RelationalData
from mrsne.regions.naming import _stem, likelihood_ratio, name_regions, read_descriptions


def words_of(
    links: dict[str, list[int]], parts: list[list[int]], parents: list[int | None] | None = None, n_items: int = 100
) -> list[str]:
    """Return the names of regions, from the positions of the items that each word describes."""
    pairs = [(item, word) for word, items in links.items() for item in items]
    data = RelationalData({"photo": n_items, "tag": len(links)}, {("photo", "tag"): pairs}, names={"tag": list(links)})
    descriptions = read_descriptions(data)
    assert descriptions is not None
    found = name_regions(descriptions, [np.array(part) for part in parts], parents or [None] * len(parts))
    return [", ".join(words) for words, _ in found]


def test_a_word_that_most_items_have_says_less_than_one_of_the_region() -> None:
    links = {"wallpaper": [*range(38), *range(40, 62)], "cat": [*range(10), 90]}
    assert words_of(links, [list(range(40))])[0].startswith("cat")


def test_a_word_that_half_of_all_items_have_names_a_region_only_where_no_other_does() -> None:
    links = {"clipart": list(range(60)), "vase": [0, 1, 2, 3], "boat": [30, 31, 32]}
    assert words_of(links, [list(range(10)), list(range(10, 30))]) == ["vase", "clipart"]


def test_a_word_that_is_nearly_as_frequent_elsewhere_is_not_chosen_for_its_count_alone() -> None:
    links = {"outline": [*range(16), *range(40, 70)], "dice": list(range(6)), "cards": list(range(6, 12))}
    links["puzzle"] = list(range(12, 18))
    assert set(words_of(links, [list(range(20))])[0].split(", ")) == {"dice", "cards", "puzzle"}


def test_a_word_of_three_items_does_not_come_before_one_of_most_of_the_region() -> None:
    links = {"rare": [0, 1, 2], "outdoor": [*range(12), *range(40, 58)]}
    assert words_of(links, [list(range(20))]) == ["outdoor"]


def test_a_region_that_nothing_describes_more_than_by_chance_has_no_name() -> None:
    assert words_of({"any": list(range(0, 100, 2))}, [list(range(20))]) == [""]


def test_a_word_for_items_that_others_do_not_describe_comes_before_a_third_for_the_same() -> None:
    links = {"cat": list(range(12)), "kitten": list(range(11)), "tom": list(range(11)), "dog": list(range(12, 20))}
    words = words_of(links, [list(range(20))])[0].split(", ")
    assert len(words) == 3
    assert "dog" in words


def test_of_words_for_the_same_items_the_broader_one_names_the_region() -> None:
    links = {word: list(range(6)) for word in ("amble", "gait", "pace", "stroll")} | {"sport": [*range(6), 40, 41, 42]}
    assert "sport" in words_of(links, [list(range(8))], n_items=1000)[0].split(", ")


def test_forms_of_one_word_are_not_said_beside_it() -> None:
    for forms in (("cat", "cats"), ("climb", "climbing"), ("smile", "smiling")):
        assert words_of({word: list(range(12)) for word in forms}, [list(range(20))]) == [forms[0]]


def test_two_regions_of_the_same_words_differ_in_what_tells_each_from_their_parent() -> None:
    links = {word: list(range(60)) for word in ("animal", "fur", "tail")}
    links |= {"cat": list(range(12)), "dog": list(range(30, 42))}
    parts = [list(range(60)), list(range(30)), list(range(30, 60))]
    whole, first, second = (set(name.split(", ")) for name in words_of(links, parts, [None, 0, 0], 1000))
    assert whole == {"animal", "fur", "tail"}
    assert "cat" in first
    assert "dog" in second


def test_a_word_of_a_third_of_a_small_region_names_it_though_it_may_be_chance() -> None:
    links = {"library": [*range(4), *range(20, 38)], "rare": [0, 1, *range(50, 55)]}
    assert words_of(links, [list(range(8))]) == ["library"]


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


def test_tags_describe_photographs_though_there_are_more_of_them() -> None:
    pairs = [(photo, tag) for photo in range(6) for tag in (0, 1 + photo, 7 + photo)]
    names = {"photo": list("uvwxyz"), "tag": list("abcdefghijklm")}
    found = read_descriptions(RelationalData({"photo": 6, "tag": 13}, {("photo", "tag"): pairs}, names=names))
    assert found is not None
    assert found.words == names["tag"]


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


def test_forms_of_one_word_have_one_stem() -> None:
    words = ("Cats", "cat", "smile", "smiling", "run", "runners")
    assert [_stem(word) for word in words] == ["cat", "cat", "smil", "smil", "run", "run"]


def test_a_likelihood_ratio_is_large_only_for_more_than_expected() -> None:
    ratios = likelihood_ratio(np.array([20.0, 2.0, 1.0]), np.array([5.0, 0.5, 3.0]))
    np.testing.assert_allclose(ratios, [22.6, 1.2, 0.0], atol=0.05)


def test_a_word_of_two_kinds_says_which_it_is() -> None:
    cities = [(i, 0 if i < 10 else 1) for i in range(40)]
    data = RelationalData(
        {"person": 40, "city": 2, "state": 2},
        {("person", "city"): cities, ("person", "state"): cities},
        names={"city": ["New York", "Buffalo"], "state": ["New York", "Ohio"]},
    )
    descriptions = read_descriptions(data)
    assert descriptions is not None
    assert sorted(descriptions.words) == ["Buffalo", "New York (city)", "New York (state)", "Ohio"]
    ((words, _),) = name_regions(descriptions, [np.arange(10)], [None])
    assert set(words) <= {"New York (city)", "New York (state)"}
