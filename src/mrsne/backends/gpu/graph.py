"""Neighbours into the graph P^(d) on a GPU; see :mod:`mrsne.backends.cpu.probabilities`."""

import torch
import triton
import triton.language as tl
from torch import Tensor

from mrsne.backends.cpu.probabilities import ENTROPY_TOLERANCE, FIRST_GUESS, LONGEST_STEP, MOST_STEPS, entropy_of
from mrsne.backends.gpu.matrix import DeviceMatrix

ROWS = 128  # that one program works on
SORTED = 2**27  # entries that are sorted at a time
LATE = 32  # entries of others that are merged into a row at a time


def neighbor_probabilities(squared: Tensor, perplexity: float | None) -> Tensor:
    """Turn squared distances to neighbours into probabilities of the given perplexity, without one into equal ones."""
    n, k = squared.shape
    if perplexity is None:
        return torch.full((n, k), 1 / k, dtype=torch.float32, device=squared.device)
    columns = squared.T.contiguous()
    probabilities = torch.empty((k, n), dtype=torch.float32, device=squared.device)
    entropy = torch.tensor([entropy_of(perplexity, k)], dtype=torch.float64, device=squared.device)
    limits = {"GUESS": FIRST_GUESS, "LONGEST": LONGEST_STEP, "STEPS": MOST_STEPS, "TOLERANCE": ENTROPY_TOLERANCE}
    _conditional_probabilities[(triton.cdiv(n, ROWS),)](columns, entropy, probabilities, n, k, **limits, ROWS=ROWS)
    return probabilities.T.contiguous()


@triton.jit
def _conditional_probabilities(
    squared, wanted, probabilities, n, k,
    GUESS: tl.constexpr, LONGEST: tl.constexpr, STEPS: tl.constexpr, TOLERANCE: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Compute p_{j|i} ∝ exp(−b ‖x_i−x_j‖²) with b such that the entropy of row i is the wanted one, by Newton's method.

    A thread has a row for itself: threads that shared one could round its sums differently, and disagree about b.
    """
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    here = i < n
    log_perplexity = tl.load(wanted)
    nearest = tl.zeros((ROWS,), tl.float64) + float("inf")
    farthest = tl.zeros((ROWS,), tl.float64)
    c = 0
    while c < k:
        d = tl.load(squared + c * n.to(tl.int64) + i, mask=here, other=0.0).to(tl.float64)
        nearest, farthest = tl.minimum(nearest, d), tl.maximum(farthest, d)
        c += 1
    scale = farthest - nearest
    unit = tl.where(scale > 0, scale, 1.0)
    low = tl.zeros((ROWS,), tl.float64)
    high = tl.zeros((ROWS,), tl.float64) + float("inf")
    b = tl.zeros((ROWS,), tl.float64) + GUESS
    total = tl.zeros((ROWS,), tl.float64) + 1.0
    done = (scale <= 0) | (i >= n)
    step = 0
    while step < STEPS:
        total, first, second = total * 0.0, total * 0.0, total * 0.0
        c = 0
        while c < k:
            d = tl.load(squared + c * n.to(tl.int64) + i, mask=here, other=0.0).to(tl.float64)
            d = (d - nearest) / unit
            weight = tl.exp(-b * d)
            total += weight
            first += weight * d
            second += weight * d * d
            c += 1
        mean = first / total
        excess = tl.log(total) + b * mean - log_perplexity
        low = tl.where(excess > 0, b, low)
        high = tl.where(excess > 0, high, b)
        slope = tl.maximum(b * b * (second / total - mean * mean), 1e-300)
        guess = b * tl.exp(tl.minimum(tl.maximum(excess / slope, -LONGEST), LONGEST))
        middle = tl.where(high == float("inf"), 2 * low, (low + high) / 2)
        guess = tl.where((low < guess) & (guess < high), guess, middle)
        done = done | (tl.abs(excess) < TOLERANCE) | (guess > 1e30) | (high - low <= 1e-15 * guess)
        b = tl.where(done | (step == STEPS - 1), b, guess)
        step = tl.where(tl.min(done.to(tl.int32), 0) == 1, STEPS, step + 1)
    c = 0
    while c < k:
        d = tl.load(squared + c * n.to(tl.int64) + i, mask=here, other=0.0).to(tl.float64)
        p = tl.where(scale > 0, tl.exp(-b * ((d - nearest) / unit)) / total, 1.0 / k)
        tl.store(probabilities + c * n.to(tl.int64) + i, p.to(tl.float32), mask=here)
        c += 1


def symmetrized(indices: Tensor, probabilities: Tensor) -> DeviceMatrix:
    """Return (P + Pᵀ)/2n, where row i of P has k entries at ``indices[i]``; both arrays are sorted in place."""
    n, k = indices.shape
    device = indices.device
    lanes = triton.next_power_of_2(k)
    warps = min(8, max(1, lanes // 128))
    height = max(1, SORTED // k)
    for first in range(0, n, height):
        batch = slice(first, first + height)
        indices[batch], order = indices[batch].sort(dim=1)
        probabilities[batch] = probabilities[batch].gather(1, order)
    back = torch.empty((n, k), dtype=torch.float32, device=device)
    _find_counterparts[(n,)](indices, probabilities, back, k, LANES=lanes, num_warps=warps)
    late = torch.nonzero(back.flatten() < 0).squeeze(1)
    keys = (indices.flatten()[late].long() << 32) | torch.div(late, k, rounding_mode="floor")
    keys, order = keys.sort()
    late = late[order]
    late_values = probabilities.flatten()[late]
    del late, order
    starts = torch.searchsorted(keys, torch.arange(n + 1, device=device) << 32)
    late_columns = (keys & 0xFFFFFFFF).to(torch.int32)
    del keys
    indptr = starts + k * torch.arange(n + 1, device=device)
    columns = torch.empty(int(indptr[-1]), dtype=torch.int32, device=device)
    values = torch.empty(int(indptr[-1]), dtype=torch.float32, device=device)
    own, others = (indices, probabilities, back), (late_columns, late_values, starts)
    _merge[(n,)](*own, *others, indptr, columns, values, n, k, LANES=lanes, LATE=LATE, num_warps=warps)
    return DeviceMatrix(indptr, columns, values)


@triton.jit
def _find_counterparts(indices, probabilities, back, k, LANES: tl.constexpr):
    """Look up p_{i|j} for each neighbour j of i; -1 where i is not one of the neighbours of j."""
    i = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, LANES)
    inside = lanes < k
    c = 0
    while c < k:
        j = tl.load(indices + i * k + c).to(tl.int64)
        here = inside & (tl.load(indices + j * k + lanes, mask=inside, other=-1) == i)
        p = tl.load(probabilities + j * k + lanes, mask=here, other=-1.0)
        tl.store(back + i * k + c, tl.max(p, 0))
        c += 1


@triton.jit
def _merge(
    indices, probabilities, back, late_columns, late_values, starts, indptr, columns, values, n, k,
    LANES: tl.constexpr, LATE: tl.constexpr,
):  # fmt: skip
    """Merge the neighbours of each item, sorted by column, with those it is a neighbour of, which are sorted too."""
    i = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, LANES)
    inside = lanes < k
    twice = (2 * n).to(tl.float64)
    own = tl.load(indices + i * k + lanes, mask=inside, other=2147483647)
    first, last = tl.load(starts + i), tl.load(starts + i + 1)
    to = tl.load(indptr + i)
    shift = tl.zeros((LANES,), tl.int32)
    at = first
    while at < last:
        position = at + tl.arange(0, LATE)
        there = position < last
        other = tl.load(late_columns + position, mask=there, other=2147483647)
        shift += tl.sum((other[None, :] < own[:, None]).to(tl.int32), 1)
        before = tl.sum((own[:, None] < other[None, :]).to(tl.int32), 0)
        p = tl.load(late_values + position, mask=there, other=0.0).to(tl.float64) / twice
        place = to + (position - first) + before
        tl.store(columns + place, other, mask=there)
        tl.store(values + place, p.to(tl.float32), mask=there)
        at += LATE
    p = tl.load(probabilities + i * k + lanes, mask=inside, other=0.0).to(tl.float64)
    p += tl.maximum(tl.load(back + i * k + lanes, mask=inside, other=0.0), 0.0).to(tl.float64)
    tl.store(columns + to + lanes + shift, own, mask=inside)
    tl.store(values + to + lanes + shift, (p / twice).to(tl.float32), mask=inside)
