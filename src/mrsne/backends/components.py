"""The connected components of a graph whose rows no single thread walks through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def propagated_labels(
    labels: Any,
    lowest_around: Callable[[Any], Any],
    scatter_minimum: Callable[[Any, Any], Any],
    minimum: Callable[[Any, Any], Any],
    equal: Callable[[Any, Any], bool],
) -> Any:
    """Return the lowest number in its component for every item, by label propagation.

    Every item takes the lowest label around it, and tells the item whose label it had; labels of labels follow. This
    ends after few rounds even where a walk from item to item would be long.

    Parameters
    ----------
    labels : array
        The number of each item, in the memory of an engine.
    lowest_around : callable
        Returns the lowest label among the neighbours of each item.
    scatter_minimum : callable
        Of labels and values: lowers the label of item ``labels[i]`` to ``values[i]``, for all i.
    minimum, equal : callable
        Elementwise minimum, and whether all elements are equal.
    """
    while True:
        lowest = lowest_around(labels)
        new = minimum(scatter_minimum(labels, lowest), lowest)
        new = minimum(new, new[new])
        new = minimum(new, new[new])
        if equal(new, labels):
            return labels
        labels = new


def scatter_minimum(labels: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return labels of which number ``labels[i]`` is lowered to ``values[i]``, for all i."""
    result = labels.copy()
    np.minimum.at(result, labels, values)
    return result
