"""One region of a map, by its number or its name."""

from __future__ import annotations

import difflib

from mrsne.parameters import ParameterError
from mrsne.regions.result import Region, Regions

MOST_NAMED = 8  # regions in a message


def choose_region(regions: Regions, wanted: str) -> Region:
    """Return the region with this number, this name, or this word in its name; upper and lower case are the same.

    A single word is first looked for where the map shows it largest: as the first word of a name, from the overview
    down. Of a region and parts that are called just like it, it is the region around them, as on the interactive map.

    Parameters
    ----------
    regions : Regions
    wanted : str
        Where no region has it, or several have, the error names those that may be meant.

    Examples
    --------
    >>> import numpy as np
    >>> found = [Region(0, None, words, (1.0, 1.0), {}, (), (0, 0)) for words in [("cat", "tiger"), ("cat", "purr")]]
    >>> choose_region(Regions(found), "Tiger").name, choose_region(Regions(found), "1").name
    ('cat, tiger', 'cat, purr')
    >>> choose_region(Regions(found), "cat")
    Traceback (most recent call last):
    mrsne.parameters.ParameterError: region 'cat' can be any of 0 (cat, tiger), 1 (cat, purr); give its number
    """
    if not len(regions):
        raise ParameterError(f"the map has no regions, so there is none called {wanted!r}")
    key = wanted.strip().casefold()
    names = [region.name.casefold() for region in regions]
    words = [{word.casefold() for word in region.words} for region in regions]
    found = _called(regions, key) or [number for number, own in enumerate(words) if key in own]
    if not found and key.isascii() and key.isdecimal() and int(key) < len(regions):
        found = [int(key)]
    if len(found) == 1:
        return regions[found[0]]
    if found:
        raise ParameterError(f"region {wanted!r} can be any of {_listed(regions, found)}; give its number")
    raise ParameterError(_unknown(regions, wanted, key, names, words))


def _called(regions: Regions, key: str) -> list[int]:
    """Return the regions of the highest level that have a name or, as the map shows it largest, begin with it."""
    whole = {number for number, region in enumerate(regions) if region.name.casefold() == key}
    first = {number for number, region in enumerate(regions) if region.words and region.words[0].casefold() == key}
    level = min((regions[number].level for number in whole | first), default=0)
    outermost = {number for number in whole if whole.isdisjoint(_around(regions, number))}
    highest = [number for number in sorted(outermost | first) if regions[number].level == level]
    return [number for number in highest if number in outermost] or highest


def _around(regions: Regions, number: int) -> list[int]:
    """Return the regions that one is a part of."""
    found: list[int] = []
    parent = regions[number].parent
    while parent is not None:
        found.append(parent)
        parent = regions[parent].parent
    return found


def _unknown(regions: Regions, wanted: str, key: str, names: list[str], words: list[set[str]]) -> str:
    """Return what to say of a region that is not there: the nearest ones or, where none is near, the overview."""
    if key.isascii() and key.isdecimal():
        return f"region {wanted!r} is not there; the {len(regions)} regions have the numbers 0 to {len(regions) - 1}"
    texts = {*names, *(word for own in words for word in own)}
    alike = difflib.get_close_matches(key, texts, n=MOST_NAMED, cutoff=0.6)
    found: list[int] = []
    for text in alike:
        found += [n for n, own in enumerate(words) if (text == names[n] or text in own) and n not in found]
    if found:
        return f"no region is called {wanted!r}; the nearest are {_listed(regions, found)}"
    overview = [number for number, region in enumerate(regions) if region.level == 0]
    return f"no region is called {wanted!r}; those of the overview are {_listed(regions, overview)}"


def _listed(regions: Regions, numbers: list[int]) -> str:
    shown = [f"{number} ({regions[number].name or 'without a name'})" for number in numbers[:MOST_NAMED]]
    return ", ".join(shown) + (f" and {len(numbers) - MOST_NAMED} more" if len(numbers) > MOST_NAMED else "")
