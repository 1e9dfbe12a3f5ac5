"""What else is known of a domain's items: columns of numbers, dates or words, to colour, filter and search by."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from mrsne.data.vectors import DataError

# numbers with NaN where one is missing, dates with NaT, or words with None
Values: TypeAlias = NDArray[np.float64] | NDArray[np.datetime64] | tuple[str | None, ...]

Array = TypeVar("Array", NDArray[np.float64], NDArray[np.datetime64])


class ColumnError(DataError):
    """Something that is no column of values for a domain's items."""


def read_columns(domain: str, given: Any, size: int) -> dict[str, Values]:
    """Return the columns of a domain by name, from a mapping of their names to values or a DataFrame.

    Missing values are None, pandas' NA and NaT, and numbers that are not finite.

    Examples
    --------
    >>> read_columns("photo", {"year": [2001, None], "place": ["Oslo", None]}, 2)
    {'year': array([2001.,   nan]), 'place': ('Oslo', None)}
    """
    if not isinstance(given, Mapping) and not hasattr(given, "columns"):
        raise ColumnError(f"columns[{domain!r}] must be a mapping of names to values, got {type(given).__name__}")
    names = given.columns if hasattr(given, "columns") else given
    return {str(name): read_values(f"columns[{domain!r}][{name!r}]", given[name], size) for name in names}


def read_values(argument: str, given: Any, size: int) -> Values:
    """Return the values of a column: numbers, dates or words."""
    if isinstance(given, (str, Mapping)) or not hasattr(given, "__len__") or getattr(given, "shape", None) == ():
        raise ColumnError(f"{argument} must be a list of values, got {type(given).__name__}")
    if len(given) != size:
        raise ColumnError(f"{argument} has {len(given)} values, but its domain has {size} items")
    array = np.asarray(given) if hasattr(given, "dtype") else None
    if array is not None and array.ndim != 1:
        raise ColumnError(f"{argument} must be one value for each item, got an array of shape {array.shape}")
    if array is not None and array.dtype.kind in "iuf":
        return _frozen(_finite(array.astype(np.float64)))
    if array is not None and array.dtype.kind == "M":
        return _frozen(array.astype("datetime64[s]"))
    values = [None if is_missing(value) else value for value in given]
    for value in values:
        if isinstance(value, (complex, list, tuple, dict, set, np.ndarray)):
            raise ColumnError(f"{argument} must have numbers or words, got {value!r}")
    if all(value is None or (isinstance(value, numbers.Real) and not isinstance(value, bool)) for value in values):
        return _frozen(_finite(np.array([_float(value) for value in values], np.float64)))
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


def chosen_values(values: Values, positions: Any) -> Values:
    """Return the values of some items."""
    return tuple(values[i] for i in positions) if isinstance(values, tuple) else _frozen(values[positions])


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    values[~np.isfinite(values)] = np.nan
    return values


def _float(value: Any) -> float:
    """Return a number, NaN for None and for what is too large."""
    try:
        return math.nan if value is None else float(value)
    except OverflowError:
        return math.nan


def _frozen(values: Array) -> Array:
    values.flags.writeable = False
    return values
