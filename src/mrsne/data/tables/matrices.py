"""Vectors from files: numpy arrays, scipy's sparse matrices and tables; whole, or block by block for a cluster."""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.arrays import Bool, Float64
from mrsne.data.files.damage import file_errors, open_arrays
from mrsne.data.tables.addresses import ENDINGS, is_elsewhere, local_copy
from mrsne.data.tables.cells import Cell, cell_text, numbers_of, without_missing_words
from mrsne.data.tables.reading import open_table
from mrsne.data.tables.table import Coded, Table, TableError, texts_of
from mrsne.parameters import ParameterError, describe
from mrsne.regular_files import open_regular, read_text
from mrsne.sparse_structure import check_structure

BLOCK_BYTES = 2**26  # of a file, that a task reads at a time


def read_matrix(path: Path) -> tuple[Any, list[str] | None]:
    """Return a matrix of numbers, and names where the first column of a table has them.

    ``.npy`` (not read into memory at once), ``.npz`` (one array, or a sparse matrix as scipy saves it), or a table of
    numbers with or without headings; any of them also from where :func:`local_copy` reads.
    """
    with local_copy(path) as local:
        try:
            if local.suffix == ".npy":
                with file_errors(local, "a file of numpy", TableError), open_regular(local):
                    array = np.load(local, mmap_mode="r", allow_pickle=False)
                    return np.array(array) if is_elsewhere(path) else array, None
            if local.suffix == ".npz":
                return _read_npz(local), None
        except FileNotFoundError:
            raise FileNotFoundError(f"there is no file {str(path)!r}") from None
        if local.suffix.lower() not in ENDINGS:
            raise TableError(f"{str(path)!r} must end in .npy, .npz, {', '.join(ENDINGS)}")
        return _table_of_numbers(open_table(local, headings=_has_headings, keep_missing_words=True))


def _read_npz(path: Path) -> Any:
    with open_arrays(path, "a file of numpy", TableError) as arrays:
        if "format" in arrays and "shape" in arrays:
            matrix = sparse.load_npz(path)
            check_structure("what it holds", matrix)
            return sparse.csr_matrix(matrix)
        if len(arrays) != 1:
            raise TableError(
                f"{str(path)!r} has {len(arrays)} arrays ({', '.join(arrays)}); expected one, or a sparse matrix"
            )
        return arrays[next(iter(arrays))]


def _has_headings(rows: list[list[str]]) -> bool:
    """Return whether the first row has words, besides the name of an item."""
    return bool(parsed_numbers([cell.strip() for cell in rows[0][1:]])[1].any())


def _table_of_numbers(table: Table) -> tuple[Float64, list[str] | None]:
    """Return the numbers of a table, NaN in rows of items without a vector, and the names in its first column."""
    first, *others = table.columns.values()
    has_names = isinstance(first, Coded) and bool(parsed_numbers(first.values)[1].any())
    blocks, marks = [], []
    for column in others if has_names else table.columns.values():
        if isinstance(column, Coded):
            numbers, bad = parsed_numbers(column.values)
            blocks.append(np.append(numbers, np.nan)[column.codes][:, None])
            marks.append(np.append(bad, False)[column.codes][:, None])
        else:
            numbers = column.astype(np.float64)
            blocks.append(numbers if numbers.ndim == 2 else numbers[:, None])
            marks.append(np.zeros(blocks[-1].shape, bool))
    if not blocks:
        raise TableError(f"{table.source} has no column of numbers")
    vectors, bad = np.concatenate(blocks, axis=1), np.concatenate(marks, axis=1)
    without = np.isnan(vectors).all(axis=1) & ~bad.any(axis=1)
    for row in np.flatnonzero(~np.isfinite(vectors).all(axis=1) & ~without).tolist():
        cells = [texts_of(column)[row] or "" for column in table.columns.values()]
        while not cells[-1]:
            cells.pop()
        raise TableError(f"{table.where(row)}: expected {vectors.shape[1]} finite numbers, got {describe(cells)}")
    return vectors, [name or "" for name in texts_of(first)] if has_names else None


def parsed_numbers(cells: Sequence[Cell]) -> tuple[Float64, Bool]:
    """Return the numbers of cells, NaN for what stands for nothing; and which cells are neither."""
    texts = [cell_text(cell) for cell in cells]
    bad = np.zeros(len(cells), bool)
    with suppress(ValueError):
        return np.array(list(map(float, texts)), np.float64), bad
    numbers = numbers_of(texts)
    for index in np.flatnonzero(np.isnan(numbers)).tolist():
        try:
            numbers[index] = float(texts[index])
        except ValueError:
            bad[index] = without_missing_words(texts[index]) is not None
    return numbers, bad


def lazy_matrix(path: Path) -> tuple[Any, list[str] | None]:
    """Return vectors as a dask collection, or in memory where the format is not read in blocks; and names.

    ``.npy`` is read through a memory map, ``.zarr`` and ``.parquet`` (a file or a folder of them) with Dask.
    """
    if path.suffix == ".zarr" and path.is_dir():
        import dask.array

        with file_errors(path, "a Zarr array", TableError):
            _refuse_pickles(path)
            return dask.array.from_zarr(str(path.resolve())), None
    if path.suffix == ".parquet" and (path.is_dir() or path.is_file()):
        import dask.dataframe

        with file_errors(path, "a Parquet file or a folder of them", TableError):
            return dask.dataframe.read_parquet(str(path.resolve())), None
    if path.suffix == ".npy" and path.is_file():
        return npy_blocks(path), None
    return read_matrix(path)


def _refuse_pickles(path: Path) -> None:
    """Raise where the blocks of a Zarr array are to be unpickled, which runs whatever they hold."""
    for name, keys in ((".zarray", ("compressor", "filters")), ("zarr.json", ("codecs",))):
        with suppress(FileNotFoundError):
            about = json.loads(read_text(path / name))
            if "pickle" in json.dumps([about.get(key) for key in keys]):
                raise ParameterError("its blocks are pickled")


def npy_blocks(path: Path, block_bytes: int = BLOCK_BYTES) -> Any:
    """Return an array in a file as a dask array whose blocks are read by the workers that need them."""
    import dask.array
    from dask import delayed

    header = read_matrix(path)[0]
    if header.ndim != 2 or 0 in header.shape:
        wanted = "at least one item and one dimension, (items, dimensions)"
        raise ParameterError(f"{str(path)!r} has shape {header.shape}; a domain needs {wanted}")
    n, width = header.shape
    height = max(1, block_bytes // max(1, width * header.itemsize))
    parts = [
        dask.array.from_delayed(
            delayed(read_rows)(str(path.resolve()), start, min(start + height, n)),
            (min(height, n - start), width),
            header.dtype,
        )
        for start in range(0, n, height)
    ]
    return dask.array.concatenate(parts)


def read_rows(path: str, start: int, stop: int) -> NDArray[Any]:
    return np.array(np.load(path, mmap_mode="r", allow_pickle=False)[start:stop])
