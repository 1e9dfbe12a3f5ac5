"""Parquet files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mrsne.budgets import CELLS, UNPACKED_BYTES
from mrsne.data.files.damage import file_errors
from mrsne.data.files.writing import write_atomically
from mrsne.data.tables.frames import column_from_arrow
from mrsne.data.tables.table import Column, Format, Headings, Table, TableError, check_size, package
from mrsne.regular_files import open_regular


def read(path: Path, name: str | None, headings: Headings | None) -> Table:
    """Read a Parquet file, one column at a time."""
    parquet = package(path, "pyarrow.parquet", "parquet")
    import pyarrow

    with file_errors(path, "a Parquet file", TableError), open_regular(path) as opened:
        file = parquet.ParquetFile(opened)  # not read_table, which takes the names of folders for columns
        words = _check_content(path, file.metadata)
        opened.seek(0)
        file = parquet.ParquetFile(opened, read_dictionary=words)
        columns: dict[str, Column] = {}
        groups = range(file.num_row_groups)
        for column, kind in zip(file.schema_arrow.names, file.schema_arrow.types, strict=True):
            # pyarrow joins no groups of rows where texts are in lists or objects
            parts = [file.read_row_group(group, [column]) for group in groups] if pyarrow.types.is_nested(kind) else []
            read = pyarrow.concat_tables(parts) if parts else file.read(columns=[column])
            flat = read.flatten()  # an object inside becomes columns such as artist.name
            for heading in flat.column_names:
                columns[heading] = column_from_arrow(flat.column(heading))
        size = file.metadata.num_rows
    if not size or not columns:
        raise TableError(f"{str(path)!r} has no rows")
    return Table(path.name, columns, size, None, path.parent)


def _check_content(path: Path, metadata: Any) -> list[str]:
    """Raise where the columns are larger than they may be; return those of texts, of which each is read once.

    A few bytes can stand for a billion values, and for a billion copies of a long text.
    """
    columns, unpacked = metadata.num_columns, 0
    check_size(path.name, metadata.num_rows, columns)
    values = [0] * columns
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for at in range(columns):
            chunk = group.column(at)
            values[at] += chunk.num_values
            unpacked += chunk.total_uncompressed_size
    CELLS.check(path.name, max(sum(values), metadata.num_rows), TableError)
    UNPACKED_BYTES.check(repr(str(path)), unpacked, TableError, path.stat().st_size)
    schema = metadata.schema
    return [schema.column(at).path for at in range(columns) if schema.column(at).physical_type == "BYTE_ARRAY"]


def write(path: Path, columns: Mapping[str, Any]) -> None:
    """Write columns of values as a Parquet file."""
    parquet = package(path, "pyarrow.parquet", "parquet")
    import pyarrow

    table = pyarrow.table({name: pyarrow.array(values, from_pandas=True) for name, values in columns.items()})
    write_atomically(path, lambda file: parquet.write_table(table, file))


FORMAT = Format("a Parquet file", (".parquet",), read, b"PAR1", write=write, written=(".parquet",))
