"""What is found: regions with names, members and outlines; and one of them by its number or name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mrsne.arrays import Float32, Int64
from mrsne.parameters import ParameterError

MAX_NAMED = 8  # regions in a message


@dataclass(frozen=True, eq=False)
class Region:
    """A part of a map.

    Attributes
    ----------
    level : int
        0 for the overview; regions of higher levels are parts of others.
    parent : int or None
        Position, among all regions, of the one that it is a part of.
    words : tuple of str
        Its name: up to three words, the most distinctive first; none where no item near it has a name.
    scores : tuple of float
        How distinctive each word is (``docs/regions.md`` has the equation). 0 where the word is the name of a typical
        item, because no link distinguishes the region from others.
    members : mapping of str to array of int
        Positions of its items, by domain.
    outline : tuple of array of shape (k, 2)
        Closed lines around nine tenths of its items.
    centre : tuple of float
        Where its items are densest, and its name is written.
    key : int
        A number, for a colour for example, that stays the same as long as the region keeps most of its items while the
        map is continued.

    See Also
    --------
    mrsne.Embedding.regions : Finds the regions of a map.

    Examples
    --------
    >>> import numpy as np
    >>> Region(1, 0, ("cat", "tiger"), (5.0, 2.0), {"photo": np.arange(2)}, (), (0.0, 0.0))
    Region('cat, tiger'; level 1, 2 items)
    """

    level: int
    parent: int | None
    words: tuple[str, ...]
    scores: tuple[float, ...]
    members: Mapping[str, Int64]
    outline: tuple[Float32, ...]
    centre: tuple[float, float]
    key: int = 0

    @property
    def name(self) -> str:
        """The words as one text, with semicolons between them where one of them has a comma itself."""
        return ("; " if any("," in word for word in self.words) else ", ").join(self.words)

    @property
    def size(self) -> int:
        """Number of items."""
        return sum(len(items) for items in self.members.values())

    def __repr__(self) -> str:
        return f"Region({self.name!r}; level {self.level}, {self.size} item{'s' * (self.size != 1)})"


class Regions(tuple[Region, ...]):
    """The regions of a map: the overview first, then their parts, level by level; within a level the largest first.

    See Also
    --------
    mrsne.Embedding.regions : Finds them.
    mrsne.plot.map_figure : Draws them on a picture of the map.

    Examples
    --------
    >>> import numpy as np
    >>> animals = Region(0, None, ("animals",), (9.0,), {"photo": np.arange(4)}, (), (0.0, 0.0))
    >>> cats = Region(1, 0, ("cat", "tiger"), (5.0, 2.0), {"photo": np.arange(2)}, (), (0.0, 0.0))
    >>> regions = Regions([animals, cats])
    >>> regions
    Regions(level 0: 1; level 1: 1)
    >>> regions.at(1), regions[1].parent
    ((Region('cat, tiger'; level 1, 2 items),), 0)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Regions({'; '.join(f'level {level}: {len(self.at(level))}' for level in range(self.n_levels))})"

    @property
    def n_levels(self) -> int:
        """Number of levels."""
        return 1 + max((region.level for region in self), default=-1)

    def at(self, level: int) -> tuple[Region, ...]:
        """Return the regions of a level."""
        return tuple(region for region in self if region.level == level)

    def rows(self) -> dict[str, list[Any]]:
        """Return the columns of a table: number, level, parent, name, score of its first word, items and place."""
        return {
            "region": list(range(len(self))),
            "level": [region.level for region in self],
            "parent": ["" if region.parent is None else region.parent for region in self],
            "name": [region.name for region in self],
            "score": [round(max(region.scores, default=0.0), 3) for region in self],
            "items": [region.size for region in self],
            "x": [region.centre[0] for region in self],
            "y": [region.centre[1] for region in self],
        }

    def records(self, names: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
        """Return what JSON can hold of each region, with the ids of its items, by ``names`` or else by position."""
        return [
            {
                "region": number,
                "level": region.level,
                "parent": region.parent,
                "name": region.name,
                "words": list(region.words),
                "scores": [round(score, 3) for score in region.scores],
                "x": region.centre[0],
                "y": region.centre[1],
                "items": {
                    domain: [names[domain][i] if domain in names else str(i) for i in positions.tolist()]
                    for domain, positions in region.members.items()
                },
                "outline": [line.astype(float).round(4).tolist() for line in region.outline],
            }
            for number, region in enumerate(self)
        ]


def choose_region(regions: Regions, wanted: str) -> Region:
    """Return the region with this number, this name, or this word in its name; upper and lower case are the same.

    A single word is first looked for where the map shows it largest: as the first word of a name, from the overview
    down. Of a region and parts with the same name, it is the region. An error names those that may be meant.
    """
    if not len(regions):
        raise ParameterError(f"the map has no regions, so there is none called {wanted!r}")
    key = wanted.strip().casefold()
    called = [{text.casefold() for text in (region.name, *region.words)} for region in regions]
    found = _with_name(regions, key) or [number for number, own in enumerate(called) if key in own]
    if not found and key.isascii() and key.isdecimal() and int(key) < len(regions):
        found = [int(key)]
    if len(found) == 1:
        return regions[found[0]]
    if found:
        raise ParameterError(f"region {wanted!r} can be any of {_listing(regions, found)}; give its number")
    raise ParameterError(_not_found(regions, wanted, key, called))


def _with_name(regions: Regions, key: str) -> list[int]:
    """Return the regions of the highest level that have a name or, as the map shows it largest, begin with it."""
    whole = {number for number, region in enumerate(regions) if region.name.casefold() == key}
    first = {number for number, region in enumerate(regions) if region.words and region.words[0].casefold() == key}
    level = min((regions[number].level for number in whole | first), default=0)

    def is_inside(number: int) -> bool:
        parent = regions[number].parent
        return parent is not None and (parent in whole or is_inside(parent))

    outermost = {number for number in whole if not is_inside(number)}
    highest = [number for number in sorted(outermost | first) if regions[number].level == level]
    return [number for number in highest if number in outermost] or highest


def _not_found(regions: Regions, wanted: str, key: str, called: list[set[str]]) -> str:
    """Return what to say of a region that is not there: the nearest ones or, where none is near, the overview."""
    if key.isascii() and key.isdecimal():
        return f"region {wanted!r} is not there; the {len(regions)} regions have the numbers 0 to {len(regions) - 1}"
    alike = difflib.get_close_matches(key, set().union(*called), n=MAX_NAMED, cutoff=0.6)
    found = list(dict.fromkeys(number for text in alike for number, own in enumerate(called) if text in own))
    if found:
        return f"no region is called {wanted!r}; the nearest are {_listing(regions, found)}"
    overview = [number for number, region in enumerate(regions) if region.level == 0]
    return f"no region is called {wanted!r}; those of the overview are {_listing(regions, overview)}"


def _listing(regions: Regions, numbers: list[int]) -> str:
    shown = [f"{number} ({regions[number].name or 'without a name'})" for number in numbers[:MAX_NAMED]]
    return ", ".join(shown) + (f" and {len(numbers) - MAX_NAMED} more" if len(numbers) > MAX_NAMED else "")
