"""Items as users name them: by name, label or position."""

from __future__ import annotations

import numbers
from collections import Counter
from typing import Any

import numpy as np

from mrsne.arrays import Int64
from mrsne.data.outline import Outline
from mrsne.parameters import ParameterError, check_option, describe


def position_of(data: Outline, kind: Any, item: Any, argument: str = "item") -> int:
    """Return the position of an item of a kind."""
    return int(positions_of(data, kind, [item], argument)[0])


def positions_of(data: Outline, kind: Any, items: Any, argument: str = "items") -> Int64:
    """Return the positions of items of a kind: of all for None, else of one or several names, labels or positions."""
    size = data.sizes[kind]
    if items is None:
        return np.arange(size)
    if isinstance(items, (str, numbers.Integral)):
        items = [items]
    if isinstance(items, np.ndarray) and items.dtype == bool and items.shape == (size,):
        return np.flatnonzero(items)
    names: dict[str, int] = {}
    labels = data.shown_names(kind) or ()
    if any(isinstance(item, str) for item in items):
        counts = Counter(labels)
        unique = {label: place for place, label in enumerate(labels) if counts[label] == 1}
        names = {**unique, **{name: place for place, name in enumerate(data.names.get(kind, ()))}}
    found = []
    for item in items:
        if isinstance(item, str) and item in names:
            found.append(names[item])
        elif isinstance(item, numbers.Integral) and not isinstance(item, bool) and 0 <= int(item) < size:
            found.append(int(item))
        else:
            raise ParameterError(
                f"{argument} must be names or positions below {size} of {kind!r}, got {describe(item)}"
            )
    return np.array(found, dtype=np.int64)


def check_kind(argument: str, kind: Any, data: Outline) -> str:
    """Return a kind if there is one of this name."""
    return check_option(argument, kind, list(data.sizes))
