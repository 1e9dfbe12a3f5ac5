"""Parquet files by columns."""

from __future__ import annotations

from pathlib import Path

from mrsne.io.damage import file_errors
from mrsne.io.regular_files import open_regular
from mrsne.io.tables import TableError
from mrsne.tables.arrow import column_from_arrow
from mrsne.tables.table import Column, Table


def table_from_parquet(path: Path) -> Table:
    """Read a Parquet file, one column at a time."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError(
            f"{str(path)!r} needs pyarrow, which cannot be imported ({error}): pip install 'mrsne[parquet]'"
        ) from error
    with file_errors(path, "a Parquet file", TableError), open_regular(path) as opened:
        file = parquet.ParquetFile(opened)
        columns: dict[str, Column] = {}
        for name in file.schema_arrow.names:
            flat = file.read(columns=[name]).flatten()  # an object inside becomes columns such as artist.name
            for heading in flat.column_names:
                columns[heading] = column_from_arrow(flat.column(heading))
        size = file.metadata.num_rows
    if not size or not columns:
        raise TableError(f"{str(path)!r} has no rows")
    return Table(path.name, columns, size, None, path.parent)
