"""Columns of numbers, dates, categories or texts: to colour a map by, to show and to search."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.data import columns as data_columns
from mrsne.parameters import ParameterError

MOST_CATEGORIES = 65_000
MISSING = 65_535
FEWEST_TEXTS = 64  # different words, of which most items have one of their own, that are no categories any more
SECONDS_PER_DAY = 86_400


@dataclass(frozen=True)
class Column:
    """A value for each item.

    Attributes
    ----------
    name : str
    values : array
        Numbers, days since 1970, or positions in a list of categories.
    categories : tuple of str or None
        The most frequent first.
    kind : {"number", "date", "category", "text"}
    texts : tuple of str or None
        Of a text, in place of values.
    """

    name: str
    values: NDArray[np.float32] | NDArray[np.uint16]
    categories: tuple[str, ...] | None
    kind: str
    texts: tuple[str | None, ...] = ()


def read_columns(domain: str, given: Any, size: int) -> list[Column]:
    """Return the columns of a domain, from a mapping of their names to values or a DataFrame.

    Words are categories; where most items have words of their own, they are texts.

    Examples
    --------
    >>> year, kind = read_columns("photo", {"year": [2001, 2003], "kind": ["dog", None]}, 2)
    >>> year.values, kind.values, kind.categories
    (array([2001., 2003.], dtype=float32), array([    0, 65535], dtype=uint16), ('dog',))
    """
    try:
        found = data_columns.read_columns(domain, given, size)
    except data_columns.ColumnError as error:
        raise ParameterError(str(error)) from error
    return [_column(f"columns[{domain!r}][{name!r}]", name, values) for name, values in found.items()]


def _column(argument: str, name: str, values: data_columns.Values) -> Column:
    if isinstance(values, tuple):
        return _words(argument, name, values)
    if values.dtype.kind == "M":
        days = values.astype("datetime64[s]").astype(np.int64) / SECONDS_PER_DAY
        return Column(name, _single_days(np.where(np.isnat(values), np.nan, days)), None, "date")
    return Column(name, _single(values), None, "number")


def _single(values: NDArray[Any]) -> NDArray[np.float32]:
    """Return numbers in single precision, NaN where they are too large for it."""
    with np.errstate(over="ignore"):
        found = values.astype(np.float32)
    found[~np.isfinite(found)] = np.nan
    return found


def _single_days(days: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return days in single precision, none of them on the next day.

    A step of single precision is about three minutes today, so the last seconds before midnight would be rounded to it.
    """
    found = _single(days)
    return np.where(np.floor(found) > np.floor(days), np.nextafter(found, np.float32(-np.inf)), found)


def _words(argument: str, name: str, words: tuple[str | None, ...]) -> Column:
    counts = Counter(word for word in words if word is not None)
    if len(counts) >= FEWEST_TEXTS and 2 * len(counts) > counts.total():
        return Column(name, np.empty(0, np.float32), None, "text", words)
    if len(counts) > MOST_CATEGORIES:
        raise ParameterError(f"{argument} has {len(counts)} categories; at most {MOST_CATEGORIES} can be shown")
    order = sorted(counts, key=lambda word: (-counts[word], word))
    rank: dict[str | None, int] = {word: position for position, word in enumerate(order)}
    codes = np.array([rank.get(word, MISSING) for word in words], np.uint16)
    return Column(name, codes, tuple(order), "category")
