"""Domains, relations and names as they are given on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.cli.link_tables import pair_and_file
from mrsne.cli.options import DataOptions, is_whole_number, split_value
from mrsne.data import RelationalData
from mrsne.io.problems import Problems
from mrsne.parameters import describe
from mrsne.tables.known_items import read_names
from mrsne.tables.links import add_kinds, lazy_links, read_links, without_unknown
from mrsne.tables.matrices import lazy_matrix, read_matrix


def read_data(
    given: DataOptions, lazily: bool = False, min_count: int = 1, problems: Problems | None = None
) -> RelationalData:
    """Return the data that ``--domain``, ``--relation`` and ``--names`` describe.

    Kinds that are only in the links have the items that are named there; links to items that are not there are left
    out and noted; rows of NaN are items without a vector.

    Parameters
    ----------
    given : DataOptions
    lazily : bool
        Let the workers of a cluster read the files in blocks.
    min_count : int
        Leave out items that only the links know and that fewer of them name.
    problems : Problems, optional
        Gets what was left out.
    """
    left_out = Problems() if problems is None else problems
    pairs = [pair_and_file(text) for text in given.relations]
    vectors, labels = read_domains(given.domains, lazily)
    for text in given.names:
        domain, file = split_value("--names", text)
        if domain not in vectors:
            known = ", ".join(map(repr, vectors))
            raise ValueError(f"--names names the domain {domain!r}, but the domains are {known}")
        labels[domain] = read_names(Path(file), domain)
    tables: dict[tuple[str, str], Any] = {
        pair: lazy_links(file, *pair) if lazily else read_links(file, *pair) for pair, file in pairs
    }
    if lazily:
        ready = {pair: links_by_position(links, pair, labels) for pair, links in tables.items()}
        return RelationalData(vectors, ready, names=labels)
    add_kinds(tables, vectors, labels, min_count, left_out)
    for pair, path in pairs:
        known = without_unknown(tables[pair], pair, labels, path, left_out)
        tables[pair] = links_by_position(known, pair, labels)
    missing = {name: mask for name, X in vectors.items() if (mask := rows_without_numbers(X)) is not None}
    return RelationalData(vectors, tables, names=labels, missing=missing)


def rows_without_numbers(vectors: Any) -> Any:
    """Return which rows of an array are nothing but NaN; None where there is none of that kind."""
    if not isinstance(vectors, np.ndarray) or vectors.ndim != 2 or vectors.dtype.kind != "f" or not vectors.shape[1]:
        return None
    without = np.isnan(vectors[:, 0])
    without[without] = np.isnan(vectors[without]).all(axis=1)
    return without if without.any() and not without.all() else None


def read_domains(domains: Sequence[str], lazily: bool = False) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return vectors or counts by domain, and the names that stand in the first column of tables."""
    vectors: dict[str, Any] = {}
    labels: dict[str, list[str]] = {}
    for given in domains:
        name, value = split_value("--domain", given)
        if name in vectors:
            raise ValueError(f"--domain {name!r} is given twice")
        if value.isdecimal():
            vectors[name] = read_count(name, value)
            continue
        vectors[name], first_column = lazy_matrix(Path(value)) if lazily else read_matrix(Path(value))
        if first_column is not None:
            labels[name] = first_column
    return vectors, labels


def read_count(name: str, value: str) -> int:
    """Return how many items a domain without vectors has."""
    if not is_whole_number(value):
        raise ValueError(f"--domain {name} must be a file, or a number of items below 10^18, got {describe(value)}")
    return int(value)


def links_by_position(links: Any, pair: tuple[str, str], labels: dict[str, list[str]]) -> Any:
    """Turn the columns of a table of links into whole numbers for domains without names."""
    if not isinstance(links, dict):
        return links
    ends = [key for key in links if key != "weight"]
    if len(ends) != 2:
        raise ValueError(
            "a domain whose links are in a table cannot be called 'weight': that is the column of their weights"
        )
    for end, domain in zip(ends, pair, strict=True):
        if domain not in labels:
            links[end] = np.array([_position(cell, domain) for cell in links[end]], dtype=np.int64)
    return links


def _position(cell: str, domain: str) -> int:
    number = cell.strip()
    if not is_whole_number(number.removeprefix("-")):
        raise ValueError(
            f"links of {domain!r} must be positions 0, 1, 2, … since it has no names, got {describe(cell)}; "
            f"give --names {domain}=FILE"
        )
    return int(number)
