"""RelationalData in one file, with what commands keep beside it."""

from __future__ import annotations

import os
from typing import Any

from mrsne.data.archive import DataFileError, read_archive, write_archive
from mrsne.data.relational import RelationalData

__all__ = ["DataFileError", "load_data", "save_data"]


def save_data(data: RelationalData, path: str | os.PathLike[str], about: dict[str, Any] | None = None) -> None:
    """Write data as an npz file, in one step, without pickled objects.

    Parameters
    ----------
    data : RelationalData
    path : path
    about : dict, optional
        Anything that JSON can hold, to be kept with it.

    Examples
    --------
    >>> import numpy as np, pathlib, tempfile
    >>> data = RelationalData({"photo": np.eye(3), "tag": 2}, {("photo", "tag"): np.eye(3, 2)})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_data(data, pathlib.Path(folder, "data.npz"))
    ...     load_data(pathlib.Path(folder, "data.npz"))[0]
    RelationalData(photo: 3 items, 3-d; tag: 2 items, no vectors; photo-tag: 2 links)
    """
    write_archive(data, path, about)


def load_data(path: str | os.PathLike[str]) -> tuple[RelationalData, dict[str, Any]]:
    """Read what :func:`save_data` wrote: the data, and what was kept with it.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataFileError
        If it is something else, or damaged.
    """
    return read_archive(path, RelationalData)
