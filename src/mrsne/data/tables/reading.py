"""Any table: files by their endings, and frames in memory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.data.tables.formats import FORMATS
from mrsne.data.tables.formats.parquet import column_from_arrow
from mrsne.data.tables.table import Coded, Coder, Column, Format, Headings, Table, TableError
from mrsne.parameters import describe
from mrsne.regular_files import open_regular

ENDINGS = tuple(ending for known in FORMATS for ending in known.endings)
WRITTEN = tuple(ending for known in FORMATS for ending in known.written)  # endings of tables that commands write
SPREADSHEETS = (".xls", ".ods", ".numbers")
BEGINNINGS = {  # of files that are no text, whatever their names
    **{
        known.beginning: f"{known.name}; let its name end in {known.endings[0]}" for known in FORMATS if known.beginning
    },
    b"PK\x03\x04": "an Excel workbook or another zip archive; let its name end in .xlsx, or unpack it",
    b"\xd0\xcf\x11\xe0": "an old Excel file; open it and save it as .xlsx or CSV",
    b"\x1f\x8b": "compressed with gzip; unpack it first",
    b"\x89PNG": "a picture; mrsne map takes the folder of pictures",
    b"\xff\xd8\xff": "a picture; mrsne map takes the folder of pictures",
    b"%PDF": "a PDF file",
}


def open_table(
    source: Any,
    *,
    table: str | None = None,
    headings: Headings | None = None,
    keep_missing_words: bool = False,
    name: str = "frame",
) -> Table:
    """Return any table: a file, or a DataFrame, a table of pyarrow, or a mapping of headings to values.

    Parameters
    ----------
    source : path or frame
        A file in one of the formats of :data:`FORMATS`, which its ending tells.
    table : str, optional
        The name of the table, in a file that holds several.
    headings : bool or callable, optional
        For files that do not say whether their first row has headings, whether it has: by default guessed; a function
        of all rows decides. Columns without headings are called "column 1", "column 2", ….
    keep_missing_words : bool
        Whether words such as "n/a" and "-" are kept, as where an item may be called so, or stand for a missing value.
    name : str
        What messages call a frame.
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        found = _format_of(path, table).read(path, table, headings)
    else:
        try:
            found = _read_frame(source, name)
        except RecursionError:
            raise TableError(f"{name} has a cell that is nested too deeply") from None
    if keep_missing_words:
        return found
    columns = {
        heading: column.without_missing_words() if isinstance(column, Coded) else column
        for heading, column in found.columns.items()
    }
    return replace(found, columns=columns)


def write_table(path: Path, columns: Mapping[str, Any]) -> None:
    """Write columns of values in the format of the file's ending, one of :data:`WRITTEN`, in one step."""
    ending = path.suffix.lower()
    write = next(known.write for known in FORMATS if ending in known.written)
    assert write is not None
    write(path, columns)


def _format_of(path: Path, table: str | None) -> Format:
    """Return the format of a file; raise where it has none, or is not what its name says."""
    ending = path.suffix.lower()
    if ending in SPREADSHEETS:
        raise TableError(f"{str(path)!r} is a spreadsheet; open it and save it as .xlsx or CSV")
    found = next((known for known in FORMATS if ending in known.endings), None)
    if found is None:
        raise TableError(f"{str(path)!r} must end in {', '.join(ENDINGS)} to be read as a table")
    if table is not None and not found.holds_several:
        several = ", ".join(other for known in FORMATS if known.holds_several for other in known.endings)
        raise TableError(f"{str(path)!r} holds one table; --table chooses one of several ({several})")
    try:
        with open_regular(path) as file:
            start = file.read(16)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no table {str(path)!r}") from None
    if not start:
        raise TableError(f"{str(path)!r} is empty: it needs a row of headings and a row for each item")
    for beginning, what in BEGINNINGS.items():
        if start.startswith(beginning) and beginning != found.beginning:
            raise TableError(f"{str(path)!r} is {what}")
    return found


def _read_frame(frame: Any, source: str) -> Table:
    """Return a DataFrame of pandas or polars, a table of pyarrow, or a mapping of headings to values as a table."""
    if hasattr(frame, "collect_schema") and hasattr(frame, "collect"):
        frame = frame.collect()  # of polars, lazy
    if hasattr(frame, "to_arrow") and not hasattr(frame, "iloc"):
        frame = frame.to_arrow()
    if hasattr(frame, "column_names") and hasattr(frame, "schema"):
        flat = frame.flatten()
        columns = {str(name): column_from_arrow(flat.column(name)) for name in flat.column_names}
    elif hasattr(frame, "columns") and hasattr(frame, "index"):
        columns = _from_pandas(frame)
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


def _from_pandas(frame: Any) -> dict[str, Column]:
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
