"""What users hand over about new items, checked against the fitted data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.data import DataError, RelationalData
from mrsne.data.relations import read_relation
from mrsne.data.vectors import read_vectors


def read_new(
    data: RelationalData, vectors: Mapping[str, Any], relations: Mapping[tuple[str, str], Any]
) -> dict[str, tuple[Any, dict[str, sparse.csr_matrix]]]:
    """Check the new items; return vectors (or None) and links to other domains for each domain that has new items."""
    new: dict[str, tuple[Any, dict[str, sparse.csr_matrix]]] = {}
    for domain, given in vectors.items():
        fitted = data.vectors.get(domain)
        if fitted is None:
            known = [name for name, found in data.vectors.items() if found is not None]
            raise DataError(
                f"vectors names {domain!r}, but the fitted domains with vectors are {', '.join(map(repr, known))}"
            )
        X = read_vectors(domain, given, None)[0]
        if X is None or X.shape[1] != fitted.shape[1]:
            found = "a count" if X is None else f"{X.shape[1]} columns"
            raise DataError(f"vectors[{domain!r}] has {found}, but the map was fitted to {fitted.shape[1]} columns")
        new[domain] = (X, {})
    for pair, given in relations.items():
        if not (
            isinstance(pair, tuple) and len(pair) == 2 and (pair in data.relations or pair[::-1] in data.relations)
        ):
            raise DataError(
                f"relations names {pair!r}, but the fitted relations are {', '.join(map(repr, data.relations))}"
            )
        domain, other = pair
        X, links = new.setdefault(domain, (None, {}))
        size = (
            X.shape[0] if X is not None else next(iter(links.values())).shape[0] if links else _count_new(pair, given)
        )
        # inside a domain the new items are on the left and the fitted ones on the right, so the two sides need names of
        # their own
        left = f"new {domain}"
        sizes = {left: size, other: data.sizes[other]}
        names = {other: data.names[other]} if other in data.names else {}
        table = _renamed(given, domain, left)
        links[other] = read_relation((left, other), table, sizes, names)
    return new


def _count_new(pair: tuple[str, str], given: Any) -> int:
    """Return how many new items a relation speaks of."""
    if hasattr(given, "shape") and not hasattr(given, "columns"):
        return int(given.shape[0])
    column: Any = None
    if isinstance(given, list) and given and isinstance(given[0], tuple):
        column = [row[0] for row in given]
    elif (isinstance(given, Mapping) or hasattr(given, "columns")) and pair[0] in given:
        column = given[pair[0]]
    elif hasattr(given, "__len__"):
        return len(given)
    positions = np.asarray(column)
    if not np.issubdtype(positions.dtype, np.integer) or positions.size == 0:
        raise DataError(f"relations[{pair!r}] must name the new items of {pair[0]!r} by their positions 0, 1, 2, …")
    return int(positions.max()) + 1


def _renamed(given: Any, domain: str, left: str) -> Any:
    """Return a table of links with the new items' column under its new name."""
    if isinstance(given, Mapping):
        return {left if column == domain else column: values for column, values in given.items()}
    return given.rename(columns={domain: left}) if hasattr(given, "columns") and hasattr(given, "rename") else given
