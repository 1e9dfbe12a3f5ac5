"""What users hand over as the vectors of a domain and as columns of values, checked and brought into one form."""

import math
import numbers
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.arrays import Bool, Float64
from mrsne.parameters import MrsneError, describe
from mrsne.sparse_structure import check_structure

LARGEST = 2.0**1022  # number of a vector: the difference of two is a number too
MOST_ITEMS = 2**31 - 1  # links and neighbours are kept as 32-bit numbers

# numbers with NaN where one is missing, dates with NaT, or words with None
Values: TypeAlias = Float64 | NDArray[np.datetime64] | tuple[str | None, ...]
Kept = TypeVar("Kept")
Vectors: TypeAlias = NDArray[np.floating[Any]] | sparse.csr_matrix | None


class DataError(MrsneError, ValueError):
    """Vectors, relations, names or masks that do not fit together."""


class ColumnError(DataError):
    """Something that is no column of values for a domain's items."""


def read_vectors(domain: str, given: Any, missing: Any) -> tuple[Vectors, int, Bool, list[str] | None]:
    """Return the vectors of a domain, its size, the mask of items without one, and the names in its index."""
    argument = f"vectors[{domain!r}]"
    wanted = f"{argument} must be an array of numbers, a sparse matrix, a DataFrame or a count"
    if given is None or isinstance(given, (str, float)):
        raise DataError(f"{wanted}, got {given!r}")
    if isinstance(given, numbers.Integral) and not isinstance(given, bool):
        return None, *_count(domain, int(given), missing)
    index = None
    if hasattr(given, "column_names") and hasattr(given, "to_pydict"):  # a table of pyarrow
        columns = [np.asarray(column) for column in given.columns]
        given = np.stack(columns, axis=1) if columns else np.empty((0, 0))
    if hasattr(given, "columns") and hasattr(given, "to_numpy"):
        labels = getattr(given, "index", None)
        if labels is not None and all(isinstance(label, str) for label in labels):
            index = list(labels)
        given = given.to_numpy()
    vectors: Any
    if sparse.issparse(given):
        check_structure(argument, given, DataError)
        vectors = sparse.csr_matrix(given)
        values = vectors.data
    else:
        vectors = values = _dense(argument, wanted, given)
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        hint = "a count of items stands for no vectors"
        raise DataError(f"{argument} must have shape (items, dimensions), got {vectors.shape}; {hint}")
    size = int(vectors.shape[0])
    if size == 0:
        raise DataError(f"{argument} has no items; a domain needs at least one")
    if values.dtype.kind != "f":
        if values.dtype.kind not in "iub":
            raise DataError(f"{argument} must hold real numbers, got {values.dtype}")
        vectors = vectors.astype(np.float64)
    without = _mask(domain, missing, size)
    _check_numbers(argument, vectors, without)
    return vectors, size, without, index


def _count(domain: str, size: int, missing: Any) -> tuple[int, Bool, None]:
    given = f"vectors[{domain!r}] is a count of {describe(size)} items"
    if size < 1:
        raise DataError(f"{given}; a domain needs at least one")
    if size > MOST_ITEMS:
        raise DataError(f"{given}; there can be {MOST_ITEMS} at most")
    if missing is not None:
        raise DataError(f"missing[{domain!r}] is given, but no item of {domain!r} has a vector: {given}")
    return size, np.ones(size, dtype=bool), None


def _dense(argument: str, wanted: str, given: Any) -> NDArray[Any]:
    if isinstance(given, np.ma.MaskedArray):
        raise DataError(f"{wanted} (masked arrays are not; mark items without a vector in missing=)")
    try:
        array = np.asarray(given)
    except (ValueError, TypeError) as error:
        raise DataError(f"{wanted} ({error})") from error
    try:
        return np.asanyarray(array.astype(np.float64) if array.dtype == object else array)
    except (ValueError, TypeError, OverflowError) as error:
        raise DataError(f"{argument} must hold real numbers, got objects that are not ({error})") from error


def _mask(domain: str, missing: Any, size: int) -> Bool:
    if missing is None:
        return np.zeros(size, dtype=bool)
    check_plain(f"missing[{domain!r}]", missing)
    mask = np.asarray(missing)
    if mask.dtype != bool or mask.shape != (size,):
        found = f"{mask.dtype} of shape {mask.shape}"
        raise DataError(f"missing[{domain!r}] must be a boolean array of shape ({size},), got {found}")
    return mask.copy()


def _check_numbers(argument: str, vectors: Any, without: Bool) -> None:
    """Raise for rows with a number that is not finite, or so large that the difference of two would not be."""
    bad, huge = np.zeros((2, vectors.shape[0]), dtype=bool)
    largest = min(LARGEST, float(np.finfo(vectors.dtype).max))
    if sparse.issparse(vectors):
        row_of = np.repeat(np.arange(vectors.shape[0]), np.diff(vectors.indptr))
        bad[row_of[~np.isfinite(vectors.data)]] = True
        huge[row_of[np.abs(vectors.data) > largest]] = True
    else:
        # a sum is finite only if every term is, unless it overflows: look closely just at rows where it is not
        with np.errstate(all="ignore"):
            double = vectors.dtype == np.float64
            sums = np.einsum("ij,ij->i", vectors, vectors) if double else vectors.sum(axis=1)
            close = np.flatnonzero(~np.isfinite(sums))
            bad[close] = ~np.isfinite(vectors[close]).all(axis=1)
            huge[close] = (np.abs(vectors[close]) > largest).any(axis=1)
    bad &= ~without
    if bad.any():
        raise DataError(
            f"{argument} holds NaN or infinity in {int(bad.sum())} of {len(bad)} rows, "
            f"first in row {int(bad.argmax())}; mark items without a vector in missing="
        )
    if (huge & ~without).any():
        row = int((huge & ~without).argmax())
        raise DataError(f"{argument} holds a number larger than {LARGEST:.3g} in row {row}; divide all by a number")


def check_plain(argument: str, given: Any) -> None:
    """Raise for arrays that numpy would turn into numbers which they are not: masked ones, dates and durations."""
    if isinstance(given, np.ma.MaskedArray):
        raise DataError(f"{argument} must not be a masked array: what is under its mask would count as a number")
    for kind in (given.dtype,) if hasattr(given, "dtype") else getattr(given, "dtypes", ()):  # of columns
        if getattr(kind, "kind", "") in ("M", "m"):
            raise DataError(f"{argument} must hold numbers, got dates or durations ({kind})")
    if isinstance(given, (list, tuple)) and given:
        check_plain(argument, given[0])


def read_only(found: Kept) -> Kept:
    """Return a view of an array, or a sparse matrix over the same numbers, that does not let them be changed."""
    given: Any = found
    if sparse.issparse(given):
        parts = tuple(map(read_only, (given.data, given.indices, given.indptr)))
        kept: Kept = sparse.csr_matrix(parts, shape=given.shape)
        return kept
    view: Kept = given.view()
    view.flags.writeable = False  # type: ignore[attr-defined]
    return view


def read_columns(domain: str, given: Any, size: int) -> dict[str, Values]:
    if not isinstance(given, Mapping) and not hasattr(given, "columns"):
        raise ColumnError(f"columns[{domain!r}] must be a mapping of names to values, got {type(given).__name__}")
    names = given.columns if hasattr(given, "columns") else given
    return {str(name): read_values(f"columns[{domain!r}][{name!r}]", given[name], size) for name in names}


def read_values(argument: str, given: Any, size: int) -> Values:
    if isinstance(given, (str, Mapping)) or not hasattr(given, "__len__") or getattr(given, "shape", None) == ():
        raise ColumnError(f"{argument} must be a list of values, got {type(given).__name__}")
    if len(given) != size:
        raise ColumnError(f"{argument} has {len(given)} values, but its domain has {size} items")
    if isinstance(given, np.ma.MaskedArray):
        given = given.tolist()  # None where masked
    array = np.asarray(given) if hasattr(given, "dtype") else None
    if array is not None and array.ndim != 1:
        raise ColumnError(f"{argument} must be one value for each item, got an array of shape {array.shape}")
    if array is not None and array.dtype.kind in "iuf":
        return _finite(array.astype(np.float64))
    if array is not None and array.dtype.kind == "M":
        return array.astype("datetime64[s]")
    values = [None if is_missing(value) else value for value in given]
    for value in values:
        if isinstance(value, (complex, list, tuple, dict, set, np.ndarray)):
            raise ColumnError(f"{argument} must have numbers or words, got {value!r}")
    if all(value is None or (isinstance(value, numbers.Real) and not isinstance(value, bool)) for value in values):
        return _finite(np.array([_float(value) for value in values], np.float64))
    return tuple(None if value is None else str(value) for value in values)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NA or NaT; the last three are not equal to themselves."""
    if value is None:
        return True
    try:
        return not bool(value == value)
    except TypeError:
        return True
    except ValueError:  # an array
        return False


def _finite(values: Float64) -> Float64:
    values[~np.isfinite(values)] = np.nan
    return values


def _float(value: Any) -> float:
    """Return a number, NaN for None and for what is too large."""
    try:
        return math.nan if value is None else float(value)
    except OverflowError:
        return math.nan
