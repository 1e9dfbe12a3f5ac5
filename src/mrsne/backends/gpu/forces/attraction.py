"""The pull of P̃ on a GPU; see :mod:`mrsne.backends.cpu.attraction`."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from mrsne.backends.gpu.kernel import falloff, negative_log
from mrsne.backends.gpu.matrix.long_rows import LIMIT, LongRows
from mrsne.backends.gpu.matrix.matrix import DeviceMatrix

ROWS = 4  # of P̃ that one program works on
LANES = 32  # entries of a row that it reads at a time
WARPS = 1


@triton.jit
def _both(word):
    """Return both coordinates of an item from one 64-bit word: fetching from scattered places takes the time."""
    x = (word & 0xFFFFFFFF).to(tl.int32).to(tl.float32, bitcast=True)
    return x, (word >> 32).to(tl.int32).to(tl.float32, bitcast=True)


@triton.jit
def _attract(
    begin, end, owner, indices, values, words, force, sums, n,
    SEGMENTS: tl.constexpr, LIMIT: tl.constexpr, ROWS: tl.constexpr, LANES: tl.constexpr, ENTROPY: tl.constexpr,
):  # fmt: skip
    """Sum p̃_ij (y_i − y_j) / (1 + ‖y_i − y_j‖²) over the entries of each row, or p̃_ij log(1 + ‖y_i − y_j‖²).

    Over the first entries of a row if it is a long one, or over each segment of what these leave.
    """
    slots = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    here = slots < n
    first = tl.load(begin + slots, mask=here, other=0)
    count = (tl.load(end + slots, mask=here, other=0) - first).to(tl.int32)
    if SEGMENTS:
        rows = tl.load(owner + slots, mask=here, other=0)
    else:
        rows = slots
        count = tl.minimum(count, LIMIT)
    x, y = _both(tl.load(words + rows, mask=here, other=0))
    lanes = tl.arange(0, LANES)
    fx = tl.zeros((ROWS, LANES), tl.float32)
    fy = tl.zeros((ROWS, LANES), tl.float32)
    total = tl.zeros((ROWS, LANES), tl.float64)
    longest = tl.max(count, 0)
    start = 0
    while start < longest:
        inside = (start + lanes)[None, :] < count[:, None]
        at = first[:, None] + start + lanes[None, :]
        j = tl.load(indices + at, mask=inside, other=0, eviction_policy="evict_first")
        p = tl.load(values + at, mask=inside, other=0.0, eviction_policy="evict_first")
        xj, yj = _both(tl.load(words + j, mask=inside, other=0, eviction_policy="evict_last"))
        dx, dy = x[:, None] - xj, y[:, None] - yj
        if ENTROPY:
            dx64, dy64 = dx.to(tl.float64), dy.to(tl.float64)
            total += tl.where(inside, p.to(tl.float64) * negative_log(dx64 * dx64 + dy64 * dy64), 0.0)
        else:
            pull = p * falloff(dx * dx + dy * dy)
            fx += tl.where(inside, pull * dx, 0.0)
            fy += tl.where(inside, pull * dy, 0.0)
        start += LANES
    if ENTROPY:
        tl.store(sums + tl.program_id(0), tl.sum(tl.sum(total, 1), 0))
    else:
        tl.store(force + 2 * slots, tl.sum(fx, 1), mask=here)
        tl.store(force + 2 * slots + 1, tl.sum(fy, 1), mask=here)


def attract(P: DeviceMatrix, Y: torch.Tensor, force: torch.Tensor) -> None:
    """Compute F_i = Σ_j p̃_ij (y_i − y_j) / (1 + ‖y_i − y_j‖²), the attraction, in units of the kernel."""
    _launch(P, Y, force, force, False)
    if (long := P.long_rows) is not None:
        parts = torch.empty((len(long), 2), dtype=torch.float32, device=Y.device)
        _launch(P, Y, parts, parts, False, long)
        force[long.rows] += long.totals(parts)


def cross_entropy(P: DeviceMatrix, Y: torch.Tensor) -> torch.Tensor:
    """Return Σ_ij p̃_ij log(1 + ‖y_i − y_j‖²), in double precision."""
    sums = torch.empty(triton.cdiv(len(Y), ROWS), dtype=torch.float64, device=Y.device)
    _launch(P, Y, Y, sums, True)
    total = sums.sum()
    if (long := P.long_rows) is not None:
        sums = torch.empty(triton.cdiv(len(long), ROWS), dtype=torch.float64, device=Y.device)
        _launch(P, Y, Y, sums, True, long)
        total += sums.sum()
    return total


def _launch(
    P: DeviceMatrix, Y: torch.Tensor, force: Any, sums: Any, entropy: bool, long: LongRows | None = None
) -> None:
    edges = (P.indptr, P.indptr[1:], P.indptr) if long is None else (long.first, long.last, long.owner)
    count = len(Y) if long is None else len(long)
    blocks = {"ROWS": ROWS, "LANES": LANES, "LIMIT": LIMIT, "num_warps": WARPS}
    _attract[(triton.cdiv(count, ROWS),)](
        *edges, P.indices, P.values, Y.view(torch.int64), force, sums, count,
        SEGMENTS=long is not None, ENTROPY=entropy, **blocks,
    )  # fmt: skip
