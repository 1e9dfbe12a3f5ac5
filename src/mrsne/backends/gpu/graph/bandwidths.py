"""Distances into a stochastic neighbour graph on a GPU; see :mod:`mrsne.backends.cpu.graph.bandwidths`."""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl

from mrsne.backends.cpu.graph.bandwidths import (
    ALL_PAIRS_UP_TO,
    ENTROPY_TOLERANCE,
    FIRST_GUESS,
    LONGEST_STEP,
    MOST_PAIRS,
    MOST_STEPS,
)
from mrsne.backends.cpu.graph.bandwidths import neighbor_graph as graph_on_the_processor
from mrsne.backends.gpu.graph.symmetry import symmetrized
from mrsne.backends.gpu.matrix.matrix import DeviceMatrix
from mrsne.backends.gpu.search.neighbors import nearest_neighbors
from mrsne.backends.rows import Rows

ROWS = 128  # that one program works on


def neighbor_graph(
    rows: Rows, perplexity: float, *, neighbors: str, affinity: str, n_jobs: int | None, device: str
) -> tuple[DeviceMatrix, float]:
    """Compute the stochastic neighbour graph of one set of vectors, as on the processor, and the recall.

    Graphs of all pairs, which are small, are made on the processor.
    """
    n = len(rows)
    exactly = neighbors == "exact"
    if affinity == "uniform":
        k = min(n - 1, max(1, round(perplexity)))
        indices, _, recall = nearest_neighbors(rows, k, device, exactly=exactly, n_jobs=n_jobs)
        probabilities = torch.full((n, k), 1 / k, dtype=torch.float32, device=device)
    elif neighbors != "approximate" and n <= (MOST_PAIRS if exactly else ALL_PAIRS_UP_TO):
        settings = {"neighbors": neighbors, "affinity": affinity}
        graph, recall = graph_on_the_processor(rows, perplexity, **settings, n_jobs=n_jobs)
        return DeviceMatrix.of(graph, device), recall
    else:
        k = min(n - 1, max(1, math.ceil(3 * perplexity)))
        indices, squared, recall = nearest_neighbors(rows, k, device, exactly=exactly, n_jobs=n_jobs)
        probabilities = neighbor_probabilities(squared, perplexity)
        del squared
    return symmetrized(indices, probabilities), recall


def neighbor_probabilities(squared: torch.Tensor, perplexity: float) -> torch.Tensor:
    """Turn squared distances to neighbours into probabilities of the given perplexity, each row summing to 1."""
    n, k = squared.shape
    columns = squared.T.contiguous()
    probabilities = torch.empty((k, n), dtype=torch.float32, device=squared.device)
    goal = math.log(perplexity) if perplexity > 1 else math.inf
    wanted = torch.tensor([min(goal, math.log(k))], dtype=torch.float64, device=squared.device)
    limits = {"GUESS": FIRST_GUESS, "LONGEST": LONGEST_STEP, "STEPS": MOST_STEPS, "TOLERANCE": ENTROPY_TOLERANCE}
    _conditional_probabilities[(triton.cdiv(n, ROWS),)](columns, wanted, probabilities, n, k, **limits, ROWS=ROWS)
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
