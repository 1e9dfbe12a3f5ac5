"""A map that was made before, with what was kept beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mrsne.cli.map_files import data_beside

if TYPE_CHECKING:
    from mrsne.data import RelationalData
    from mrsne.embedding import Embedding


@dataclass(frozen=True)
class SavedMap:
    """A map and what was kept with it.

    Attributes
    ----------
    embedding : Embedding
    data : RelationalData
    settings : dict
        The parameters of ``MRSNE`` that it was made with.
    folder : Path or None
        Where its pictures were, if it has any.
    """

    embedding: Embedding
    data: RelationalData
    settings: dict[str, Any]
    folder: Path | None


def open_map(path: Path) -> SavedMap:
    """Return a map and what was kept with it."""
    from mrsne.data.storage import load_data
    from mrsne.embedding import Embedding

    embedding = Embedding.load(path)
    beside = data_beside(path)
    if not beside.exists():
        raise FileNotFoundError(f"the data of {str(path)!r} is not beside it: there is no {str(beside)!r}")
    data, about = load_data(beside)
    folder = about.get("folder")
    return SavedMap(embedding, data, about.get("settings", {}), None if folder is None else Path(folder))
