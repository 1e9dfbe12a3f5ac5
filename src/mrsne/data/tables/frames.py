"""Frames in memory as tables: of pandas, polars and pyarrow, whose columns Parquet files have too, and mappings."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mrsne.data.tables.cells import cell_text, read_cell
from mrsne.data.tables.table import Coded, Coder, Column, Table, TableError, column_of
from mrsne.parameters import describe

LARGEST = 2**53  # whole numbers up to here are numbers in double precision too
BATCH = 10_000  # rows of objects that are Python's at a time


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
    if hasattr(values, "cat"):  # pandas' categories
        return Coded(np.asarray(values.cat.codes, np.int32), []).with_values(map(read_cell, values.cat.categories))
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
    return column_of(map(read_cell, values))


def column_from_arrow(chunks: Any) -> Column:
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
        if not types.is_nested(kind.value_type):
            return _lists(chunks)
    if not types.is_nested(kind):
        return _coded(chunks.combine_chunks().dictionary_encode())
    batches = pyarrow.table({"": chunks}).to_batches(BATCH)
    return column_of(read_cell(value) for batch in batches for value in batch.column(0).to_pylist())


def _coded(dictionary: Any) -> Column:
    """Return a column of words from Arrow's own codes; values that mean the same, such as "a" and " a ", become one."""
    codes = np.asarray(dictionary.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int32)
    return Coded(codes, []).with_values(map(read_cell, dictionary.dictionary.to_pylist()))


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
