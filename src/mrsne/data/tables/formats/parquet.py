"""Parquet files, and the columns of Arrow tables, as pyarrow and polars have them too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.budgets import CELLS, UNPACKED_BYTES
from mrsne.data.files.damage import file_errors
from mrsne.data.files.writing import write_atomically
from mrsne.data.tables.cells import cell_text, read_cell
from mrsne.data.tables.table import Coded, Coder, Column, Format, Headings, Table, TableError, check_size
from mrsne.regular_files import open_regular

LARGEST = 2**53  # whole numbers up to here are numbers in double precision too


def read(path: Path, name: str | None, headings: Headings | None) -> Table:
    """Read a Parquet file, one column at a time."""
    parquet = _pyarrow_parquet(path)
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
    parquet = _pyarrow_parquet(path)
    import pyarrow

    table = pyarrow.table({name: pyarrow.array(values, from_pandas=True) for name, values in columns.items()})
    write_atomically(path, lambda file: parquet.write_table(table, file))


def _pyarrow_parquet(path: Path) -> Any:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError(
            f"{str(path)!r} needs pyarrow, which cannot be imported ({error}): pip install 'mrsne[parquet]'"
        ) from error
    return parquet


def column_from_arrow(chunks: Any) -> Column:
    """Return a column of an Arrow table."""
    import pyarrow

    types, kind = pyarrow.types, chunks.type
    if types.is_dictionary(kind):
        return _coded(chunks.combine_chunks())
    if types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view":
        return _coded(chunks.cast(pyarrow.large_string()).combine_chunks().dictionary_encode())
    if types.is_date(kind) or types.is_timestamp(kind):
        return np.asarray(chunks.cast(pyarrow.timestamp("s"), safe=False).to_numpy()).astype("datetime64[s]")
    if types.is_integer(kind) and (not chunks.null_count or not _has_large(chunks)):
        return np.asarray(chunks.to_numpy())
    if types.is_floating(kind) or types.is_decimal(kind):
        return np.asarray(chunks.cast(pyarrow.float64(), safe=False).to_numpy(), dtype=np.float64)
    if types.is_fixed_size_list(kind) or types.is_list(kind) or types.is_large_list(kind):
        vectors: Column | None = _vectors(chunks)
        if vectors is not None:
            return vectors
        if types.is_string(kind.value_type) or types.is_large_string(kind.value_type):
            return _lists(chunks)
    coder = Coder()
    for chunk in chunks.chunks:
        for value in chunk.to_pylist():
            coder.add(value)
    return coder.column()


def _coded(dictionary: Any) -> Column:
    """Return a column of words from Arrow's own codes; values that mean the same, such as "a" and " a ", become one."""
    words = Coder()
    for word in dictionary.dictionary.to_pylist():
        words.add(word)
    own = words.column()
    codes = np.asarray(dictionary.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int32)
    return Coded(np.append(own.codes, np.int32(-1))[codes], own.values)  # -1 finds the last one


def _lists(chunks: Any) -> Column:
    """Return a column of lists of words; a word is kept once, however many lists have it."""
    coder = Coder()
    shared: dict[str, str] = {}
    for chunk in chunks.chunks:
        flat = chunk.flatten().dictionary_encode()  # without what lies outside the lists
        words = [read_cell(word) for word in flat.dictionary.to_pylist()]
        known = [None if word is None else shared.setdefault(cell_text(word), cell_text(word)) for word in words]
        codes = flat.indices.fill_null(-1).to_pylist()
        start = 0
        for length in chunk.value_lengths().to_pylist():
            if length is None:
                coder.add_cell(None)
                continue
            own = (known[code] for code in codes[start : start + length] if code >= 0)
            coder.add_cell(tuple(word for word in own if word is not None))
            start += length
    return coder.column()


def _has_large(chunks: Any) -> bool:
    import pyarrow.compute as compute

    found = compute.min_max(chunks).as_py()
    return found["min"] is not None and (found["min"] < -LARGEST or found["max"] > LARGEST)


def _vectors(chunks: Any) -> Any:
    """Return lists of numbers that all have the same length as an array of vectors; None where they are no vectors."""
    import pyarrow

    types, inner = pyarrow.types, chunks.type.value_type
    if not (types.is_floating(inner) or types.is_integer(inner)) or chunks.null_count or not len(chunks):
        return None
    flat = chunks.combine_chunks().flatten()
    width, rest = divmod(len(flat), len(chunks))
    if rest or width < 2 or flat.null_count:
        return None
    lengths = pyarrow.compute.list_value_length(chunks).to_numpy()
    return np.asarray(flat.to_numpy(zero_copy_only=False)).reshape(-1, width) if (lengths == width).all() else None


FORMAT = Format("a Parquet file", (".parquet",), read, b"PAR1", write=write, written=(".parquet",))
