"""Frames in memory as tables: DataFrames of pandas and polars, tables of pyarrow, mappings of headings to values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mrsne.data.tables.arrow import column_from_arrow
from mrsne.data.tables.table import Coded, Coder, Column, Table, TableError
from mrsne.parameters import describe


def read_frame(frame: Any, source: str) -> Table:
    """Return a DataFrame of pandas or polars, a table of pyarrow, or a mapping of headings to values as a table."""
    if hasattr(frame, "collect_schema") and hasattr(frame, "collect"):
        frame = frame.collect()  # of polars, lazy
    if hasattr(frame, "to_arrow") and not hasattr(frame, "iloc"):
        frame = frame.to_arrow()
    if hasattr(frame, "column_names") and hasattr(frame, "schema"):
        flat = frame.flatten()
        columns = {str(name): column_from_arrow(flat.column(name)) for name in flat.column_names}
    elif hasattr(frame, "columns") and hasattr(frame, "index"):
        columns = columns_of_pandas(frame)
    elif isinstance(frame, Mapping):
        columns = {str(name): _column(values) for name, values in frame.items()}
    else:
        raise TableError(
            f"frame must be a DataFrame of pandas or polars, a table of pyarrow, or a mapping of headings to values, "
            f"got {describe(frame)}"
        )
    sizes = {name: len(column.codes if isinstance(column, Coded) else column) for name, column in columns.items()}
    if not sizes or len(set(sizes.values())) != 1 or not max(sizes.values()):
        raise TableError(f"{source} must have columns of one length with at least one row, got lengths {sizes}")
    return Table(source, columns, next(iter(sizes.values())))


def columns_of_pandas(frame: Any) -> dict[str, Column]:
    """Return the columns of a DataFrame; an index that has a name or holds words comes first."""
    columns: dict[str, Column] = {}
    index = frame.index
    if getattr(index, "nlevels", 1) == 1 and (index.name is not None or index.dtype.kind in "OTU"):
        columns[str(index.name) if index.name is not None else "index"] = _column(index.to_series())
    for position, name in enumerate(frame.columns):
        heading = str(name) if str(name) not in columns else f"{name} ({position + 1})"
        columns[heading] = _column(frame.iloc[:, position])
    return columns


def _column(values: Any) -> Column:
    """Return a column from a Series, an array or a list."""
    if hasattr(values, "cat"):  # pandas' categories
        words = _column(list(values.cat.categories))
        assert isinstance(words, Coded)
        codes = np.append(words.codes, np.int32(-1))[np.asarray(values.cat.codes)]
        return Coded(codes.astype(np.int32), words.values)
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # None where masked
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if kind == "M":
        zoneless = values.dt.tz_convert(None) if getattr(values.dtype, "tz", None) is not None else values
        return np.asarray(zoneless).astype("datetime64[s]")
    if kind is not None and kind in "iuf":
        if hasattr(values, "isna") and bool(values.isna().any()):
            return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
        array = np.asarray(values)
        if array.dtype.kind in "iuf":
            return array
    if isinstance(values, list) and values and all(type(value) is int for value in values):
        return np.asarray(values)
    if not hasattr(values, "__iter__") or isinstance(values, (str, Mapping)):
        raise TableError(f"a column must be a list of values, got {describe(values)}")
    coder = Coder()
    for value in values:
        coder.add(value)
    return coder.column()
