"""Domains, relations and names as they are given on the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.cli.options import DataOptions, is_whole_number, split_pair, split_value
from mrsne.data import RelationalData
from mrsne.io.arrays import read_links, read_matrix
from mrsne.io.lazy import lazy_links, lazy_matrix
from mrsne.io.text import read_text
from mrsne.parameters import describe


def read_data(given: DataOptions, lazily: bool = False) -> RelationalData:
    """Return the data that ``--domain``, ``--relation`` and ``--names`` describe.

    Parameters
    ----------
    given : DataOptions
    lazily : bool
        Let the workers of a cluster read the files in blocks.
    """
    vectors, labels = read_domains(given.domains, lazily)
    for text in given.names:
        domain, file = split_value("--names", text)
        if domain not in vectors:
            known = ", ".join(map(repr, vectors))
            raise ValueError(f"--names names the domain {domain!r}, but the domains are {known}")
        labels[domain] = read_names(Path(file))
    tables = {}
    for text in given.relations:
        pair, file = split_pair("--relation", text)
        links = lazy_links(Path(file), *pair) if lazily else read_links(Path(file), *pair)
        tables[pair] = links_by_position(links, pair, labels)
    return RelationalData(vectors, tables, names=labels)


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


def read_names(path: Path) -> list[str]:
    """Return the lines of a text file, in whatever encoding it is; empty ones are passed over."""
    try:
        text = read_text(path)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file of names {str(path)!r}") from None
    if "\0" in text:
        raise ValueError(
            f"{str(path)!r} is not a text in UTF-8, UTF-16 with its mark, or Windows-1252, one name a line"
        )
    return [line for line in re.split(r"\r\n|\r|\n", text) if line.strip()]


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
