"""The files beside a map: what they are called, and whether its data is what it was made of."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from mrsne.data.archive import DataFileError
from mrsne.data.identity import identity
from mrsne.data.relational import RelationalData


def data_beside(path: str | os.PathLike[str]) -> Path:
    """Return where the data of a map is kept."""
    return Path(path).with_suffix(".data.npz")


def coordinates_beside(path: Path) -> Path:
    """Return where the table of a map's coordinates is."""
    return path.with_suffix(".coordinates.csv")


def left_out_beside(path: Path) -> Path:
    """Return where the table of what was left out of a map is."""
    return path.with_suffix(".left-out.csv")


def read_beside(file: Path, known: str | None) -> RelationalData | None:
    """Return the data in a file if its fingerprint is the one that is known; warn and return None otherwise."""
    try:
        data = RelationalData.load(file)
    except FileNotFoundError:
        reason = f"the data of the map is not beside it: there is no {str(file)!r}"
    except DataFileError as error:
        reason = str(error)
    else:
        if known is None or identity(data) == known:
            return data
        reason = f"{str(file)!r} holds other data than the map was made from"
    warnings.warn(f"{reason}; names, links and pictures are not known", UserWarning, stacklevel=3)
    return None
