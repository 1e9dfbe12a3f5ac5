"""Vectors and links from files: numpy arrays, scipy's sparse matrices, and tables."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.io.damage import file_errors, open_arrays
from mrsne.io.regular_files import open_regular
from mrsne.io.tables import TableError, read_table
from mrsne.parameters import describe
from mrsne.sparse_structure import check_structure

WITHOUT = ("", "nan", "na", "n/a", "null")  # cells of an item without a vector
TABLES = (".csv", ".tsv", ".tab", ".txt", ".parquet")


def read_matrix(path: Path) -> tuple[Any, list[str] | None]:
    """Return a matrix of numbers, and names where the first column of a table has them.

    ``.npy`` (not read into memory at once), ``.npz`` (one array, or a sparse matrix as scipy saves it), or a table of
    numbers with or without headings.
    """
    try:
        if path.suffix == ".npy":
            with file_errors(path, "a file of numpy", TableError), open_regular(path):
                return np.load(path, mmap_mode="r", allow_pickle=False), None
        if path.suffix == ".npz":
            return _read_npz(path), None
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {str(path)!r}") from None
    if path.suffix.lower() not in TABLES:
        raise TableError(f"{str(path)!r} must end in .npy, .npz, {', '.join(TABLES)}")
    return _numbers(path)


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


def _numbers(path: Path) -> tuple[Any, list[str] | None]:
    rows = read_table(path)
    has_headings = _floats(rows[0][1]) is None and _floats(rows[0][1][1:]) is None
    body = rows[int(has_headings) :]
    if not body:
        raise TableError(f"{str(path)!r} has no rows of numbers")
    has_names = any(_floats(row[:1]) is None and row[0].strip().casefold() not in WITHOUT for _, row in body)
    width = len(body[0][1]) - int(has_names)
    vectors = np.empty((len(body), width))
    for index, (line, row) in enumerate(body):
        cells = row[int(has_names) :]
        if len(cells) == width and all(cell.strip().casefold() in WITHOUT for cell in cells):
            vectors[index] = math.nan  # an item without a vector
            continue
        vector = _floats(cells)
        if not vector or len(vector) != width:
            raise TableError(f"{str(path)!r}, line {line}: expected {width} numbers, got {describe(row)}")
        if not all(map(math.isfinite, vector)):
            raise TableError(f"{str(path)!r}, line {line}: expected finite numbers, got {describe(row)}")
        vectors[index] = vector
    return vectors, [row[0].strip() for _, row in body] if has_names else None


def _floats(cells: list[str]) -> list[float] | None:
    try:
        return [float(cell) for cell in cells]
    except ValueError:
        return None


def read_links(path: Path, a: str, b: str) -> Any:
    """Return links between two domains: a matrix, or a table of pairs with perhaps a weight, as columns by name."""
    if path.suffix in (".npy", ".npz"):
        return read_matrix(path)[0]
    rows = read_table(path)
    ends = ["source", "target"] if a == b else [a, b]
    heads = [cell.strip() for cell in rows[0][1]]
    if set(ends) <= set(heads):
        at = [heads.index(end) for end in ends]
        weight_at = heads.index("weight") if "weight" in heads else None
        body = rows[1:]
    else:
        at, weight_at = [0, 1], 2 if len(heads) > 2 else None
        body = rows
    columns: list[list[str]] = [[], []]
    weights: list[float] = []
    for line, row in body:
        if len(row) <= max(at):
            raise TableError(
                f"{str(path)!r}, line {line}: expected {ends[0]}, {ends[1]} and perhaps a weight, got {describe(row)}"
            )
        cell = row[weight_at] if weight_at is not None and weight_at < len(row) else "1"
        weight = _floats([cell])
        if weight is None or not math.isfinite(weight[0]):
            raise TableError(f"{str(path)!r}, line {line}: expected a finite number as weight, got {describe(cell)}")
        for column, index in zip(columns, at, strict=True):
            column.append(row[index].strip())
        weights.append(weight[0])
    return {ends[0]: columns[0], ends[1]: columns[1], "weight": weights}
