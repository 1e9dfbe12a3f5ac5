"""Files that workers of a cluster read, block by block; they have to be where all workers find them."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.io.arrays import read_links, read_matrix
from mrsne.io.damage import file_errors
from mrsne.io.tables import TableError
from mrsne.io.text import read_text

BLOCK_BYTES = 2**26  # of a file, that a task reads at a time


def lazy_matrix(path: Path) -> tuple[Any, list[str] | None]:
    """Return vectors as a dask collection, or as they are in memory where the format is not read in blocks; and names.

    ``.npy`` is read through a memory map, ``.zarr`` and ``.parquet`` (a file or a folder of them) with Dask.
    """
    if path.suffix == ".zarr" and path.is_dir():
        import dask.array

        with file_errors(path, "a Zarr array", TableError):
            _refuse_pickles(path)
            return dask.array.from_zarr(str(path.resolve())), None
    if path.suffix == ".parquet" and (path.is_dir() or path.is_file()):
        return _parquet(path), None
    if path.suffix == ".npy" and path.is_file():
        return npy_blocks(path), None
    return read_matrix(path)


def lazy_links(path: Path, a: str, b: str) -> Any:
    """Return links as a dask dataframe where a table is read in blocks, otherwise as they are in memory."""
    if path.suffix == ".parquet" and (path.is_dir() or path.is_file()):
        return _parquet(path)
    return read_links(path, a, b)


def _parquet(path: Path) -> Any:
    import dask.dataframe

    with file_errors(path, "a Parquet file or a folder of them", TableError):
        return dask.dataframe.read_parquet(str(path.resolve()))


def _refuse_pickles(path: Path) -> None:
    """Raise where the blocks of a Zarr array are to be unpickled, which runs whatever they hold."""
    for name, keys in ((".zarray", ("compressor", "filters")), ("zarr.json", ("codecs",))):
        with suppress(FileNotFoundError):
            about = json.loads(read_text(path / name))
            if "pickle" in json.dumps([about.get(key) for key in keys]):
                raise ValueError("its blocks are pickled")


def npy_blocks(path: Path, block_bytes: int = BLOCK_BYTES) -> Any:
    """Return an array in a file as a dask array whose blocks are read by the workers that need them."""
    import dask.array
    from dask import delayed

    header = read_matrix(path)[0]
    if header.ndim != 2:
        raise ValueError(f"{str(path)!r} must hold an array of shape (items, dimensions), got {header.shape}")
    n, width = header.shape
    if 0 in header.shape:
        raise ValueError(f"{str(path)!r} has shape {header.shape}; a domain needs at least one item and one dimension")
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
    """Return some rows of an array in a file."""
    return np.array(np.load(path, mmap_mode="r", allow_pickle=False)[start:stop])
