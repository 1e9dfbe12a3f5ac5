"""Files of vectors, links and names, one for each kind and pair of kinds, as one RelationalData."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.data.files.problems import Problems
from mrsne.data.relational import RelationalData
from mrsne.data.tables.known_items import read_names
from mrsne.data.tables.links import add_kinds, lazy_links, read_links, without_unknown
from mrsne.data.tables.matrices import lazy_matrix, read_matrix
from mrsne.parameters import ParameterError, describe, is_whole_number

Pair = tuple[str, str]


@dataclass(frozen=True)
class DataFiles:
    """Which files hold vectors, links and names; a number of items stands for a kind without vectors."""

    vectors: Mapping[str, Path | int] = field(default_factory=dict)
    relations: tuple[tuple[Pair, Path], ...] = ()
    names: Mapping[str, Path] = field(default_factory=dict)

    def read(self, min_count: int = 1, problems: Problems | None = None) -> RelationalData:
        """Return the data, with what was left out among the problems.

        Kinds that are only in the links have the items that are named there, but for those of fewer links than
        ``min_count``; links to items that are not there are left out and noted; rows of NaN are items without a vector.
        """
        left_out = Problems() if problems is None else problems
        vectors, names = self._vectors(read_matrix)
        tables: dict[Pair, Any] = {pair: read_links(path, *pair) for pair, path in self.relations}
        add_kinds(tables, vectors, names, min_count, left_out)
        for pair, path in self.relations:
            known = without_unknown(tables[pair], pair, names, path, left_out)
            tables[pair] = links_by_position(known, pair, names)
        missing = {name: mask for name, X in vectors.items() if (mask := _rows_without_numbers(X)) is not None}
        return RelationalData(vectors, tables, names=names, missing=missing)

    def read_lazily(self) -> RelationalData:
        """Return data that the workers of a cluster read in blocks."""
        vectors, names = self._vectors(lazy_matrix)
        tables = {pair: links_by_position(lazy_links(path, *pair), pair, names) for pair, path in self.relations}
        return RelationalData(vectors, tables, names=names)

    def read_new(self, known: Mapping[str, tuple[str, ...]]) -> tuple[dict[str, Any], dict[Pair, Any]]:
        """Return vectors and links of new items: these by position, those of a map by their known names."""
        tables = {}
        for pair, path in self.relations:
            names = {pair[1]: known[pair[1]]} if pair[1] in known else {}
            tables[pair] = links_by_position(read_links(path, *pair), pair, names)
        return self._vectors(read_matrix)[0], tables

    def _vectors(self, read: Any) -> tuple[dict[str, Any], dict[str, list[str]]]:
        """Return vectors or counts by domain, and the names of items, from files or the first columns of tables."""
        vectors: dict[str, Any] = {}
        names: dict[str, list[str]] = {}
        for name, given in self.vectors.items():
            vectors[name], first_column = (given, None) if isinstance(given, int) else read(given)
            if first_column is not None:
                names[name] = first_column
        return vectors, names | {name: read_names(path, name) for name, path in self.names.items()}


def _rows_without_numbers(vectors: Any) -> Any:
    """Return which rows of an array are nothing but NaN; None where there is none of that kind."""
    if not isinstance(vectors, np.ndarray) or vectors.ndim != 2 or vectors.dtype.kind != "f" or not vectors.shape[1]:
        return None
    without = np.isnan(vectors[:, 0])
    without[without] = np.isnan(vectors[without]).all(axis=1)
    return without if without.any() and not without.all() else None


def links_by_position(links: Any, pair: Pair, names: Mapping[str, Any]) -> Any:
    """Turn the columns of a table of links into whole numbers for domains without names."""
    if not isinstance(links, dict):
        return links
    ends = [key for key in links if key != "weight"]
    if len(ends) != 2:
        raise ParameterError(
            "a domain whose links are in a table cannot be called 'weight': that is the column of their weights"
        )
    for end, domain in zip(ends, pair, strict=True):
        if domain not in names:
            links[end] = np.array([_position(cell, domain) for cell in links[end]], dtype=np.int64)
    return links


def _position(cell: str, domain: str) -> int:
    number = cell.strip()
    if not is_whole_number(number.removeprefix("-")):
        raise ParameterError(
            f"links of {domain!r} must be positions 0, 1, 2, … since it has no names, got {describe(cell)}; "
            f"give --names {domain}=FILE"
        )
    return int(number)
