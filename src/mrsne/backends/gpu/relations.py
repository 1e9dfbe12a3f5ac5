"""Links on a GPU: joint probabilities R, vectors made from links, and all blocks put together as P̃."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from scipy import sparse

from mrsne.arrays import Float32, Float64, Int64
from mrsne.backends.base import Block, LinkFactors, LinkNorm
from mrsne.backends.cpu.matrix import assemble as assemble_on_the_processor
from mrsne.backends.cpu.matrix import embedded
from mrsne.backends.cpu.singular import left_singular_vectors
from mrsne.backends.gpu.entries import Entries, uploaded
from mrsne.backends.gpu.matrix import DeviceMatrix
from mrsne.backends.gpu.points import full_precision
from mrsne.backends.links import link_values, strengths


@dataclass(frozen=True)
class DeviceRelation(Entries):
    """The links between two domains, row by row, in double precision."""

    n_columns: int

    def transposed(self) -> DeviceRelation:
        """Return the links column by column."""
        order = torch.argsort(self.indices, stable=True)
        edges = torch.arange(self.n_columns + 1, dtype=torch.int32, device=self.indices.device)
        indptr = torch.searchsorted(self.indices[order], edges)
        return DeviceRelation(indptr, self._rows()[order].to(torch.int32), self.values[order], len(self.indptr) - 1)

    def _rows(self) -> torch.Tensor:
        """Return the row of each link."""
        numbers = torch.arange(len(self.indptr) - 1, device=self.device)
        return torch.repeat_interleave(numbers, self.lengths)

    def normalized(self, norm: LinkNorm, W: sparse.csr_matrix) -> DeviceRelation:
        """Return R, summing to 1; the values here are those of W."""
        largest = self.values.max()  # no overflow from products of huge weights
        ends = norm if isinstance(norm, LinkFactors) else strengths(W / W.data.max())
        first, second = (torch.from_numpy(end).to(self.values.device) for end in ends)
        values = link_values(self.values / largest, first[self._rows()], second[self.indices.long()], norm)
        return DeviceRelation(self.indptr, self.indices, values / values.sum(), self.n_columns)

    def to_csr(self) -> sparse.csr_matrix:
        """Copy the links back."""
        indptr, indices, values = (array.cpu().numpy() for array in (self.indptr, self.indices, self.values))
        return sparse.csr_matrix((values, indices, indptr), shape=(len(indptr) - 1, self.n_columns))


def relation_probabilities(W: sparse.csr_matrix, norm: LinkNorm, device: str) -> DeviceRelation:
    """Return R of a relation, summing to 1 (step (i-2) of the paper)."""
    indptr, indices, values = uploaded(W, device)
    return DeviceRelation(indptr, indices, values.double(), int(W.shape[1])).normalized(norm, W)


def assemble(
    blocks: Mapping[Block, DeviceMatrix | DeviceRelation],
    items: Mapping[str, Int64],
    beta: Mapping[Block, float],
    sizes: Mapping[str, int],
    device: str,
) -> DeviceMatrix:
    """Put β_d P^(d) on the diagonal, (β_de/2) R and its transpose on both sides of it.

    ``items`` says which items of a domain its neighbour graph is over. Where a domain has both a neighbour graph and
    links inside it, which have to be added entry by entry, the processor does it.
    """
    if any(block in blocks and (block, block) in blocks for block in sizes):
        there = {
            block: embedded(graph.to_csr(), items[block], sizes[block]) if isinstance(block, str) else graph.to_csr()
            for block, graph in blocks.items()
        }
        return DeviceMatrix.of(assemble_on_the_processor(there, beta, sizes), device)
    if len(blocks) == len(sizes) == 1:
        (name,), (only,) = tuple(sizes), tuple(blocks.values())
        if isinstance(only, DeviceMatrix) and len(items[name]) == sizes[name]:
            return only
    offsets = dict(zip(sizes, np.cumsum([0, *sizes.values()]).tolist(), strict=False))
    places = {name: torch.arange(size, device=device) + offsets[name] for name, size in sizes.items()}
    placed: list[tuple[int, torch.Tensor, torch.Tensor, Entries, float]] = []  # first column, rows, columns, β
    for block, graph in blocks.items():
        a, b = (block, block) if isinstance(block, str) else block
        if isinstance(graph, DeviceMatrix):
            which = torch.from_numpy(items[a]).to(device) + offsets[a]
            placed.append((offsets[a], which, which, graph, beta[block]))
            continue
        weight = beta[block] if a == b else beta[block] / 2
        placed.append((offsets[b], places[a], places[b], graph, weight))
        if a != b:
            placed.append((offsets[a], places[b], places[a], graph.transposed(), weight))
    lengths = torch.zeros(sum(sizes.values()), dtype=torch.int64, device=device)
    for _, rows, _, entries, _ in placed:
        lengths[rows] += entries.lengths
    result = DeviceMatrix.with_room(lengths)
    begin = result.indptr[:-1].clone()
    for _, rows, columns, entries, weight in sorted(placed, key=lambda part: part[0]):  # so columns come in order
        every = torch.arange(len(rows), device=device)
        entries.copy_rows(every, columns.to(torch.int32), weight, begin[rows], result)
        begin[rows] += entries.lengths
    return result


def singular_vectors(links: sparse.csr_matrix, width: int, device: str) -> Float32:
    """Return the first left singular vectors of a sparse matrix, each times its singular value."""
    with full_precision():
        return np.asarray(left_singular_vectors(DeviceProducts(links, device), width).cpu().numpy())


class DeviceProducts:
    """A sparse matrix on a device in single precision; see :class:`mrsne.backends.cpu.singular.Products`."""

    def __init__(self, A: sparse.csr_matrix, device: str) -> None:
        self.shape, self.device = (int(A.shape[0]), int(A.shape[1])), device
        lengths = torch.from_numpy(np.diff(A.indptr).astype(np.int64)).to(device)
        rows = torch.repeat_interleave(torch.arange(len(lengths), device=device), lengths)
        columns = torch.from_numpy(A.indices.astype(np.int64)).to(device)
        values = torch.from_numpy(A.data.astype(np.float32)).to(device)
        order = torch.argsort(columns, stable=True)
        self.A = _matrix(rows, columns, values, self.shape)
        self.transposed = _matrix(columns[order], rows[order], values[order], self.shape[::-1])

    def start(self, rows: int, columns: int) -> torch.Tensor:
        numbers = np.random.RandomState(0).standard_normal((rows, columns))
        return torch.from_numpy(numbers.astype(np.float32)).to(self.device)

    def times(self, X: torch.Tensor) -> torch.Tensor:
        return self.A @ X

    def transposed_times(self, X: torch.Tensor) -> torch.Tensor:
        return self.transposed @ X

    def squares(self, X: torch.Tensor) -> Float64:
        wide = X.double()
        return np.asarray((wide.T @ wide).cpu().numpy())

    def combined(self, X: torch.Tensor, C: Float64) -> torch.Tensor:
        return (X.double() @ torch.from_numpy(np.ascontiguousarray(C)).to(self.device)).float()


def _matrix(rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    places = torch.stack([rows, columns])
    return torch.sparse_coo_tensor(places, values, shape, check_invariants=False, is_coalesced=True)
