"""Parquet files."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mrsne.budgets import CELLS, UNPACKED_BYTES
from mrsne.data.files.damage import file_errors
from mrsne.data.files.writing import write_atomically
from mrsne.data.tables.frames import column_from_arrow
from mrsne.data.tables.table import Column, Format, Headings, Table, TableError, check_size, package
from mrsne.parameters import describe
from mrsne.regular_files import open_regular

VALUE_BYTES = 16  # that a value takes while it is read, however it is written; twice that for each level of nesting


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
        if twice := [name for name, count in Counter(file.schema_arrow.names).items() if count > 1]:
            raise TableError(f"{str(path)!r} has several columns called {describe(twice[0])}; rename all but one")
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
    check_size(path.name, metadata.num_rows, metadata.num_columns)
    columns = [metadata.schema.column(at) for at in range(metadata.num_columns)]
    levels = [column.path.count(".") for column in columns]
    values, unpacked = 0, 0
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for at, depth in enumerate(levels):
            chunk = group.column(at)
            values += chunk.num_values
            unpacked += max(chunk.total_uncompressed_size, chunk.num_values * VALUE_BYTES * (1 + 2 * depth))
    CELLS.check(path.name, max(values, metadata.num_rows), TableError)
    UNPACKED_BYTES.check(repr(str(path)), unpacked, TableError, path.stat().st_size)
    return [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]


def write(path: Path, columns: Mapping[str, Any]) -> None:
    parquet = package(path, "pyarrow.parquet", "parquet")
    import pyarrow

    table = pyarrow.table({name: pyarrow.array(values, from_pandas=True) for name, values in columns.items()})
    write_atomically(path, lambda file: parquet.write_table(table, file))


FORMAT = Format("a Parquet file", (".parquet",), read, b"PAR1", write=write, written=(".parquet",))
