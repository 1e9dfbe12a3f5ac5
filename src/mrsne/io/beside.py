"""What lies beside a map."""

from __future__ import annotations

import os
from pathlib import Path


def data_beside(path: str | os.PathLike[str]) -> Path:
    """Return where the data of a map is kept.

    Examples
    --------
    >>> data_beside("maps/map.npz").as_posix()
    'maps/map.data.npz'
    """
    return Path(path).with_suffix(".data.npz")
