"""Links, or other entries of a matrix that is not put together yet."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray


class Triples(NamedTuple):
    """Rows, columns and weights of some entries."""

    rows: NDArray[np.integer[Any]]
    columns: NDArray[np.integer[Any]]
    weights: NDArray[np.float64]

    @property
    def keys(self) -> NDArray[np.integer[Any]]:
        """Entries belong to the block that has their row."""
        return self.rows

    def take(self, which: Any) -> Self:
        """Return some of them."""
        return type(self)(self.rows[which], self.columns[which], self.weights[which])

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        """Return those of several parts, one after the other."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def placed(self, first_row: int, first_column: int, scale: float, transposed: bool) -> Self:
        """Return them in a larger matrix, times a scale; with rows and columns exchanged if transposed."""
        ends = (self.rows + first_row).astype(np.int32), (self.columns + first_column).astype(np.int32)
        i, j = ends[::-1] if transposed else ends
        return type(self)(i, j, self.weights * scale)
