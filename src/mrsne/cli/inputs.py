"""Domains, relations and names as they are given on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mrsne.cli.options import split_pair, split_value
from mrsne.data import RelationalData
from mrsne.io.arrays import read_links, read_matrix
from mrsne.io.lazy import lazy_links, lazy_matrix


def read_data(
    domains: Sequence[str], relations: Sequence[str], names: Sequence[str], lazily: bool = False
) -> RelationalData:
    """Return the data that ``--domain``, ``--relation`` and ``--names`` describe, read on a cluster if lazily."""
    vectors, labels = read_domains(domains, lazily)
    for given in names:
        domain, file = split_value("--names", given)
        labels[domain] = read_names(Path(file))
    sizes = {name: X if isinstance(X, int) else X.shape[0] for name, X in vectors.items()}
    tables = {}
    for given in relations:
        pair, file = split_pair("--relation", given)
        links = lazy_links(Path(file), *pair) if lazily else read_links(Path(file), *pair)
        tables[pair] = links_by_position(links, pair, labels)
    unnamed = {name: label for name, label in labels.items() if name in sizes}
    unknown = set(labels) - set(unnamed)
    if unknown:
        raise ValueError(
            f"--names names the domain {min(unknown)!r}, but the domains are {', '.join(map(repr, sizes))}"
        )
    return RelationalData(vectors, tables, names=unnamed)


def read_domains(domains: Sequence[str], lazily: bool = False) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return vectors or counts by domain, and the names that tables bring along."""
    vectors: dict[str, Any] = {}
    labels: dict[str, list[str]] = {}
    for given in domains:
        name, value = split_value("--domain", given)
        if name in vectors:
            raise ValueError(f"--domain {name!r} is given twice")
        if value.isdecimal():
            vectors[name] = int(value)
            continue
        vectors[name], found = lazy_matrix(Path(value)) if lazily else read_matrix(Path(value))
        if found is not None:
            labels[name] = found
    return vectors, labels


def read_names(path: Path) -> list[str]:
    """Return the lines of a text file."""
    if not path.is_file():
        raise FileNotFoundError(f"there is no file of names {str(path)!r}")
    return [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]


def links_by_position(links: Any, pair: tuple[str, str], labels: dict[str, list[str]]) -> Any:
    """Turn the columns of a table of links into whole numbers for domains without names."""
    if not isinstance(links, dict):
        return links
    ends = [key for key in links if key != "weight"]
    for end, domain in zip(ends, pair, strict=True):
        if domain not in labels:
            try:
                links[end] = np.array([int(cell) for cell in links[end]])
            except ValueError as error:
                raise ValueError(
                    f"links of {domain!r} must be positions 0, 1, 2, … since it has no names ({error}); "
                    f"give --names {domain}=FILE"
                ) from error
    return links
