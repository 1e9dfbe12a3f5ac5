"""A map as a table with one row for each item."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from mrsne.io.writing import write_atomically

AXES = ("x", "y", "z")


def item_rows(
    coordinates: Mapping[str, NDArray[np.float32]], data: Any = None, columns: bool = False
) -> dict[str, NDArray[Any]]:
    """Return the columns kind, id, label, x, y, … of all items, kind after kind.

    Parameters
    ----------
    coordinates : mapping of str to array of shape (n, K)
    data : RelationalData, optional
        Gives ids and labels; without it, ids are positions.
    columns : bool
        Also return what else the data knows of its items; a column that several kinds have is one.

    Examples
    --------
    >>> rows = item_rows({"photo": np.zeros((1, 2), np.float32), "tag": np.ones((1, 2), np.float32)})
    >>> rows["kind"].tolist(), rows["id"].tolist(), rows["x"].tolist()
    (['photo', 'tag'], ['0', '0'], [0.0, 1.0])
    """
    sizes = {name: len(Y) for name, Y in coordinates.items()}
    ids: list[str] = []
    labels: list[str] = []
    for name, size in sizes.items():
        own = (None if data is None else data.names.get(name)) or [str(position) for position in range(size)]
        ids.extend(own)
        labels.extend((None if data is None else data.shown_names(name)) or own)
    stacked = np.concatenate(list(coordinates.values()))
    axes = AXES if stacked.shape[1] <= len(AXES) else [f"x{axis + 1}" for axis in range(stacked.shape[1])]
    rows: dict[str, NDArray[Any]] = {
        "kind": _objects([name for name, size in sizes.items() for _ in range(size)]),
        "id": _objects(ids),
        "label": _objects(labels),
        **{axis: stacked[:, index] for index, axis in enumerate(axes[: stacked.shape[1]])},
    }
    known = getattr(data, "columns", {}) if columns else {}  # data on a cluster has none
    for heading in dict.fromkeys(heading for found in known.values() for heading in found):
        free = heading if heading not in rows else f"{heading} (column)"
        rows[free] = _joined([known.get(name, {}).get(heading) for name in sizes], list(sizes.values()))
    return rows


def _joined(parts: list[Any], sizes: list[int]) -> NDArray[Any]:
    """Return one column for several kinds, of which some have none."""
    known = [part for part in parts if part is not None]
    if all(isinstance(part, np.ndarray) and part.dtype == known[0].dtype for part in known):
        empty = np.datetime64("NaT") if known[0].dtype.kind == "M" else np.nan
        blocks = [
            np.full(size, empty, known[0].dtype) if part is None else part
            for part, size in zip(parts, sizes, strict=True)
        ]
        return np.concatenate(blocks)
    texts: list[str | None] = []
    for part, size in zip(parts, sizes, strict=True):
        texts += [None] * size if part is None else [None if value is None else str(value) for value in part]
    return _objects(texts)


def _objects(values: list[Any]) -> NDArray[Any]:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def write_parquet(path: str | os.PathLike[str], rows: Mapping[str, NDArray[Any]]) -> None:
    """Write rows as a Parquet file, in one step."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError(f"a Parquet file needs pyarrow ({error}): pip install 'mrsne[parquet]'") from error
    table = pyarrow.table({name: pyarrow.array(values, from_pandas=True) for name, values in rows.items()})

    def write(file: IO[bytes]) -> None:
        parquet.write_table(table, file)

    write_atomically(path, write)
