"""The data beside a map: read, and known to be the one that the map was made of."""

from __future__ import annotations

import warnings
from pathlib import Path

from mrsne.data.archive import DataFileError
from mrsne.data.identity import identity
from mrsne.data.relational import RelationalData


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
