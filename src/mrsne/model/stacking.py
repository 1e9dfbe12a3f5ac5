"""Domains one after the other in one array, and apart again.

Internal: see ``docs/architecture.md`` for what is public.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.data import Outline, in_memory
from mrsne.model.embedding import Embedding
from mrsne.parameters import ParameterError


def unstacked(
    Y: NDArray[np.float32],
    data: Outline,
    kl: float,
    n_iter: int,
    weights: Mapping[Any, float] | None = None,
    relation_norm: Any = None,
    settings: Mapping[str, Any] | None = None,
) -> Embedding:
    """Return a map of all items as one by domain; of data on a cluster it knows the names."""
    parts = {name: Y[start : start + data.sizes[name]] for name, start in data.offsets.items()}
    return Embedding(
        parts, kl, n_iter, data=in_memory(data), weights=weights, relation_norm=relation_norm, settings=settings
    )


def stacked(init: Any, data: Outline) -> Any:
    """Return a start given by domain as one array."""
    if not isinstance(init, Mapping):
        return init
    for name in init:
        if name not in data.sizes:
            raise ParameterError(
                f"init names the domain {name!r}, but the domains are {', '.join(map(repr, data.sizes))}"
            )
    for name, size in data.sizes.items():
        found = np.shape(init[name]) if name in init else ()
        if not found or found[0] != size:
            raise ParameterError(
                f"init must have {size} positions for the domain {name!r}, got {found[0] if found else 'none'}"
            )
    if len({np.shape(init[name])[1:] for name in data.sizes}) != 1:
        raise ParameterError("init must have the same number of columns for every domain")
    return np.concatenate([np.asarray(init[name], dtype=np.float32) for name in data.sizes])


def unstacking(callbacks: Any, data: Outline | None) -> Any:
    """Return callbacks that receive an Embedding."""
    if data is None or not (callable(callbacks) or isinstance(callbacks, (list, tuple))):
        return callbacks
    functions = [callbacks] if callable(callbacks) else callbacks
    return [
        (lambda iteration, kl, Y, f=function: f(iteration, kl, unstacked(Y, data, kl, iteration)))
        if callable(function)
        else function
        for function in functions
    ]
