"""P̃ in the memory of a GPU, from the neighbours to the last iteration, and D^-½ P D^-½ of its components."""

from __future__ import annotations

import hashlib

import numpy as np
import torch
import triton
import triton.language as tl
from scipy import sparse
from torch import Tensor

from mrsne.arrays import Float64, Int64
from mrsne.backends.components import cut_into_runs, propagated_labels
from mrsne.backends.cpu.operator import COLUMNS, SHORTEST
from mrsne.backends.gpu.entries import LANES, LIMIT, Entries, uploaded
from mrsne.matrices import matrix_of

ROWS = 4  # of P̃ that one program multiplies
ENTRIES = 32  # of a row that it reads at a time
BLOCK = 64  # rows of a run whose products are summed at a time


class DeviceMatrix(Entries):
    """A square matrix in the memory of a GPU; see :class:`mrsne.backends.base.Matrix`."""

    @classmethod
    def of(cls, P: sparse.csr_matrix | DeviceMatrix, device: str) -> DeviceMatrix:
        """Copy a matrix with float32 values to a device; one that is there already is returned unchanged."""
        if isinstance(P, DeviceMatrix):
            return P
        indptr, indices, values = uploaded(P, device)
        return cls(indptr, indices, values.float())

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.indptr) - 1, len(self.indptr) - 1

    def row_lengths(self) -> Int64:
        return self.lengths.cpu().numpy()

    def row_sums(self) -> Float64:
        return torch.segment_reduce(self.values.double(), "sum", offsets=self.indptr).cpu().numpy()

    def digest(self) -> str:
        whole = hashlib.blake2b(digest_size=16)
        for array in (self.indptr, self.indices, self.values):
            whole.update(array.cpu().numpy().data)
        return whole.hexdigest()

    def to_csr(self) -> sparse.csr_matrix:
        indptr, indices, values = (array.cpu().numpy() for array in (self.indptr, self.indices, self.values))
        return matrix_of(indptr, indices, values, len(indptr) - 1)

    def rows_of(self, items: Int64) -> sparse.csr_matrix:
        rows = torch.from_numpy(items).to(self.device)
        found = DeviceMatrix.with_room(self.lengths[rows])
        columns = torch.arange(self.shape[1], dtype=torch.int32, device=self.device)
        self.copy_rows(rows, columns, 1.0, found.indptr[:-1], found)
        indptr, indices, values = (array.cpu().numpy() for array in (found.indptr, found.indices, found.values))
        return sparse.csr_matrix((values, indices, indptr), shape=(len(items), self.shape[1]))

    def components(self) -> tuple[Int64, Int64]:

        def lowest_around(labels: Tensor) -> Tensor:
            lowest = torch.empty_like(labels)
            _lowest[(len(labels),)](self.indptr, self.indices, labels, lowest, LANES=LANES, num_warps=1)
            return lowest

        def scatter_minimum(labels: Tensor, values: Tensor) -> Tensor:
            return labels.scatter_reduce(0, labels, values, "amin")

        numbers = torch.arange(self.shape[0], device=self.device)
        labels = propagated_labels(numbers, lowest_around, scatter_minimum, torch)
        labels, order = labels.sort(stable=True)
        _, counts = torch.unique_consecutive(labels, return_counts=True)
        starts = np.concatenate([[0], np.cumsum(counts.cpu().numpy())])
        return order.cpu().numpy(), starts.astype(np.int64)

    def operator(self, items: Int64, starts: Int64) -> DeviceOperator:
        whole = len(items) == self.shape[0] and bool((items[1:] > items[:-1]).all())  # in the order of the rows
        return DeviceOperator(self if whole else self.restricted_to(items), starts)

    def subgraph(self, items: Int64) -> sparse.csr_matrix:
        return self.restricted_to(items).to_csr()

    def restricted_to(self, items: Int64) -> DeviceMatrix:
        """Return the rows and columns of some items; entries in other columns become zero."""
        return self.reordered(torch.from_numpy(items).to(self.device))

    def without_zeros(self) -> DeviceMatrix:
        """Drop entries that are zero or subnormal, as :func:`mrsne.backends.cpu.matrix.without_zeros` does."""
        tiny = float(np.finfo(np.float32).tiny)
        if not self.values.numel() or float(self.values.min()) >= tiny:
            return self
        kept = torch.nonzero(~(self.values < tiny)).squeeze(1)
        return DeviceMatrix(torch.searchsorted(kept, self.indptr), self.indices[kept], self.values[kept])


class DeviceOperator:
    """The operator of a graph on a device, component by component; see :class:`mrsne.backends.base.Operator`."""

    def __init__(self, P: Entries, starts: Int64) -> None:
        n = len(P.indptr) - 1
        self.P, self.device = P, P.device
        begins, ends, self.first_runs = cut_into_runs(starts)
        self.begins, self.ends = (torch.from_numpy(edges).to(self.device) for edges in (begins, ends))
        self.component = torch.from_numpy(np.repeat(np.arange(len(starts) - 1), np.diff(starts))).to(self.device)
        ones = torch.zeros((n, COLUMNS), dtype=torch.float32, device=self.device)
        ones[:, 0] = 1
        self.inverse_root = torch.ones(n, dtype=torch.float32, device=self.device)
        degree = self.recurrence(np.tile([1.0, 0.0, 0.0], (len(starts) - 1, 1)), ones, ones)[:, 0]
        self.root = degree.double().sqrt()
        self.inverse_root = (1 / self.root).float()
        self.trivial = torch.zeros((n, COLUMNS), dtype=torch.float64, device=self.device)  # its part may be the largest
        sums = np.add.reduceat(degree.double().cpu().numpy(), starts[:-1])
        self.trivial[:, 0] = self.root / self._spread(sums).sqrt()

    def _spread(self, values: Float64) -> Tensor:
        """Return the value of its component for every row."""
        return torch.from_numpy(values).to(self.device)[self.component]

    def start(self, width: int, random: np.random.RandomState) -> Tensor:
        """Return random vectors; as many columns as one pass multiplies."""
        source = torch.Generator(device=self.device)
        source.manual_seed(int(random.randint(2**31)))
        return torch.randn((len(self.root), COLUMNS), generator=source, dtype=torch.float32, device=self.device)

    def deflated(self, X: Tensor) -> Tensor:
        X = (X - self.trivial[:, :1] * self._spread(self.products(self.trivial, X)[:, 0])).float()
        lengths = np.sqrt(np.diagonal(self.products(X, X), axis1=1, axis2=2))
        return (X / self._spread(np.maximum(lengths, SHORTEST))).float()

    def recurrence(self, coefficients: Float64, X: Tensor, before: Tensor) -> Tensor:
        result = torch.empty_like(X)
        table = torch.from_numpy(coefficients.astype(np.float32)).to(X.device)
        scaled = X * self.inverse_root[:, None]
        entries = (self.P.indices, self.P.values)
        graph = (self.P.indptr, *entries, self.inverse_root, self.component)
        sizes = {"COLUMNS": COLUMNS, "ROWS": ROWS, "LANES": ENTRIES}
        programs = (triton.cdiv(len(X), ROWS),)
        _multiply[programs](*graph, table, scaled, X, before, result, len(X), LIMIT=LIMIT, **sizes, num_warps=1)
        if (long := self.P.long_rows) is not None:
            parts = torch.empty((len(long), COLUMNS), dtype=torch.float32, device=X.device)
            segments = (long.first, long.last, *entries, scaled, parts)
            _add_segments[(triton.cdiv(len(long), ROWS),)](*segments, len(long), **sizes, num_warps=1)
            factor = table[self.component[long.rows], 0] * self.inverse_root[long.rows]
            result[long.rows] += factor[:, None] * long.totals(parts)
        return result

    def products(self, X: Tensor, Z: Tensor) -> Float64:
        parts = torch.empty((len(self.begins), COLUMNS, COLUMNS), dtype=torch.float64, device=X.device)
        _products[(len(parts),)](X, Z, self.begins, self.ends, parts, COLUMNS=COLUMNS, BLOCK=BLOCK)
        return np.add.reduceat(parts.cpu().numpy(), self.first_runs)

    def combined(self, X: Tensor, coefficients: Float64) -> Tensor:
        tables = torch.from_numpy(coefficients.astype(np.float32)).to(X.device)
        result = torch.empty_like(X)
        for b in range(COLUMNS):
            result[:, b] = (X * tables[:, :, b][self.component]).sum(dim=1)
        return result

    def gather(self, X: Tensor, count: int) -> Float64:
        return (X[:, :count].double() / self.root[:, None]).cpu().numpy()


@triton.jit
def _lowest(indptr, indices, labels, lowest, LANES: tl.constexpr):
    """Find the lowest label among a row's own and its neighbours'."""
    row = tl.program_id(0)
    first, last = tl.load(indptr + row), tl.load(indptr + row + 1)
    best = tl.zeros((LANES,), tl.int64) + tl.load(labels + row)
    while first < last:
        at = first + tl.arange(0, LANES)
        j = tl.load(indices + at, mask=at < last, other=0)
        best = tl.minimum(best, tl.load(labels + j, mask=at < last, other=9223372036854775807))
        first += LANES
    tl.store(lowest + row, tl.min(best, 0))


@triton.jit
def _sums(first, count, indices, values, scaled, COLUMNS: tl.constexpr, ROWS: tl.constexpr, LANES: tl.constexpr):
    """Return Σ p x_j over ``count`` entries from the first on, for each of the rows."""
    lanes = tl.arange(0, LANES)
    columns = tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, LANES, COLUMNS), tl.float32)
    longest = tl.max(count, 0)
    start = 0
    while start < longest:
        inside = (start + lanes)[None, :] < count[:, None]
        at = first[:, None] + start + lanes[None, :]
        j = tl.load(indices + at, mask=inside, other=0).to(tl.int64)
        p = tl.load(values + at, mask=inside, other=0.0)
        x = tl.load(scaled + (j * COLUMNS)[:, :, None] + columns[None, None, :], mask=inside[:, :, None], other=0.0)
        total += p[:, :, None] * x
        start += LANES
    return tl.sum(total, 1)


@triton.jit
def _add_segments(
    begin, end, indices, values, scaled, parts, n, COLUMNS: tl.constexpr, ROWS: tl.constexpr, LANES: tl.constexpr
):
    slots = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    here = slots < n
    first = tl.load(begin + slots, mask=here, other=0)
    count = (tl.load(end + slots, mask=here, other=0) - first).to(tl.int32)
    total = _sums(first, count, indices, values, scaled, COLUMNS, ROWS, LANES)
    place = (slots * COLUMNS)[:, None] + tl.arange(0, COLUMNS)[None, :]
    tl.store(parts + place, total, mask=here[:, None])


@triton.jit
def _multiply(
    indptr, indices, values, inverse_root, component, table, scaled, X, before, result, n,
    LIMIT: tl.constexpr, COLUMNS: tl.constexpr, ROWS: tl.constexpr, LANES: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    here = rows < n
    first = tl.load(indptr + rows, mask=here, other=0)
    count = (tl.load(indptr + rows + 1, mask=here, other=0) - first).to(tl.int32)
    count = tl.minimum(count, LIMIT)
    columns = tl.arange(0, COLUMNS)
    total = _sums(first, count, indices, values, scaled, COLUMNS, ROWS, LANES)
    group = tl.load(component + rows, mask=here, other=0)
    a = tl.load(table + 3 * group, mask=here, other=0.0) * tl.load(inverse_root + rows, mask=here, other=0.0)
    b = tl.load(table + 3 * group + 1, mask=here, other=0.0)
    c = tl.load(table + 3 * group + 2, mask=here, other=0.0)
    place = (rows * COLUMNS)[:, None] + columns[None, :]
    x = tl.load(X + place, mask=here[:, None], other=0.0)
    old = tl.load(before + place, mask=here[:, None], other=0.0)
    new = a[:, None] * total + b[:, None] * x + c[:, None] * old
    tl.store(result + place, new, mask=here[:, None])


@triton.jit
def _products(A, B, begins, ends, parts, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    """Sum the products of all pairs of columns over the rows of a run."""
    run = tl.program_id(0)
    begin, end = tl.load(begins + run), tl.load(ends + run)
    columns = tl.arange(0, COLUMNS)
    total = tl.zeros((BLOCK, COLUMNS, COLUMNS), tl.float64)
    while begin < end:
        rows = begin + tl.arange(0, BLOCK)
        place = (rows * COLUMNS)[:, None] + columns[None, :]
        inside = (rows < end)[:, None] & (columns >= 0)[None, :]
        a = tl.load(A + place, mask=inside, other=0.0).to(tl.float64)
        b = tl.load(B + place, mask=inside, other=0.0).to(tl.float64)
        total += a[:, :, None] * b[:, None, :]
        begin += BLOCK
    place = run * COLUMNS * COLUMNS + columns[:, None] * COLUMNS + columns[None, :]
    tl.store(parts + place, tl.sum(total, 0))
