"""What ``mrsne map`` takes for folders and tables alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class MapSettings:
    """Settings of a map.

    Attributes
    ----------
    min_count : int
        Tags, and items of further kinds, that fewer items have are left out.
    links : float
        How much the links decide.
    image_model : str
    cache : Path or None
        Folder that keeps vectors of pictures.
    seed : int
    """

    min_count: int
    links: float
    image_model: str
    cache: Path | None
    seed: int
