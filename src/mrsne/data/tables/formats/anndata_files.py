"""AnnData files (.h5ad): what is known of cells, and a matrix of vectors to compare them by."""

import warnings
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.budgets import CELLS, UNPACKED_BYTES
from mrsne.data.files.damage import file_errors
from mrsne.data.files.separate_process import read_in_another_process
from mrsne.data.tables.frames import columns_of_pandas
from mrsne.data.tables.table import Coded, Format, Headings, Table, TableError, check_size, chosen_name, package
from mrsne.regular_files import open_regular
from mrsne.sparse_structure import check_structure

PRINCIPAL_COMPONENTS = "X_pca"
TEXTS = 256  # that are measured in one go: each may be as long as the file


def read(path: Path, name: str | None, headings: Headings | None) -> Table:
    """Read obs and, as a column of vectors, one matrix: that of a name in obsm, by default X_pca, or else X.

    HDF5 may crash on a damaged file, and look for the end of a circle: another process reads it.
    """
    return read_in_another_process(_read, path, name, error=TableError)


def _read(path: Path, name: str | None) -> Table:
    anndata = package(path, "anndata", "anndata")
    import h5py

    with (
        file_errors(path, "an AnnData file", TableError),
        open_regular(path) as opened,
        h5py.File(opened) as file,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # about files of older versions
        if "obs" not in file:
            raise TableError(f"{str(path)!r} has no obs, as an AnnData file has; it has {', '.join(file) or 'nothing'}")
        is_old = isinstance(file["obs"], h5py.Dataset)  # of anndata before 0.7
        _check_content(path, file, {"X", "raw.X"} if is_old else {"X", "raw", "layers"})
        if is_old:
            old = anndata.read_h5ad(path, backed="r")
            obs, matrices = old.obs, {**old.obsm, "X": file["X"]}
            old.file.close()
        else:
            obs, matrices = anndata.io.read_elem(file["obs"]), {**file.get("obsm", {}), "X": file.get("X")}
        check_size(path.name, *obs.shape)
        columns = columns_of_pandas(obs)
        known = [key for key, it in matrices.items() if hasattr(it, "shape") or "shape" in getattr(it, "attrs", ())]
        if known:
            chosen = chosen_name(path, known, name or (PRINCIPAL_COMPONENTS if PRINCIPAL_COMPONENTS in known else "X"))
            columns[chosen] = _vectors(path, chosen, matrices[chosen], len(obs))
    words = {heading: column for heading, column in columns.items() if isinstance(column, Coded)}
    categories = [heading for heading, column in words.items() if len(column.values) < np.sum(column.codes >= 0)]
    return Table(path.name, columns, len(obs), None, path.parent, categories=categories)


def _check_content(path: Path, file: Any, unread: set[str]) -> None:
    """Raise where what is read of a file is larger than it may be, or something is not in the file itself.

    A few bytes can stand for a billion zeros, or for a billion copies of a long text.
    """
    import h5py

    links: list[tuple[str, Any]] = []
    file.visititems_links(lambda name, link: links.append((name, link)))
    unpacked, file_bytes = 0, path.stat().st_size
    for name, link in links:
        found = file[name] if isinstance(link, h5py.HardLink) else None
        if found is None or (isinstance(found, h5py.Dataset) and (found.external or found.is_virtual)):
            raise TableError(f"{str(path)!r} has {name!r} in another place, to which it leads; that is not followed")
        if name.partition("/")[0] in unread or isinstance(found, h5py.Group):
            continue
        text = h5py.check_string_dtype(found.dtype)
        starts = range(0, found.size, TEXTS) if text and text.length is None and found.ndim == 1 else ()
        for size in chain([found.nbytes], (sum(map(len, found[start : start + TEXTS])) for start in starts)):
            unpacked += size
            UNPACKED_BYTES.check(repr(str(path)), unpacked, TableError, file_bytes)


def _vectors(path: Path, name: str, matrix: Any, rows: int) -> Any:
    """Return a matrix of the file, a vector in each row."""
    import anndata

    shape = tuple(matrix.attrs["shape"] if "shape" in getattr(matrix, "attrs", {}) else matrix.shape)
    if len(shape) != 2 or shape[0] != rows:
        raise TableError(f"{str(path)!r} has {rows} cells, but its {name} has the shape {shape}")
    CELLS.check(
        f"{name} of {path.name}",
        int(shape[0]) * int(shape[1]),
        TableError,
        advice="let scanpy.pp.pca add X_pca, or name another matrix of obsm with --table",
    )
    parts = matrix.values() if isinstance(matrix, Mapping) else [matrix]  # of a sparse matrix
    UNPACKED_BYTES.check(f"{name} of {path.name}", sum(part.nbytes for part in parts), TableError, path.stat().st_size)
    found: Any = matrix if isinstance(matrix, np.ndarray) else anndata.io.read_elem(matrix)
    if sparse.issparse(found):
        check_structure(name, found)
        found = found.toarray()
    return np.asarray(found)


FORMAT = Format("an AnnData file", (".h5ad",), read, b"\x89HDF\r\n\x1a\n", holds_several=True)
