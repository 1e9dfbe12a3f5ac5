"""What is found: regions with names, members and outlines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


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
        Its name: up to three words, the most telling first; none where no item near it has a name.
    scores : tuple of float
        How telling each word is (``docs/regions.md`` has the equation). 0 where the word is the name of a typical
        item, because no link tells the region from others.
    members : mapping of str to array of int
        Positions of its items, by domain.
    outline : tuple of array of shape (k, 2)
        Closed lines around nine tenths of its items.
    centre : tuple of float
        Where its items are densest, and its name is written.

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
    members: Mapping[str, NDArray[np.int64]]
    outline: tuple[NDArray[np.float32], ...]
    centre: tuple[float, float]

    @property
    def name(self) -> str:
        """The words as one text."""
        return ", ".join(self.words)

    @property
    def size(self) -> int:
        """Number of items."""
        return sum(len(items) for items in self.members.values())

    def __repr__(self) -> str:
        return f"Region({self.name!r}; level {self.level}, {self.size} item{'s' * (self.size != 1)})"


class Regions(Sequence[Region]):
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

    __slots__ = ("_regions",)

    def __init__(self, regions: Sequence[Region]) -> None:
        self._regions = tuple(regions)

    @overload
    def __getitem__(self, index: int) -> Region: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Region, ...]: ...
    def __getitem__(self, index: int | slice) -> Region | tuple[Region, ...]:
        return self._regions[index]

    def __len__(self) -> int:
        return len(self._regions)

    def __iter__(self) -> Iterator[Region]:
        return iter(self._regions)

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
