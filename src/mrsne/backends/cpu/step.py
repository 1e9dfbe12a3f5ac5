"""One step of the descent on the processor."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import FARTHEST, LONGEST_STEP, SMALLEST_GAIN, Phase, State
from mrsne.backends.cpu.mesh.charges import CHUNKS
from mrsne.loops import WORTH_SHARING, inlined, kernel

Force = NDArray[np.float32]
BLOCK = 512  # items whose numbers are in the first-level cache when they are used again


@inlined
def _shorten(velocity, K):
    """Shorten the steps that are longer than the longest."""
    for i in range(velocity.shape[0] // K):
        step = velocity[i * K : (i + 1) * K]
        length = 0.0
        for k in range(K):
            length += step[k] * step[k]
        if length > LONGEST_STEP * LONGEST_STEP:
            shrink = np.float32(LONGEST_STEP / math.sqrt(length))
            for k in range(K):
                step[k] *= shrink


@kernel("f4[:,:]! f4[:,:]! f4[:,:]! f4[:,:] f4[:,:] f4 f4 f4 f4 b1 f8[:]!")
def take_step(
    start,
    stop,
    Y,
    velocity,
    gains,
    attractive,
    repulsive,
    exaggeration,
    inverse_Z,
    learning_rate,
    momentum,
    adaptive,
    squares,
):
    """Move every item against its gradient g: v ← α v − η g, y ← y + v.

    The gradient is 4 (e·F_attractive − F_repulsive / Z). An adaptive step multiplies η with a gain per coordinate,
    raised while the gradient opposes the velocity and lowered otherwise (Jacobs 1988, as in every t-SNE), and is never
    longer than 5. ``squares`` receives the squared norm of g, chunk by chunk, or infinity where items are farther out
    than can be.

    All coordinates of some items are treated alike, one after the other, which the compiler does several at a time.
    """
    n, K = Y.shape
    positions, velocities, factors = Y.reshape(n * K), velocity.reshape(n * K), gains.reshape(n * K)
    pulls, pushes = attractive.reshape(n * K), repulsive.reshape(n * K)
    surely_short = np.float32(0.99 * LONGEST_STEP * LONGEST_STEP / K)  # of each coordinate, squared
    for chunk in range(start, stop):
        total, outside = 0.0, np.int32(0)
        end = (chunk + 1) * n // CHUNKS * K
        for first in range(chunk * n // CHUNKS * K, end, BLOCK * K):
            block = slice(first, min(first + BLOCK * K, end))
            y, v, gain, a, r = positions[block], velocities[block], factors[block], pulls[block], pushes[block]
            long = np.int32(0)  # coordinates of steps that may be too long
            for j in range(y.shape[0]):
                g = np.float32(4) * (exaggeration * a[j] - r[j] * inverse_Z)
                total += g * g
                rate = learning_rate
                if adaptive:
                    raised = gain[j] + np.float32(0.2)
                    lowered = gain[j] * np.float32(0.8) + np.float32(SMALLEST_GAIN)
                    against = ((v[j] > 0) != (g > 0)) | (v[j] == 0)
                    gain[j] = raised if against else lowered
                    rate = learning_rate * gain[j]
                v[j] = momentum * v[j] - rate * g
                long += np.int32(not v[j] * v[j] <= surely_short)
            if adaptive and long > 0:
                _shorten(v, K)
            for j in range(y.shape[0]):
                y[j] += v[j]
                outside += np.int32(not abs(y[j]) < np.float32(FARTHEST))
        squares[chunk] = total if outside == 0 else np.inf


def move_by_forces(state: State, phase: Phase, attractive: Force, repulsive: Force, Z: float) -> float:
    """Move all items by the two forces on them; return the norm of the gradient, infinite where the map diverged."""
    return _move(state, phase, (attractive, repulsive), phase.exaggeration, 1 / Z if Z > 0 else math.nan)


def move_along(state: State, phase: Phase, quarter: Force) -> float:
    """Move all items against four times what is given; return the norm of that gradient."""
    return _move(state, phase, (quarter, quarter), 1.0, 0.0)


def _move(state: State, phase: Phase, forces: tuple[Force, Force], exaggeration: float, inverse_Z: float) -> float:
    squares = np.empty(CHUNKS)
    with np.errstate(over="ignore"):
        learning_rate = np.float32(phase.learning_rate)
    numbers = (np.float32(exaggeration), np.float32(inverse_Z), learning_rate, np.float32(phase.momentum))
    run = take_step.over if len(state.Y) >= WORTH_SHARING else take_step.alone
    run(CHUNKS, state.Y, state.velocity, state.gains, *forces, *numbers, phase.adaptive, squares)
    return math.sqrt(squares.sum())
