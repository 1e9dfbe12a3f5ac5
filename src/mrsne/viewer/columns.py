"""Columns of numbers or categories by which a map can be coloured."""

from __future__ import annotations

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

    Numbers that are not finite, and None, are missing values.

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
    if isinstance(given, (str, Mapping)) or not hasattr(given, "__len__"):
        raise ParameterError(f"{argument} must be a list of values, got {type(given).__name__}")
    values = np.asarray(given)
    if values.shape != (size,):
        raise ParameterError(f"{argument} has shape {values.shape}, but its domain has {size} items")
    if np.issubdtype(values.dtype, np.number):
        numbers = values.astype(np.float32)
        numbers[~np.isfinite(numbers)] = np.nan
        return Column(name, numbers, None)
    words = [None if value is None or value != value else str(value) for value in values.tolist()]
    found, codes, counts = np.unique([word or "" for word in words], return_inverse=True, return_counts=True)
    missing = np.array([word is None for word in words])
    if missing.any():
        counts[codes[missing][0]] -= np.count_nonzero(missing)
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] > 0]
    if len(order) > MOST_CATEGORIES:
        raise ParameterError(f"{argument} has {len(order)} categories; at most {MOST_CATEGORIES} can be shown")
    rank = np.full(len(found), MISSING, np.uint16)
    rank[order] = np.arange(len(order))
    return Column(name, np.where(missing, MISSING, rank[codes]).astype(np.uint16), tuple(found[order].tolist()))
