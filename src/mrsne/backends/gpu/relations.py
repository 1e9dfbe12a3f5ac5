"""Links on a GPU: joint probabilities R, vectors made from links, and all blocks put together as P̃."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
import triton
import triton.language as tl
from scipy import sparse

from mrsne.arrays import Float32, Float64, Int64
from mrsne.backends.base import Block, LinkFactors, LinkNorm
from mrsne.backends.cpu.matrix import assemble as assemble_on_the_processor
from mrsne.backends.cpu.matrix import embedded
from mrsne.backends.cpu.singular import left_singular_vectors
from mrsne.backends.gpu.entries import LIMIT, Entries, uploaded
from mrsne.backends.gpu.matrix import DeviceMatrix
from mrsne.backends.gpu.points import full_precision
from mrsne.backends.links import link_values, strengths

ENTRIES = 32  # of a row that one program multiplies at a time


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
        indptr, indices, values = (array.cpu().numpy() for array in (self.indptr, self.indices, self.values))
        return sparse.csr_matrix((values, indices, indptr), shape=(len(indptr) - 1, self.n_columns))


def relation_probabilities(W: sparse.csr_matrix, norm: LinkNorm, device: str) -> DeviceRelation:
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

    Where a domain has both a neighbour graph, over its ``items``, and links inside it, the processor adds them up.
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
    """A sparse matrix on a device in single precision; see :class:`mrsne.backends.cpu.singular.Products`.

    Each number of a product is added up by one program in the order of the entries, so its bits are always the same.
    """

    def __init__(self, A: sparse.csr_matrix, device: str) -> None:
        self.shape, self.device = (int(A.shape[0]), int(A.shape[1])), device
        self.rows, self.columns = (Entries(*uploaded(B.astype(np.float32), device)) for B in (A, A.T.tocsr()))

    def start(self, rows: int, columns: int) -> torch.Tensor:
        numbers = np.random.RandomState(0).standard_normal((rows, columns))
        return torch.from_numpy(numbers.astype(np.float32)).to(self.device)

    def times(self, X: torch.Tensor) -> torch.Tensor:
        return product(self.rows, X)

    def transposed_times(self, X: torch.Tensor) -> torch.Tensor:
        return product(self.columns, X)

    def squares(self, X: torch.Tensor) -> Float64:
        wide = X.double()
        return np.asarray((wide.T @ wide).cpu().numpy())

    def combined(self, X: torch.Tensor, C: Float64) -> torch.Tensor:
        return (X.double() @ torch.from_numpy(np.ascontiguousarray(C)).to(self.device)).float()


def product(A: Entries, X: torch.Tensor) -> torch.Tensor:
    """Return A X for vectors X in single precision, a row for each column of A."""
    X = X.contiguous()
    n, width = len(A.indptr) - 1, X.shape[1]
    result = torch.empty((n, width), dtype=torch.float32, device=X.device)
    options = {"LIMIT": LIMIT, "COLUMNS": triton.next_power_of_2(width), "LANES": ENTRIES, "num_warps": 4}
    entries = (A.indices, A.values, X, width)
    _times[(n,)](A.indptr, A.indptr[1:], *entries, result, width, **options)
    if (long := A.long_rows) is not None:
        parts = torch.empty((len(long), options["COLUMNS"]), dtype=torch.float32, device=X.device)
        _times[(len(long),)](long.first, long.last, *entries, parts, options["COLUMNS"], **options)
        result[long.rows] += long.totals(parts)[:, :width]
    return result


@triton.jit
def _times(
    begin, end, indices, values, X, width, result, stride,
    LIMIT: tl.constexpr, COLUMNS: tl.constexpr, LANES: tl.constexpr,
):  # fmt: skip
    """Sum a_ij x_j over the first entries of a row, or those of a segment of what these leave."""
    slot = tl.program_id(0).to(tl.int64)
    first = tl.load(begin + slot)
    last = tl.minimum(tl.load(end + slot), first + LIMIT)
    columns = tl.arange(0, COLUMNS)
    total = tl.zeros((LANES, COLUMNS), tl.float32)
    while first < last:
        at = first + tl.arange(0, LANES)
        here = at < last
        j = tl.load(indices + at, mask=here, other=0).to(tl.int64)
        a = tl.load(values + at, mask=here, other=0.0)
        inside = here[:, None] & (columns < width)[None, :]
        total += a[:, None] * tl.load(X + (j * width)[:, None] + columns[None, :], mask=inside, other=0.0)
        first += LANES
    tl.store(result + slot * stride + columns, tl.sum(total, 0), mask=columns < stride)
