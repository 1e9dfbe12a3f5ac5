"""D^-½ P D^-½ of a graph on a GPU; see :mod:`mrsne.backends.base` for what it is asked for.

Products of vectors come back, a few numbers for each component.
"""

from __future__ import annotations

import numpy as np
import torch
import triton
import triton.language as tl
from numpy.typing import NDArray

from mrsne.backends.components import cut_into_runs
from mrsne.backends.cpu.operator import COLUMNS, SHORTEST
from mrsne.backends.gpu.matrix.long_rows import LIMIT, LongRows

ROWS = 4  # of P̃ that one program works on
LANES = 32  # entries of a row that it reads at a time
BLOCK = 64


class Runs:
    """Rows component by component, cut into runs, over which sums are taken."""

    def __init__(self, starts: NDArray[np.int64], device: torch.device) -> None:
        begins, ends, self.of = cut_into_runs(starts)
        self.begins, self.ends = (torch.from_numpy(edges).to(device) for edges in (begins, ends))
        self.component = torch.from_numpy(np.repeat(np.arange(len(starts) - 1), np.diff(starts))).to(device)

    def products(self, A: torch.Tensor, B: torch.Tensor) -> NDArray[np.float64]:
        """Return Aᵀ B of the rows of each component, in double precision."""
        parts = torch.empty((len(self.begins), COLUMNS, COLUMNS), dtype=torch.float64, device=A.device)
        _products[(len(parts),)](A, B, self.begins, self.ends, parts, COLUMNS=COLUMNS, BLOCK=BLOCK)
        return np.add.reduceat(parts.cpu().numpy(), self.of)

    def spread(self, values: NDArray[np.float64]) -> torch.Tensor:
        """Return the value of its component for every row."""
        return torch.from_numpy(values).to(self.component.device)[self.component]


class DeviceOperator:
    """The operator of a graph on a device, its items component by component.

    Parameters
    ----------
    indptr, indices, values : torch.Tensor
        The entries of P, row by row.
    starts : array
        Where each component starts, and where the last one ends.
    long : LongRows, optional
        Those of the matrix, where it has any.
    """

    def __init__(
        self,
        indptr: torch.Tensor,
        indices: torch.Tensor,
        values: torch.Tensor,
        starts: NDArray[np.int64],
        long: LongRows | None = None,
    ) -> None:
        n, device = len(indptr) - 1, indptr.device
        self.long = long
        self.entries, self.runs = (indptr, indices, values), Runs(starts, device)
        ones = torch.zeros((n, COLUMNS), dtype=torch.float32, device=device)
        ones[:, 0] = 1
        self.inverse_root = torch.ones(n, dtype=torch.float32, device=device)
        degree = self.recurrence(np.tile([1.0, 0.0, 0.0], (len(starts) - 1, 1)), ones, ones)[:, 0]
        self.root = degree.double().sqrt()
        self.inverse_root = (1 / self.root).float()
        self.trivial = torch.zeros((n, COLUMNS), dtype=torch.float64, device=device)  # its part may be the largest
        sums = np.add.reduceat(degree.double().cpu().numpy(), starts[:-1])
        self.trivial[:, 0] = self.root / self.runs.spread(sums).sqrt()

    def start(self, width: int, random: np.random.RandomState) -> torch.Tensor:
        """Return random vectors; as many columns as one pass multiplies."""
        device = self.root.device
        source = torch.Generator(device=device)
        source.manual_seed(int(random.randint(2**31)))
        return torch.randn((len(self.root), COLUMNS), generator=source, dtype=torch.float32, device=device)

    def deflated(self, X: torch.Tensor) -> torch.Tensor:
        """Return X without its part along the known eigenvector, its columns of length 1, in each component."""
        X = (X - self.trivial[:, :1] * self.runs.spread(self.products(self.trivial, X)[:, 0])).float()
        lengths = np.sqrt(np.diagonal(self.products(X, X), axis1=1, axis2=2))
        return (X / self.runs.spread(np.maximum(lengths, SHORTEST))).float()

    def recurrence(self, coefficients: NDArray[np.float64], X: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        """Return a A X + b X + c Z for vectors Z = ``before``."""
        result = torch.empty_like(X)
        table = torch.from_numpy(coefficients.astype(np.float32)).to(X.device)
        scaled = X * self.inverse_root[:, None]
        graph = (*self.entries, self.inverse_root, self.runs.component)
        programs = (triton.cdiv(len(X), ROWS),)
        sizes = {"COLUMNS": COLUMNS, "ROWS": ROWS, "LANES": LANES}
        _multiply[programs](*graph, table, scaled, X, before, result, len(X), LIMIT=LIMIT, **sizes, num_warps=1)
        if (long := self.long) is not None:
            parts = torch.empty((len(long), COLUMNS), dtype=torch.float32, device=X.device)
            segments = (long.first, long.last, *self.entries[1:])
            _add_segments[(triton.cdiv(len(long), ROWS),)](*segments, scaled, parts, len(long), **sizes, num_warps=1)
            factor = table[self.runs.component[long.rows], 0] * self.inverse_root[long.rows]
            result[long.rows] += factor[:, None] * long.totals(parts)
        return result

    def products(self, X: torch.Tensor, Z: torch.Tensor) -> NDArray[np.float64]:
        """Return Xᵀ Z of each component, in double precision."""
        return self.runs.products(X, Z)

    def combined(self, X: torch.Tensor, coefficients: NDArray[np.float64]) -> torch.Tensor:
        """Return X C with the matrix C of each component."""
        tables = torch.from_numpy(coefficients.astype(np.float32)).to(X.device)
        result = torch.empty_like(X)
        for b in range(COLUMNS):
            result[:, b] = (X * tables[:, :, b][self.runs.component]).sum(dim=1)
        return result

    def gather(self, X: torch.Tensor, count: int) -> NDArray[np.float64]:
        """Return the first columns of D^-½ X."""
        return (X[:, :count].double() / self.root[:, None]).cpu().numpy()


@triton.jit
def _sums(first, count, indices, values, scaled, COLUMNS: tl.constexpr, ROWS: tl.constexpr, LANES: tl.constexpr):
    """Return Σ p x_j over so many entries from the first on, for each of some rows."""
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
