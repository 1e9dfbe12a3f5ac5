"""Files of vectors, links and names, one for each kind and pair of kinds, as one RelationalData."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.data.files.problems import Problems
from mrsne.data.relational import RelationalData
from mrsne.data.relations import end_headings
from mrsne.data.tables.known_items import read_names
from mrsne.data.tables.matrices import lazy_matrix, parsed_numbers, read_matrix
from mrsne.data.tables.reading import open_table
from mrsne.data.tables.table import TableError, as_coded, texts_of
from mrsne.parameters import ParameterError, describe, is_whole_number

Pair = tuple[str, str]


@dataclass(frozen=True)
class DataFiles:
    """Which files hold vectors, links and names; a number of items stands for a kind without vectors."""

    vectors: Mapping[str, Path | int]
    relations: tuple[tuple[Pair, Path], ...]
    names: Mapping[str, Path]

    def read(self, min_count: int = 1, problems: Problems | None = None) -> RelationalData:
        """Return the data, with what was left out among the problems.

        Kinds that are only in the links have the items that at least ``min_count`` links name; links to unknown items
        are left out; rows of NaN are items without a vector.
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
        why = "that is the column of their weights"
        raise ParameterError(f"a domain whose links are in a table cannot be called 'weight': {why}")
    for end, domain in zip(ends, pair, strict=True):
        if domain not in names:
            links[end] = np.array([_position(cell, domain) for cell in links[end]], dtype=np.int64)
    return links


def _position(cell: str, domain: str) -> int:
    number = cell.strip()
    if not is_whole_number(number.removeprefix("-")):
        wanted = "positions 0, 1, 2, … since it has no names"
        raise ParameterError(f"links of {domain!r} must be {wanted}, got {describe(cell)}; give --names {domain}=FILE")
    return int(number)


def linked_kinds(path: Path) -> Pair:
    headings = list(open_table(path, headings=True, keep_missing_words=True).columns)
    kinds = [heading for heading in headings if heading != "weight"]
    if len(kinds) != 2:
        wanted = "two headings that name the kinds it links, and perhaps 'weight'"
        raise TableError(f"{str(path)!r} must have {wanted}, got {headings}; or give --relation DOMAIN:DOMAIN=FILE")
    if sorted(kinds) == ["source", "target"]:
        raise TableError(f"{str(path)!r} links items of one kind; say which: --relation KIND:KIND={path}")
    return kinds[0], kinds[1]


def read_links(path: Path, a: str, b: str) -> Any:
    """Return links between two domains: a matrix, or a table of pairs with perhaps a weight, as columns by name."""
    if path.suffix in (".npy", ".npz"):
        return read_matrix(path)[0]
    ends = end_headings((a, b))
    table = open_table(
        path, headings=lambda rows: set(ends) <= {cell.strip() for cell in rows[0]}, keep_missing_words=True
    )
    headings = list(table.columns)
    if set(ends) <= set(headings):
        at, weight_at = ends, "weight" if "weight" in headings else None
    else:
        at, weight_at = headings[:2], headings[2] if len(headings) > 2 else None
    if len(at) < 2:
        raise TableError(f"{table.source} has one column; links are {ends[0]}, {ends[1]} and perhaps a weight")
    columns = {end: texts_of(table.columns[heading]) for end, heading in zip(ends, at, strict=True)}
    for row, found in enumerate(zip(*columns.values(), strict=True)):
        if None in found and row in table.short_rows:
            expected = f"expected {ends[0]}, {ends[1]} and perhaps a weight"
            raise TableError(f"{table.where(row)}: {expected}, got {describe([cell for cell in found if cell])}")
    links: dict[str, Any] = {end: [cell or "" for cell in column] for end, column in columns.items()}
    links["weight"] = [1.0] * table.size
    if weight_at is not None:
        coded = as_coded(table.columns[weight_at])
        weights = np.append(parsed_numbers(coded.values)[0], 1.0)[coded.codes]
        for row in np.flatnonzero(~np.isfinite(weights)).tolist():
            cell = texts_of(coded)[row]
            raise TableError(f"{table.where(row)}: expected a finite number as weight, got {describe(cell)}")
        links["weight"] = weights.tolist()
    return links


def lazy_links(path: Path, a: str, b: str) -> Any:
    return lazy_matrix(path)[0] if path.suffix == ".parquet" else read_links(path, a, b)


def add_kinds(
    tables: Mapping[Pair, Any], vectors: dict[str, Any], names: dict[str, list[str]], min_count: int, problems: Problems
) -> None:
    """Add the kinds that only the links know: items that ``min_count`` links name, or rows or columns of a matrix."""
    known = set(vectors)
    for pair, links in tables.items():
        for side, domain in enumerate(pair):
            if domain in known:
                continue
            if isinstance(links, dict):
                names.setdefault(domain, []).extend(map(str, links[end_headings(pair)[side]]))
                vectors[domain] = 0
            else:
                vectors.setdefault(domain, int(links.shape[side]))
    for domain in [name for name in vectors if name not in known and name in names]:
        counts = Counter(names[domain])
        names[domain] = [name for name, count in counts.items() if count >= min_count and name]
        for name, count in counts.items():
            if count < min_count:
                problems.add(f"item of fewer than {min_count} links", f"{domain}: {name}", f"{count} links")
        if not names[domain]:
            raise ParameterError(f"no item of {domain!r} has {min_count} links; lower --min-count")
        vectors[domain] = len(names[domain])


def without_unknown(links: Any, pair: Pair, names: Mapping[str, Sequence[str]], file: Path, problems: Problems) -> Any:
    """Return a table of links without those to items that are not known by name, which are noted."""
    ends = end_headings(pair)
    if not isinstance(links, dict) or len(set(ends)) != 2 or "weight" in ends:
        return links
    kept = list(range(len(links[ends[0]])))
    for end, domain in zip(ends, pair, strict=True):
        cells, known = links[end], set(names.get(domain, links[end]))
        for index in kept:
            if cells[index] not in known:
                where = f"{file.name}, link {index + 1}"
                problems.add("link to an item that is not there", where, f"{domain}: {cells[index]}")
        kept = [index for index in kept if cells[index] in known]
    if not kept:
        first = f"; first {problems[0].what}" if problems else ": it has no rows"
        raise ParameterError(f"no link of {str(file)!r} is between known items{first}")
    return {name: [values[index] for index in kept] for name, values in links.items()}
