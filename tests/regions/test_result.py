"""A region is chosen by number or name, and where that is not clear, the message says which may be meant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mrsne.parameters import ParameterError
from mrsne.regions.result import Region, Regions, choose_region


def regions(*names: str) -> Regions:
    return Regions([Region(0, None, tuple(name.split(", ")), (1.0,), {}, (), (0.0, 0.0)) for name in names])


def test_a_whole_name_comes_before_a_word_of_another() -> None:
    assert choose_region(regions("cat, dog", "dog"), "dog").name == "dog"


def test_what_the_overview_shows_largest_comes_before_a_part_with_that_name() -> None:
    overview, part, other = regions("people, man, woman", "people", "people, crowd")
    found = Regions([overview, replace(part, level=1, parent=0), replace(other, level=2, parent=1)])
    assert choose_region(found, "people") is found[0]
    assert choose_region(found, "People, Crowd") is found[2]
    assert choose_region(found, "crowd") is found[2]


def test_a_name_that_is_a_number_comes_before_the_number() -> None:
    assert choose_region(regions("cat", "dog", "0"), "0").name == "0"
    assert choose_region(regions("cat", "dog", "0"), "1").name == "dog"


def test_several_that_fit_are_all_named() -> None:
    with pytest.raises(ParameterError, match=r"can be any of 0 \(cat, lion\), 1 \(cat, dog\); give its number"):
        choose_region(regions("cat, lion", "cat, dog", "sea"), "cat")


def test_a_slip_of_the_pen_finds_the_nearest() -> None:
    with pytest.raises(ParameterError, match=r"no region is called 'flwoer'; the nearest are 1 \(flower, rose\)$"):
        choose_region(regions("cat, lion", "flower, rose"), "flwoer")


def test_a_map_without_regions_says_so() -> None:
    with pytest.raises(ParameterError, match="the map has no regions, so there is none called 'cat'"):
        choose_region(regions(), "cat")


def test_of_parts_called_like_the_region_around_them_it_is_that_region() -> None:
    parents = [None, 0, 1, None, 3]
    names = ["cat", "kitten", "cat", "dog", "dog, cat"]
    found = Regions([replace(region, parent=parent) for region, parent in zip(regions(*names), parents, strict=True)])
    assert choose_region(found, "CAT") is found[0]
    apart = Regions([*found, found[3]])
    with pytest.raises(ParameterError, match=r"can be any of 3 \(dog\), 5 \(dog\)"):
        choose_region(apart, "dog")


def test_names_with_commas_stay_apart() -> None:
    region = Region(0, None, ("Turner, Joseph", "Blake, William"), (2.0, 1.0), {}, (), (0.0, 0.0))
    assert region.name == "Turner, Joseph; Blake, William"
