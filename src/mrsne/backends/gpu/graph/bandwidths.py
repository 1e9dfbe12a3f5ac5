"""Distances into conditional probabilities on a GPU; see :mod:`mrsne.backends.cpu.probabilities`."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from mrsne.backends.cpu.probabilities import (
    ENTROPY_TOLERANCE,
    FIRST_GUESS,
    LONGEST_STEP,
    MOST_STEPS,
    entropy_of,
)

ROWS = 128  # that one program works on


def neighbor_probabilities(squared: torch.Tensor, perplexity: float) -> torch.Tensor:
    """Turn squared distances to neighbours into probabilities of the given perplexity, each row summing to 1."""
    n, k = squared.shape
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

    Arrays are column by column, and a thread has a row for itself: threads that shared one could round its sums in
    different ways, and would then disagree about b. The entropy falls as b rises, so b stays between the largest known
    to be too small and the smallest known to be too large.
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
