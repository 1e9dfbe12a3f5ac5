"""What ``mrsne map`` takes for folders and tables alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class MapSettings:
    """Settings of a map.

    Attributes
    ----------
    min_count : int
        Tags, and items of further kinds, that fewer items have are left out.
    links : float or None
        How much the links decide; None lets the data decide.
    image_model : str
    cache : Path or None
        Folder that keeps vectors of pictures.
    seed : int
    fresh : bool
        Make a map anew even where nothing has changed.
    """

    min_count: int
    links: float | None
    image_model: str
    cache: Path | None
    seed: int
    fresh: bool = False

    @property
    def model(self) -> dict[str, Any]:
        """The settings of :class:`mrsne.MRSNE` that are kept with the map."""
        return {"weights": "auto" if self.links is None else self.links, "relation_norm": "auto"}
