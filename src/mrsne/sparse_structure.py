"""Sparse matrices that come in, checked in full before anything compiled follows their indices."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.parameters import ParameterError

MOST_COLUMNS = 2**31 - 1  # compiled loops keep columns as 32-bit numbers


def check_structure(argument: str, matrix: Any, error: type[ValueError] = ParameterError) -> None:
    """Raise unless all indices of a scipy matrix, of which scipy itself looks at a few, lie within its shape."""
    try:
        if len(matrix.shape) != 2:
            raise ValueError("it must have two dimensions")
        if max(matrix.shape) > MOST_COLUMNS:
            raise ValueError(f"it may have at most {MOST_COLUMNS} rows and columns")
        _CHECKS[matrix.format](matrix)
    except (ValueError, TypeError, AttributeError, KeyError) as reason:
        raise error(f"{argument} is a damaged sparse matrix of shape {matrix.shape}: {reason}") from reason


def _check_compressed(matrix: Any) -> None:
    """Check the three arrays of a CSR, CSC or BSR matrix."""
    shape: tuple[int, int] = matrix.shape
    if matrix.format == "bsr":
        if len(matrix.data.shape) != 3 or 0 in matrix.data.shape[1:]:
            raise ValueError(f"data must hold blocks, got shape {matrix.data.shape}")
        block = matrix.data.shape[1:]
        if shape[0] % block[0] or shape[1] % block[1]:
            raise ValueError(f"blocks of shape {block} do not fill it")
        shape = (shape[0] // block[0], shape[1] // block[1])
    elif len(matrix.data.shape) != 1:
        raise ValueError(f"data must be a list of numbers, got shape {matrix.data.shape}")
    major, minor = (shape[1], shape[0]) if matrix.format == "csc" else shape
    indptr, indices = _integers("indptr", matrix.indptr), _integers("indices", matrix.indices)
    if len(indptr) != major + 1:
        raise ValueError(f"indptr must have {major + 1} numbers, got {len(indptr)}")
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        raise ValueError("indptr must start at 0 and not fall")
    if indptr[-1] > min(len(indices), len(matrix.data)):
        raise ValueError(
            f"indptr must not end beyond the {len(indices)} indices and {len(matrix.data)} numbers, got {indptr[-1]}"
        )
    _check_range("rows" if matrix.format == "csc" else "columns", indices[: indptr[-1]], minor)


def _check_coordinates(matrix: Any) -> None:
    """Check the rows and columns of a COO matrix."""
    ends = {"rows": _integers("row", matrix.row), "columns": _integers("col", matrix.col)}
    if len({len(matrix.data), *map(len, ends.values())}) != 1 or len(matrix.data.shape) != 1:
        raise ValueError("row, col and data must have the same length")
    for (what, indices), size in zip(ends.items(), matrix.shape, strict=True):
        _check_range(what, indices, size)


def _check_lists(matrix: Any) -> None:
    """Check the lists of columns and numbers of a LIL matrix."""
    if not matrix.rows.shape == matrix.data.shape == matrix.shape[:1]:
        raise ValueError(f"rows and data must have {matrix.shape[0]} lists")
    for columns, numbers in zip(matrix.rows, matrix.data, strict=True):
        if len(columns) != len(numbers):
            raise ValueError("every row must have as many columns as numbers")
        _check_range("columns", _integers("rows", np.array(columns or [0])), max(matrix.shape[1], 1))


def _check_diagonals(matrix: Any) -> None:
    """Check the diagonals of a DIA matrix: they may lie outside, but each needs its numbers."""
    offsets = _integers("offsets", matrix.offsets)
    if len(matrix.data.shape) != 2 or len(offsets) != len(matrix.data):
        raise ValueError(f"offsets must be as many as the diagonals, got {len(offsets)} of {len(matrix.data)}")


def _check_keys(matrix: Any) -> None:
    """Check the positions of a DOK matrix."""
    keys = _integers("keys", np.array(list(matrix.keys()) or [(0, 0)]), n_dimensions=2)
    for what, indices, size in zip(("rows", "columns"), keys.T, matrix.shape, strict=True):
        _check_range(what, indices, max(size, 1))


_CHECKS = {
    **dict.fromkeys(("csr", "csc", "bsr"), _check_compressed),
    "coo": _check_coordinates,
    "lil": _check_lists,
    "dia": _check_diagonals,
    "dok": _check_keys,
}


def _integers(name: str, array: Any, n_dimensions: int = 1) -> NDArray[np.integer[Any]]:
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iu" or array.ndim != n_dimensions:
        raise ValueError(f"{name} must be a list of whole numbers")
    return array


def _check_range(what: str, indices: NDArray[np.integer[Any]], size: int) -> None:
    """Raise unless all indices are 0 … size − 1, in one pass: as unsigned numbers, negative ones are the largest."""
    if not indices.size:
        return
    contiguous = indices.flags.c_contiguous and indices.dtype.kind == "i"
    largest = indices.view(indices.dtype.str.replace("i", "u")).max() if contiguous else indices.max()
    if int(largest) >= size or (not contiguous and indices.min() < 0):
        raise ValueError(f"{what} must be 0 … {size - 1}, got {indices.min()} … {indices.max()}")
