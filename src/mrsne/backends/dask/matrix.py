"""P̃ on the workers of a cluster, a block of rows in each piece, and what is computed with it there."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.arrays import Float32, Float64, Int32, Int64
from mrsne.backends.components import propagated_labels, scatter_minimum
from mrsne.backends.cpu.attraction import Entries, attract, cross_entropy
from mrsne.backends.cpu.operator import HostOperator
from mrsne.backends.dask.connection import check_open
from mrsne.backends.dask.tasks import cores_here, send
from mrsne.matrices import PARTS, matrix_of, multiply, total_and_entropy
from mrsne.threads import threads


class ClusterMatrix:
    """A symmetric matrix in blocks of rows, futures of CSR matrices; ``starts`` are the first row of each, and n."""

    engine = "dask"  # by which the chooser knows it

    def __init__(self, client: Any, blocks: list[Any], starts: Int64) -> None:
        self.client, self.blocks, self.starts = client, blocks, starts

    def __repr__(self) -> str:
        return f"<matrix of {self.shape[0]} rows and columns in {len(self.blocks)} blocks on a cluster>"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("P̃ on a cluster cannot be pickled; its to_csr() brings it as a matrix that can")

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.starts[-1]), int(self.starts[-1])

    def coalesced(self, count: int) -> ClusterMatrix:
        """Return the same matrix in at most ``count`` blocks, of about as many rows each."""
        if len(self.blocks) <= count:
            return self
        ends = np.unique(np.searchsorted(self.starts, np.linspace(0, self.starts[-1], count + 1)))
        blocks = [self.client.submit(stacked, self.blocks[a:b], pure=False) for a, b in pairwise(ends.tolist())]
        return ClusterMatrix(self.client, blocks, self.starts[ends])

    def numbered(self) -> list[tuple[Any, int]]:
        """Return every block with the number of its first row."""
        return list(zip(self.blocks, self.starts[:-1].tolist(), strict=True))

    def each(self, function: Any, *arguments: Any) -> list[Any]:
        check_open(self.client)
        return [self.client.submit(function, block, *arguments, pure=False) for block in self.blocks]

    def rows(self, function: Any, shared: NDArray[Any]) -> NDArray[Any]:
        """Return the rows that a function of every block and of an array for all blocks gives, one below the other."""
        return np.concatenate(self.client.gather(self.each(function, send(self.client, shared))))

    def row_lengths(self) -> Int64:
        return np.concatenate(self.client.gather(self.each(lengths)))

    def row_sums(self) -> Float64:
        return self.rows(row_sums, np.ones((self.shape[0], 1))).ravel()

    def to_csr(self) -> sparse.csr_matrix:
        check_open(self.client)
        return sparse.csr_matrix(sparse.vstack(self.client.gather(self.blocks), format="csr"))

    def digest(self) -> str:
        parts = [self.client.submit(digest, block, first, pure=False) for block, first in self.numbered()]
        return f"{sum(self.client.gather(parts)) % 2**64:016x}"  # the same however rows are cut into blocks

    def sums(self) -> tuple[float, float]:
        parts = self.client.gather(self.each(block_sums))
        return sum(part[0] for part in parts), sum(part[1] for part in parts)

    def times(self, X: Float32) -> Float32:
        return self.rows(times, X)

    def restricted_to(self, items: Int64) -> ClusterMatrix:
        sent = self.client.submit(numbering, items, self.shape[0], pure=False)  # a task, which can be done again
        edges = np.searchsorted(items, self.starts)
        blocks = [
            self.client.submit(
                selected, block, items[edges[b] : edges[b + 1]] - self.starts[b], sent, len(items), pure=False
            )
            for b, block in enumerate(self.blocks)
        ]
        return ClusterMatrix(self.client, blocks, edges.astype(np.int64))

    def rows_of(self, items: Int64) -> sparse.csr_matrix:
        edges = np.searchsorted(items, self.starts)
        parts = [
            self.client.submit(chosen, block, items[a:b] - first, pure=False)
            for (block, first), (a, b) in zip(self.numbered(), pairwise(edges.tolist()), strict=True)
            if a < b
        ]
        empty = sparse.csr_matrix((0, self.shape[1]), dtype=np.float32)
        return sparse.csr_matrix(sparse.vstack([empty, *self.client.gather(parts)], format="csr"))

    def subgraph(self, items: Int64) -> sparse.csr_matrix:
        ordered = np.sort(items)
        places = np.searchsorted(ordered, items)
        return self.restricted_to(ordered).to_csr()[places][:, places]

    def components(self) -> tuple[Int64, Int64]:
        numbers = np.arange(self.shape[0], dtype=np.int64)
        labels = propagated_labels(numbers, partial(self.rows, lowest_labels), scatter_minimum, np)
        order = np.argsort(labels, kind="stable")
        starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
        return order, np.append(starts, len(labels))

    def operator(self, items: Int64, starts: Int64) -> ClusterOperator:
        return ClusterOperator(self, items, starts)


class ClusterOperator(HostOperator):
    """An operator whose vectors are on the client and whose matrix is on the workers."""

    def __init__(self, P: ClusterMatrix, items: Int64, starts: Int64) -> None:
        self.P, self.items = P, items
        super().__init__(starts)

    def multiplied(self, coefficients: Float32, X: Float32, before: Float32) -> Float32:
        a, b, c = (column[:, None] for column in coefficients[self.component].T)
        whole = np.zeros((self.P.shape[0], X.shape[1]), np.float32)
        whole[self.items] = X * self.inverse_root[:, None]
        moved = self.P.times(whole)[self.items]
        return np.asarray(a * self.inverse_root[:, None] * moved + b * X + c * before, dtype=np.float32)


def stacked(blocks: list[sparse.csr_matrix]) -> sparse.csr_matrix:
    indptr = np.cumsum(np.concatenate([[0], *(np.diff(block.indptr) for block in blocks)]), dtype=np.int64)
    indices, values = (np.concatenate([getattr(block, name) for block in blocks]) for name in ("indices", "data"))
    return matrix_of(indptr, indices, values, blocks[0].shape[1])


def lengths(block: sparse.csr_matrix) -> Int64:
    return np.asarray(np.diff(block.indptr))


def row_sums(block: sparse.csr_matrix, ones: Float64) -> Float64:
    with threads(cores_here()):
        return multiply(block, ones)


def digest(block: sparse.csr_matrix, first: int) -> int:
    """Return a fingerprint of a block's entries, which adds up over blocks."""
    rows = (np.repeat(np.arange(block.shape[0]), np.diff(block.indptr)) + first).astype(np.uint64)
    word = rows * np.uint64(0x9E3779B97F4A7C15) ^ block.indices.astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
    word ^= block.data.view(np.uint32).astype(np.uint64) * np.uint64(0x165667B19E3779F9)
    word ^= word >> np.uint64(29)
    return int((word * np.uint64(0xBF58476D1CE4E5B9)).sum(dtype=np.uint64))


def numbering(items: Int64, n: int) -> Int32:
    """Return the place of every item in a list; zero for those that are not in it."""
    columns = np.zeros(n, np.int32)
    columns[items] = np.arange(len(items), dtype=np.int32)
    return columns


def block_sums(block: sparse.csr_matrix) -> tuple[float, float]:
    return total_and_entropy(block.data)


def times(block: sparse.csr_matrix, X: Float32) -> Float32:
    with threads(cores_here()):
        return multiply(block, X.astype(np.float64)).astype(np.float32)


def lowest_labels(block: sparse.csr_matrix, labels: Int64) -> Int64:
    """Return the lowest label among the neighbours of each row, or the number of items where there are none."""
    lowest = np.full(block.shape[0], len(labels))
    linked = np.flatnonzero(np.diff(block.indptr))
    if len(linked):
        lowest[linked] = np.minimum.reduceat(labels[block.indices], block.indptr[linked])
    return lowest


def chosen(block: sparse.csr_matrix, rows: Int64) -> sparse.csr_matrix:
    return block[rows]


def selected(block: sparse.csr_matrix, rows: Int64, columns: Int32, width: int) -> sparse.csr_matrix:
    """Return rows of a block, with new numbers for its columns."""
    part = block[rows]
    return matrix_of(part.indptr.astype(np.int64), columns[part.indices], part.data, width)


def attraction(block: sparse.csr_matrix, Y: Float32, first: int) -> Float32:
    points = Y[first : first + block.shape[0]]
    force = np.empty_like(points)
    with threads(cores_here()):
        attract(Entries.of(block), np.ascontiguousarray(points), Y, force)
    return force


def entropy(block: sparse.csr_matrix, Y: Float32, first: int) -> float:
    """Return Σ p̃_ij log(1 + ‖y_i − y_j‖²) over the rows of a block."""
    sums = np.empty(PARTS)
    points = np.ascontiguousarray(Y[first : first + block.shape[0]])
    with threads(cores_here()):
        cross_entropy.over(PARTS, *Entries.of(block), points, Y, sums)
    return float(sums.sum())
