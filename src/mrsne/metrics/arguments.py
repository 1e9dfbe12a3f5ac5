"""Checks of what the scores are given."""

import numbers
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from mrsne.arrays import Array, Float64, Int64
from mrsne.data.relational import RelationalData, require_in_memory
from mrsne.data.vectors import check_plain
from mrsne.parameters import ParameterError, check_integer, describe

METRICS = ("euclidean", "cosine", "precomputed")  # distances between vectors
SIMILARITIES = ("euclidean", "inner")  # what makes two items on a map similar: a small distance, a large inner product
Map: TypeAlias = Mapping[str, Array]  # an Embedding, or any coordinates of shape (items, K) by domain


def check_map(embedding: Any, data: Any) -> None:
    """Raise unless the two are a map and the data it shows."""
    if not isinstance(embedding, Mapping):
        raise ParameterError(f"embedding must be an Embedding, got {describe(embedding)}")
    for name, size in require_in_memory(data, "scores need").sizes.items():
        mapped = len(embedding[name]) if name in embedding else 0
        if mapped != size:
            raise ParameterError(f"data has {size} items of {name!r}, but the embedding has {mapped}")


def metrics_of(embedding: Map, data: RelationalData) -> dict[str, str]:
    """Return the distance of vectors of every domain that a map was made with, Euclidean where it does not say."""
    given = (getattr(embedding, "settings", None) or {}).get("metric", METRICS[0])
    return {name: given.get(name, METRICS[0]) if isinstance(given, Mapping) else given for name in data.sizes}


def positions(embedding: Any, domain: str) -> Float64:
    """Return a domain's coordinates, in double precision."""
    if not isinstance(embedding, Mapping):
        raise ParameterError(f"embedding must be an Embedding, got {describe(embedding)}")
    if domain not in embedding:
        raise ParameterError(f"there is no domain {domain!r}; the domains are {', '.join(map(repr, embedding))}")
    check_plain(f"embedding[{domain!r}]", embedding[domain])
    Y = np.array(embedding[domain], dtype=np.float64)
    if Y.ndim != 2:
        raise ParameterError(f"embedding[{domain!r}] must have shape (items, K), got {Y.shape}")
    if not np.isfinite(Y).all():
        raise ParameterError(f"embedding[{domain!r}] holds NaN or infinity")
    return Y


def check_domain(argument: str, name: Any, data: RelationalData) -> str:
    """Return the name of a domain; None stands for the first."""
    if name is None:
        return next(iter(data.sizes))
    if not isinstance(name, str) or name not in data.sizes:
        domains = ", ".join(map(repr, data.sizes))
        raise ParameterError(f"{argument} must be one of the domains {domains}, got {describe(name)}")
    return name


def check_queries(queries: Any, size: int) -> Int64:
    """Return the positions of the query items; None stands for all items."""
    if queries is None:
        return np.arange(size)
    items = np.asarray(queries)
    is_list_of_integers = items.ndim == 1 and items.size > 0 and np.issubdtype(items.dtype, np.integer)
    if not is_list_of_integers or items.min() < 0 or items.max() >= size:
        raise ParameterError(f"queries must be positions of items, 0 … {size - 1}, got {describe(queries)}")
    return items.astype(np.int64)


def check_ks(k: int | Sequence[int] | Array, candidates: int) -> Int64:
    """Return the numbers of neighbours as an array; none may exceed the number of candidates."""
    values = [k] if isinstance(k, numbers.Integral) else list(np.ravel(np.asarray(k, dtype=object)))
    if not values:
        raise ParameterError("k must be a whole number or a list of them, got an empty list")
    for value in values:
        if check_integer("k", value, minimum=1) > candidates:
            raise ParameterError(f"k must be at most {candidates}, the number of other items, got {value}")
    return np.array(values, dtype=np.int64)


def sample_of(items: Int64, most: int | None, random: np.random.RandomState) -> Int64:
    """Return a random sample of at most this many items, in their order; None stands for all."""
    if most is None or len(items) <= most:
        return items
    return np.sort(random.choice(items, most, replace=False))
