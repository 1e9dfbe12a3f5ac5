"""Entries of a matrix that is not put together yet."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

SMALLEST = np.finfo(np.float32).tiny


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

    def placed(self, first_row: int, first_column: int, scale: float, turned: bool) -> Self:
        """Return them in a larger matrix, times a scale; with rows and columns exchanged if turned."""
        ends = (self.rows + first_row).astype(np.int32), (self.columns + first_column).astype(np.int32)
        i, j = ends[::-1] if turned else ends
        return type(self)(i, j, self.weights * scale)


def row_block(pieces: list[Triples], first: int, height: int, width: int) -> sparse.csr_matrix:
    """Return a block of rows of a matrix, the first of which has a number, from the entries in it; equals add up."""
    i, j, w = Triples.joined([Triples(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)), *pieces])
    total = sparse.coo_matrix((w, (i - first, j)), shape=(height, width)).tocsr()
    total.sum_duplicates()
    total.data = total.data.astype(np.float32)
    total.data[total.data < SMALLEST] = 0
    total.eliminate_zeros()
    block = sparse.csr_matrix((height, width), dtype=np.float32)
    block.indptr, block.indices, block.data = total.indptr.astype(np.int64), total.indices.astype(np.int32), total.data
    return block
