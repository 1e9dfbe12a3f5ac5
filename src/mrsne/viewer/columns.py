"""Columns of numbers or categories by which a map can be coloured."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.parameters import ParameterError

MOST_CATEGORIES = 65_000
MISSING = 65_535


@dataclass(frozen=True)
class Column:
    """A value for each item: numbers, or positions in a list of categories, the most frequent first."""

    name: str
    values: NDArray[np.float32] | NDArray[np.uint16]
    categories: tuple[str, ...] | None


def read_columns(domain: str, given: Any, size: int) -> list[Column]:
    """Return the columns of a domain, from a mapping of their names to values or a DataFrame.

    Missing values are None, pandas' NA and NaT, and numbers that are not finite. Dates are categories.

    Examples
    --------
    >>> year, kind = read_columns("photo", {"year": [2001, 2003], "kind": ["dog", None]}, 2)
    >>> year.values, kind.values, kind.categories
    (array([2001., 2003.], dtype=float32), array([    0, 65535], dtype=uint16), ('dog',))
    """
    if not isinstance(given, Mapping) and not hasattr(given, "columns"):
        raise ParameterError(f"columns[{domain!r}] must be a mapping of names to values, got {type(given).__name__}")
    names = given.columns if hasattr(given, "columns") else given
    return [_read(f"columns[{domain!r}][{name!r}]", str(name), given[name], size) for name in names]


def _read(argument: str, name: str, given: Any, size: int) -> Column:
    if isinstance(given, (str, Mapping)) or not hasattr(given, "__len__") or getattr(given, "shape", None) == ():
        raise ParameterError(f"{argument} must be a list of values, got {type(given).__name__}")
    if len(given) != size:
        raise ParameterError(f"{argument} has {len(given)} values, but its domain has {size} items")
    array = np.asarray(given) if hasattr(given, "dtype") else None
    if array is not None and array.ndim != 1:
        raise ParameterError(f"{argument} must be one value for each item, got an array of shape {array.shape}")
    if array is not None and array.dtype.kind in "iuf":
        return Column(name, _numbers(array), None)
    if array is not None and array.dtype.kind == "M":
        days = np.datetime_as_string(array, unit="auto").tolist()
        return _categories(argument, name, [None if day == "NaT" else day for day in days])
    values = [None if _is_missing(value) else value for value in given]
    for value in values:
        if isinstance(value, (complex, list, tuple, dict, set, np.ndarray)):
            raise ParameterError(f"{argument} must have numbers or words, got {value!r}")
    if all(value is None or (isinstance(value, numbers.Real) and not isinstance(value, bool)) for value in values):
        return Column(name, _numbers(np.array([_float(value) for value in values])), None)
    return _categories(argument, name, [None if value is None else str(value) for value in values])


def _numbers(values: NDArray[Any]) -> NDArray[np.float32]:
    """Return numbers in single precision, NaN where they are not finite or too large for it."""
    with np.errstate(over="ignore"):
        found = values.astype(np.float32)
    found[~np.isfinite(found)] = np.nan
    return found


def _float(value: Any) -> float:
    """Return a number, NaN for None and for what is too large."""
    try:
        return math.nan if value is None else float(value)
    except OverflowError:
        return math.nan


def _is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NA or NaT; the last three are not equal to themselves."""
    if value is None:
        return True
    try:
        return not bool(value == value)
    except TypeError:
        return True
    except ValueError:  # an array
        return False


def _categories(argument: str, name: str, words: list[str | None]) -> Column:
    counts = Counter(word for word in words if word is not None)
    if len(counts) > MOST_CATEGORIES:
        raise ParameterError(f"{argument} has {len(counts)} categories; at most {MOST_CATEGORIES} can be shown")
    order = sorted(counts, key=lambda word: (-counts[word], word))
    rank: dict[str | None, int] = {word: position for position, word in enumerate(order)}
    return Column(name, np.array([rank.get(word, MISSING) for word in words], np.uint16), tuple(order))
