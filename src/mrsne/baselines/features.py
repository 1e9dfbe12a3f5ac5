"""The vectors of a domain as the baselines see them: dense, and one-hot where a domain has none."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data import RelationalData, require_in_memory
from mrsne.metrics.links import undirected
from mrsne.parameters import ParameterError


def check_data(data: Any, method: str) -> RelationalData:
    """Return the data, or raise if it has no relation to learn from."""
    known = require_in_memory(data, f"{method} learns from")
    if not known.relations:
        raise ParameterError(f"{method} learns from links, but data has no relation")
    return known


def dense_vectors(data: RelationalData, domain: str) -> NDArray[np.float64] | None:
    """Return a domain's vectors, or None if it has none; an item without a vector gets the mean of the others."""
    vectors: Any = data.vectors[domain]
    if vectors is None:
        return None
    X = np.array(vectors.toarray() if sparse.issparse(vectors) else vectors, dtype=np.float64)
    missing = data.missing[domain]
    if missing.all():
        return None
    if missing.any():
        X[missing] = X[~missing].mean(axis=0)
    return X


def links(data: RelationalData, a: str, b: str) -> Any:
    """Return the weights of the links between two domains, (W + Wᵀ)/2 inside one; None if there is no relation."""
    try:
        W = data.relation(a, b)
    except KeyError:
        return None
    return undirected(W) / 2 if a == b else W
