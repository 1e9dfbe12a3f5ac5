"""Neighbours that were found in different places, merged."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.dask.trees import reduced

MERGED = 8  # sets of neighbours that one task merges


class Found(NamedTuple):
    """Neighbours of some rows, sorted by distance."""

    numbers: NDArray[np.int64]  # (m,), of the rows
    indices: NDArray[np.int64]  # (m, k), numbers of their neighbours, −1 for none
    squared: NDArray[np.float64]  # (m, k)

    def take(self, which: Any) -> Found:
        """Return those of some rows."""
        return Found(self.numbers[which], self.indices[which], self.squared[which])


def merge(parts: list[Found], k: int) -> Found:
    """Keep the k nearest of several sets, equal distances by number; a row is not its own neighbour.

    Examples
    --------
    >>> number = np.array([0])
    >>> one = Found(number, np.array([[0, 3]]), np.array([[0.0, 4.0]]))
    >>> two = Found(number, np.array([[7]]), np.array([[1.0]]))
    >>> merge([one, two], 2).indices.tolist()
    [[7, 3]]
    """
    numbers = parts[0].numbers
    indices = np.concatenate([part.indices for part in parts], axis=1)
    squared = np.concatenate([part.squared for part in parts], axis=1)
    squared = np.where((indices < 0) | (indices == numbers[:, None]), np.inf, squared)
    order = np.lexsort((indices, squared), axis=1)[:, :k]
    indices, squared = np.take_along_axis(indices, order, 1), np.take_along_axis(squared, order, 1)
    return Found(numbers, np.where(np.isinf(squared), -1, indices), squared)


def merge_all(parts: list[Any], k: int, submit: Any) -> Any:
    """Merge sets of neighbours, a few at a time; what comes of one set is sorted and cut to k too."""
    return submit(merge, [reduced(parts, lambda group: submit(merge, group, k), MERGED)], k)
