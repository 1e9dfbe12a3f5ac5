"""Relational data in one file of plain arrays: what is kept of it, and how."""

import json
import os
import zipfile
from collections.abc import Callable, Mapping
from typing import IO, Any, TypeVar

import numpy as np
from scipy import sparse

from mrsne.data.files.damage import check_format, open_arrays
from mrsne.data.files.writing import write_atomically
from mrsne.data.vectors import DataError
from mrsne.parameters import FileContentError, ParameterError

FORMAT = 1
LEVEL = 1  # of compression: photographs take half the time of level 6, and 4 % more room
Data = TypeVar("Data")


class DataFileError(DataError, FileContentError):
    """A file is not saved data, or a damaged one."""


def write_archive(data: Any, path: str | os.PathLike[str], about: dict[str, Any] | None = None) -> None:
    """Write data as an npz file, without pickled objects; ``about``, which JSON can hold, is kept with it."""
    arrays: dict[str, Any] = {}
    header: dict[str, Any] = {"format": FORMAT, "domains": {}, "relations": [], "about": about or {}}
    header |= {"names": dict(data.names), "labels": dict(data.labels)}
    header["columns"] = {name: _put_columns(arrays, name, data) for name in data.columns}
    for index, (name, X) in enumerate(data.vectors.items()):
        kind = "none" if X is None else "sparse" if sparse.issparse(X) else "dense"
        header["domains"][name] = {"kind": kind, "size": data.sizes[name]}
        if X is not None:
            _put(arrays, f"vectors_{index}", X)
            arrays[f"missing_{index}"] = data.missing[name]
        if name in data.pictures:
            arrays[f"pictures_{index}"] = data.pictures[name]
    for index, ((a, b), W) in enumerate(data.relations.items()):
        header["relations"].append([a, b])
        _put(arrays, f"relation_{index}", W)
    text = np.frombuffer(json.dumps(header, ensure_ascii=False).encode("utf-8", "surrogatepass"), np.uint8)

    def write(file: IO[bytes]) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
            for name, array in {"header": text, **arrays}.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)

    write_atomically(path, write)


def read_archive(path: str | os.PathLike[str], build: Callable[..., Data]) -> tuple[Data, dict[str, Any]]:
    """Read what :func:`write_archive` wrote: the data, built from its parts, and what was kept with it."""
    with open_arrays(path, "saved data", DataFileError) as file:
        header = json.loads(file["header"].tobytes().decode("utf-8", "surrogatepass"))
        check_format(path, header["format"], FORMAT, DataFileError)
        if not isinstance(header["about"], dict):
            raise ParameterError("what was kept with the data must have names")
        parts: dict[str, Any] = {"names": header["names"], "labels": header.get("labels", {})}
        parts |= {"vectors": {}, "missing": {}, "pictures": {}}
        for index, (name, domain) in enumerate(header["domains"].items()):
            if domain["kind"] == "none":
                parts["vectors"][name] = domain["size"]
            else:
                parts["vectors"][name] = _get(file, f"vectors_{index}", domain["kind"] == "sparse")
                parts["missing"][name] = file[f"missing_{index}"]
            if f"pictures_{index}" in file:
                parts["pictures"][name] = file[f"pictures_{index}"]
        links = {(a, b): _get(file, f"relation_{index}", True) for index, (a, b) in enumerate(header["relations"])}
        columns = {name: _get_columns(file, found) for name, found in header.get("columns", {}).items()}
        return build(**parts, relations=links, columns=columns), header["about"]


def _put_columns(arrays: dict[str, Any], domain: str, data: Any) -> dict[str, Any]:
    """Return where each column is kept: words in the header, numbers and dates in arrays of their own."""
    found: dict[str, Any] = {}
    for heading, values in data.columns[domain].items():
        if isinstance(values, tuple):
            found[heading] = {"words": values}
        else:
            key, dates = f"column_{sum(name.startswith('column_') for name in arrays)}", values.dtype.kind == "M"
            arrays[key] = values.astype(np.int64) if dates else values
            found[heading] = {"dates" if dates else "numbers": key}
    return found


def _get_columns(file: Mapping[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for heading, about in kept.items():
        ((kind, where),) = about.items()
        if kind == "words":
            columns[heading] = np.array(where, dtype=object) if where else where
        elif kind in ("numbers", "dates"):
            values = file[where]
            if values.dtype.kind not in "if" or values.ndim != 1:
                raise ParameterError(f"the column {heading!r} must hold numbers")
            columns[heading] = values.astype("datetime64[s]") if kind == "dates" else values
        else:
            raise ParameterError(f"the column {heading!r} must hold numbers, dates or words")
    return columns


def _put(arrays: dict[str, Any], key: str, matrix: Any) -> None:
    if sparse.issparse(matrix):
        for part in ("data", "indices", "indptr"):
            arrays[f"{key}_{part}"] = getattr(matrix, part)
        arrays[f"{key}_shape"] = np.array(matrix.shape)
    else:
        arrays[key] = matrix


def _get(file: Mapping[str, Any], key: str, is_sparse: bool) -> Any:
    if not is_sparse:
        return file[key]
    parts = tuple(file[f"{key}_{part}"] for part in ("data", "indices", "indptr"))
    if any(part.dtype.kind not in "iu" for part in parts[1:]):
        raise ParameterError(f"{key} must have whole numbers as indices")
    return sparse.csr_matrix(parts, shape=tuple(file[f"{key}_shape"]))
