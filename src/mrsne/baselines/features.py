"""The vectors of a domain as the baselines see them: dense, and one-hot where a domain has none."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data import RelationalData
from mrsne.parameters import ParameterError, describe


def check_data(data: Any, method: str) -> RelationalData:
    """Return data that has a relation to learn from."""
    if not isinstance(data, RelationalData):
        raise ParameterError(f"data must be a RelationalData, got {describe(data)}")
    if not data.relations:
        raise ParameterError(f"{method} learns from links, but data has no relation")
    return data


def dense_vectors(data: RelationalData, domain: str) -> NDArray[np.float64] | None:
    """Return a domain's vectors, or None if it has none; an item without a vector gets the mean of the others."""
    given: Any = data.vectors[domain]
    if given is None:
        return None
    X = np.array(given.toarray() if sparse.issparse(given) else given, dtype=np.float64)
    missing = data.missing[domain]
    if missing.all():
        return None
    if missing.any():
        X[missing] = X[~missing].mean(axis=0)
    return X


def links(data: RelationalData, a: str, b: str) -> Any:
    """Return the weights between two domains or, symmetric and without its diagonal, inside one; None without any."""
    try:
        W = data.relation(a, b)
    except KeyError:
        return None
    if a == b:
        W = sparse.csr_matrix((W + W.T) / 2)
        W.setdiag(0)
        W.eliminate_zeros()
    return W
