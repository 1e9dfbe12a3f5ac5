"""The slowest waves of many graphs at once, on a GPU; see :mod:`mrsne.backends.cpu.matrix.eigenvectors`.

Small matrices, a few for each component, are turned on the processor.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch
import triton
import triton.language as tl
from numpy.typing import NDArray

from mrsne.backends.cpu.matrix.eigenvectors import COLUMNS, FASTEST, LARGE_FROM, MORE_DEGREES, SLOWEST
from mrsne.backends.cpu.matrix.eigenvectors import DEGREES as FEWER_DEGREES
from mrsne.backends.gpu.matrix.matrix import DeviceMatrix

ROWS = 4  # of P̃ that one program works on
LANES = 32  # entries of a row that it reads at a time
RUN = 4096  # rows that one program sums over
BLOCK = 64


class Runs:
    """Rows component by component, cut into runs, over which sums are taken."""

    def __init__(self, starts: NDArray[np.int64], device: torch.device) -> None:
        pieces = [np.arange(first, last, RUN) for first, last in pairwise(starts)]
        self.of = np.cumsum([0, *map(len, pieces)])[:-1]  # the first run of each component
        begins = np.concatenate(pieces)
        ends = np.minimum(begins + RUN, np.repeat(starts[1:], list(map(len, pieces))))
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


def slowest_waves(
    P: DeviceMatrix, starts: NDArray[np.int64], count: int, random: np.random.RandomState
) -> NDArray[np.float64]:
    """Return, for each component, the eigenvectors of D⁻¹P for its largest eigenvalues below 1; at most two."""
    n, device = P.shape[0], P.device
    runs = Runs(starts, device)
    ones = torch.zeros((n, COLUMNS), dtype=torch.float32, device=device)
    ones[:, 0] = 1
    plain = np.array([[1.0, 0.0, 0.0]])
    no_root = torch.ones(n, dtype=torch.float32, device=device)
    degree = step(P, no_root, runs, np.repeat(plain, len(starts) - 1, axis=0), ones, ones)[:, 0]
    root = degree.double().sqrt()
    inverse_root = (1 / root).float()
    still = torch.zeros((n, COLUMNS), dtype=torch.float32, device=device)  # the wave that does not move
    still[:, 0] = root / runs.spread(np.add.reduceat(degree.double().cpu().numpy(), starts[:-1])).sqrt()
    source = torch.Generator(device=device)
    source.manual_seed(int(random.randint(2**31)))
    X = torch.randn((n, COLUMNS), generator=source, dtype=torch.float32, device=device)
    for polynomial in MORE_DEGREES if n < LARGE_FROM else FEWER_DEGREES:
        X, slowness = _turned(P, inverse_root, still, runs, X)
        X = _filtered(P, inverse_root, runs, np.clip(slowness[:, -1], FASTEST, SLOWEST), polynomial, X)
    X, _ = _turned(P, inverse_root, still, runs, X)
    return (X[:, :count].double() / root[:, None]).cpu().numpy()


def _turned(
    P: DeviceMatrix, inverse_root: torch.Tensor, still: torch.Tensor, runs: Runs, X: torch.Tensor
) -> tuple[torch.Tensor, NDArray[np.float64]]:
    """Return orthonormal vectors that span the same as X in each component, the slowest first, and their eigenvalues.

    The still wave is taken out.
    """
    X = (X - still[:, :1] * runs.spread(runs.products(still, X)[:, 0])).float()
    lengths = np.sqrt(np.diagonal(runs.products(X, X), axis1=1, axis2=2) + 1e-300)
    X = (X / runs.spread(lengths)).float()
    moved = step(P, inverse_root, runs, np.tile([1.0, 0.0, 0.0], (len(lengths), 1)), X, X)
    inner, outer = runs.products(X, X), runs.products(X, moved)
    outer = (outer + outer.transpose(0, 2, 1)) / 2
    sizes, axes = np.linalg.eigh(inner)
    axes = axes / np.sqrt(np.maximum(sizes, 1e-6 * sizes[:, -1:]))[:, None, :]  # directions that coincide stay short
    slowness, turn = np.linalg.eigh(axes.transpose(0, 2, 1) @ outer @ axes)
    turns = torch.from_numpy((axes @ turn)[:, :, ::-1].astype(np.float32)).to(X.device)
    result = torch.empty_like(X)
    for b in range(COLUMNS):
        result[:, b] = (X * turns[:, :, b][runs.component]).sum(dim=1)
    return result, slowness[:, ::-1]


def _filtered(
    P: DeviceMatrix, inverse_root: torch.Tensor, runs: Runs, end: NDArray[np.float64], degree: int, X: torch.Tensor
) -> torch.Tensor:
    """Multiply with the Chebyshev polynomial that is at most 1 on eigenvalues from -1 to ``end`` and large above."""
    centre, half = (end - 1) / 2, (end + 1) / 2
    sigma = first_sigma = half / (1 - centre)
    zero = np.zeros_like(end)
    before, now = X, step(P, inverse_root, runs, np.stack([sigma / half, -centre * sigma / half, zero], 1), X, X)
    for _ in range(degree - 1):
        following = 1 / (2 / first_sigma - sigma)
        scale = 2 * following / half
        coefficients = np.stack([scale, -centre * scale, -sigma * following], 1)
        before, now = now, step(P, inverse_root, runs, coefficients, now, before)
        sigma = following
    return now


def step(
    P: DeviceMatrix,
    inverse_root: torch.Tensor,
    runs: Runs,
    coefficients: NDArray[np.float64],
    X: torch.Tensor,
    before: torch.Tensor,
) -> torch.Tensor:
    """Return a · D^-½ P D^-½ X + b · X + c · before, with a, b and c of each component."""
    n = P.shape[0]
    result = torch.empty_like(X)
    table = torch.from_numpy(coefficients.astype(np.float32)).to(X.device)
    scaled = X * inverse_root[:, None]
    given = (P.indptr, P.indices, P.values, inverse_root, runs.component, table, scaled, X, before, result, n)
    _step[(triton.cdiv(n, ROWS),)](*given, COLUMNS=COLUMNS, ROWS=ROWS, LANES=LANES, num_warps=1)
    return result


@triton.jit
def _step(
    indptr, indices, values, inverse_root, component, table, scaled, X, before, result, n,
    COLUMNS: tl.constexpr, ROWS: tl.constexpr, LANES: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    here = rows < n
    first = tl.load(indptr + rows, mask=here, other=0)
    count = (tl.load(indptr + rows + 1, mask=here, other=0) - first).to(tl.int32)
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
    group = tl.load(component + rows, mask=here, other=0)
    a = tl.load(table + 3 * group, mask=here, other=0.0) * tl.load(inverse_root + rows, mask=here, other=0.0)
    b = tl.load(table + 3 * group + 1, mask=here, other=0.0)
    c = tl.load(table + 3 * group + 2, mask=here, other=0.0)
    place = (rows * COLUMNS)[:, None] + columns[None, :]
    x = tl.load(X + place, mask=here[:, None], other=0.0)
    old = tl.load(before + place, mask=here[:, None], other=0.0)
    new = a[:, None] * tl.sum(total, 1) + b[:, None] * x + c[:, None] * old
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
