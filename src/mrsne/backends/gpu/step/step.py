"""One step of the descent on a GPU; see :mod:`mrsne.backends.cpu.step`."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from mrsne.backends.base import FARTHEST, LONGEST_STEP, SMALLEST_GAIN

POINTS = 256  # that one program works on


@triton.jit
def _take_step(
    Y, velocity, gains, attractive, repulsive, Z, settings, parts, n,
    SCALE: tl.constexpr, LONGEST: tl.constexpr, SMALLEST: tl.constexpr, FARTHEST: tl.constexpr, POINTS: tl.constexpr,
):  # fmt: skip
    """Move every item against its gradient; ``parts`` receives the squared gradient and the bounds of each run."""
    i = tl.program_id(0) * POINTS + tl.arange(0, POINTS)
    here = i < n
    exaggeration, rate = tl.load(settings), tl.load(settings + 1)
    momentum, adaptive = tl.load(settings + 2), tl.load(settings + 3) > 0
    inverse_Z = (SCALE / tl.load(Z)).to(tl.float32)
    squares = tl.zeros((POINTS,), tl.float64)
    length = tl.zeros((POINTS,), tl.float64)
    for k in tl.static_range(2):
        at = 2 * i + k
        pull = tl.load(attractive + at, mask=here, other=0.0)
        push = tl.load(repulsive + at, mask=here, other=0.0)
        g = 4.0 * (exaggeration * pull - push * inverse_Z)
        squares += (g * g).to(tl.float64)
        v = tl.load(velocity + at, mask=here, other=0.0)
        gain = tl.load(gains + at, mask=here, other=0.0)
        along = tl.where(v > 0, g > 0, (v < 0) & (g <= 0))
        raised = tl.where(along, gain * 0.8 + SMALLEST, gain + 0.2)
        gain = tl.where(adaptive, raised, gain)
        v = momentum * v - tl.where(adaptive, rate * gain, rate) * g
        length += v.to(tl.float64) * v.to(tl.float64)
        tl.store(gains + at, gain, mask=here)
        tl.store(velocity + at, v, mask=here)
    shrink = tl.where(length > LONGEST * LONGEST, LONGEST / tl.sqrt(length), 1.0)
    shrink = tl.where(adaptive, shrink, 1.0)
    far = tl.zeros((POINTS,), tl.int32)
    for k in tl.static_range(2):
        at = 2 * i + k
        v = (tl.load(velocity + at, mask=here, other=0.0) * shrink).to(tl.float32)
        moved = tl.load(Y + at, mask=here, other=0.0) + v
        tl.store(velocity + at, v, mask=here)
        tl.store(Y + at, moved, mask=here)
        far += tl.where(tl.abs(moved) < FARTHEST, 0, 1)  # NaN is far too
        low = tl.min(tl.where(here, moved, float("inf")), 0)
        high = tl.max(tl.where(here, moved, float("-inf")), 0)
        tl.store(parts + 5 * tl.program_id(0) + 1 + k, low.to(tl.float64))
        tl.store(parts + 5 * tl.program_id(0) + 3 + k, high.to(tl.float64))
    total = tl.where(tl.max(tl.where(here, far, 0), 0) > 0, float("inf"), tl.sum(tl.where(here, squares, 0.0), 0))
    tl.store(parts + 5 * tl.program_id(0), total)


def take_step(
    Y: torch.Tensor,
    velocity: torch.Tensor,
    gains: torch.Tensor,
    attractive: torch.Tensor,
    repulsive: torch.Tensor,
    Z: torch.Tensor,
    scale: float,
    settings: torch.Tensor,
    parts: torch.Tensor,
    report: torch.Tensor,
) -> None:
    """Do a step in place.

    ``scale`` times ``repulsive`` is the repulsive force. ``settings`` are exaggeration, learning rate, momentum and
    whether steps are adaptive; ``report`` receives the squared norm of the gradient, and the bounds of the map.
    """
    _take_step[(len(parts),)](
        Y, velocity, gains, attractive, repulsive, Z, settings, parts, len(Y),
        SCALE=scale, LONGEST=LONGEST_STEP, SMALLEST=SMALLEST_GAIN, FARTHEST=FARTHEST, POINTS=POINTS,
    )  # fmt: skip
    report[0] = parts[:, 0].sum()
    torch.amin(parts[:, 1:3], dim=0, out=report[1:3])
    torch.amax(parts[:, 3:5], dim=0, out=report[3:5])
