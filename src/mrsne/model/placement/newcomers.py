"""What users hand over about new items, checked against the fitted data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.data import DataError, RelationalData
from mrsne.data.relations import edge_columns, read_relation
from mrsne.data.vectors import read_vectors


def read_new(
    data: RelationalData, vectors: Mapping[str, Any], relations: Mapping[tuple[str, str], Any]
) -> dict[str, tuple[Any, dict[str, sparse.csr_matrix]]]:
    """Check the new items; return vectors (or None) and links to other domains for each domain that has new items."""
    new: dict[str, tuple[Any, dict[str, sparse.csr_matrix]]] = {}
    for domain, given in vectors.items():
        fitted = data.vectors.get(domain)
        if fitted is None or data.missing[domain].all():
            known = [name for name, mask in data.missing.items() if not mask.all()]
            raise DataError(
                f"vectors names {domain!r}, but the fitted domains with vectors are {', '.join(map(repr, known))}"
            )
        X = read_vectors(domain, given, None)[0]
        if X is None or X.shape[1] != fitted.shape[1]:
            found = "a count" if X is None else f"{X.shape[1]} columns"
            raise DataError(f"vectors[{domain!r}] has {found}, but the map was fitted to {fitted.shape[1]} columns")
        new[domain] = (X, {})
    if not isinstance(relations, Mapping):
        raise DataError(f"relations must be a mapping of pairs of domain names, got {type(relations).__name__}")
    counts: dict[str, int] = {domain: X.shape[0] for domain, (X, _) in new.items()}
    for pair, given in relations.items():
        if not (
            isinstance(pair, tuple) and len(pair) == 2 and (pair in data.relations or pair[::-1] in data.relations)
        ):
            raise DataError(
                f"relations names {pair!r}, but the fitted relations are {', '.join(map(repr, data.relations))}"
            )
        if pair[0] not in vectors:
            counts[pair[0]] = max(counts.get(pair[0], 0), _count_new(pair, given))
    for pair, given in relations.items():
        domain, other = pair
        shape = (counts[domain], data.sizes[other])
        links = new.setdefault(domain, (None, {}))[1]
        links[other] = read_relation(pair, given, shape, (None, data.names.get(other)), empty=True)
    return new


def _count_new(pair: tuple[str, str], given: Any) -> int:
    """Return how many new items a relation speaks of."""
    table = edge_columns(pair, given) if not hasattr(given, "shape") or hasattr(given, "columns") else None
    if table is None:
        return len(given) if isinstance(given, (list, tuple)) else int(getattr(given, "shape", (0,))[0])
    positions = np.asarray(table[0])
    if not np.issubdtype(positions.dtype, np.integer) or positions.size == 0:
        raise DataError(f"relations[{pair!r}] must name the new items of {pair[0]!r} by their positions 0, 1, 2, …")
    return int(positions.max()) + 1
