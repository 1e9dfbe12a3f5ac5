"""What a map shows of its items besides their places: names, pictures, links and columns, if they are in memory."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.arrays import Float32, Float64, UInt8
from mrsne.data import vectors as data_values
from mrsne.data.outline import Outline, Pair
from mrsne.data.relational import in_memory, link_strength
from mrsne.parameters import ParameterError, describe

Coordinates: TypeAlias = Mapping[str, Float32]  # of each domain, an array of shape (items, dimensions)

MOST_CATEGORIES = 65_000
MISSING = 65_535
FEWEST_TEXTS = 64  # different words from which a column is text and not categories, if most items have one of their own
SECONDS_PER_DAY = 86_400


@dataclass(frozen=True)
class Details:
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # what people read: labels, or else names
    ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the names, where labels take their place
    pictures: Mapping[str, UInt8] = field(default_factory=dict)
    relations: Mapping[Pair, sparse.csr_matrix] = field(default_factory=dict)
    strengths: Mapping[str, Float64] = field(default_factory=dict)  # of each item, the weight of its links
    columns: Mapping[str, Mapping[str, data_values.Values]] = field(default_factory=dict)

    def strength(self, domain: str, size: int) -> Float64:
        """Return the weight of the links of each of a domain's items, zeros where no links are known."""
        return self.strengths.get(domain, np.zeros(size))


def read_details(data: Outline | None) -> Details:
    """Return what a map can show of data: everything in memory and, of data on a cluster, the names."""
    if data is None:
        return Details()
    if not isinstance(data, Outline):
        raise ParameterError(f"data must be a RelationalData, got {describe(data)}")
    known = in_memory(data)
    strengths = {name: link_strength(known, name) for name in known.sizes}
    shown = {name: names for name in known.sizes if (names := known.shown_names(name)) is not None}
    ids = {name: names for name, names in known.names.items() if name in known.labels}
    return Details(shown, ids, known.pictures, known.relations, strengths, known.columns)


@dataclass(frozen=True)
class Column:
    """A value for each item, by which a map can be coloured and filtered."""

    name: str
    values: Float32 | NDArray[np.uint16]  # numbers, days since 1970, or positions among the categories
    categories: tuple[str, ...] | None  # the most frequent first
    kind: str  # "number", "date", "category" or "text"
    texts: tuple[str | None, ...] = ()  # of a text, which has no values


def read_columns(domain: str, given: Any, size: int) -> list[Column]:
    """Return the columns of a domain, from a mapping or a DataFrame; words are categories, or texts if most differ."""
    try:
        found = data_values.read_columns(domain, given, size)
    except data_values.ColumnError as error:
        raise ParameterError(str(error)) from error
    return [_column(f"columns[{domain!r}][{name!r}]", name, values) for name, values in found.items()]


def _column(argument: str, name: str, values: data_values.Values) -> Column:
    if isinstance(values, tuple):
        return _words(argument, name, values)
    if values.dtype.kind != "M":
        return Column(name, _single(values), None, "number")
    days = np.where(np.isnat(values), np.nan, values.astype("datetime64[s]").astype(np.int64) / SECONDS_PER_DAY)
    found = _single(days)  # in steps of minutes, none of them rounded to the next day
    found = np.where(np.floor(found) > np.floor(days), np.nextafter(found, np.float32(-np.inf)), found)
    return Column(name, found, None, "date")


def _single(values: NDArray[Any]) -> Float32:
    """Return numbers in single precision, NaN where they are too large for it."""
    with np.errstate(over="ignore"):
        found = values.astype(np.float32)
    found[~np.isfinite(found)] = np.nan
    return found


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
