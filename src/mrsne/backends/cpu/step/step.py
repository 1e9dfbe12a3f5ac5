"""One step of the descent on the processor."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import FARTHEST, LONGEST_STEP, SMALLEST_GAIN, Phase, State
from mrsne.backends.cpu.mesh.splines import CHUNKS
from mrsne.compilation import WORTH_SHARING, Array, Kernel, kernel


@lru_cache
def step_kernel(two_forces: bool) -> Kernel[Any]:
    """Return the loop that moves every item against its gradient g: v ← α v − η g, y ← y + v.

    The gradient is 4 (e·F_attractive − F_repulsive / Z), or four times the first array if it holds both forces already.
    An adaptive step multiplies η with a gain per coordinate, raised while the gradient opposes the velocity and lowered
    otherwise (Jacobs 1988, as in every t-SNE), and is never longer than 5. ``squares`` receives the squared norm of g,
    chunk by chunk.
    """

    @kernel("f4[:,:]! f4[:,:]! f4[:,:]! f4[:,:] f4[:,:] f4 f4 f4 f4 b1 f8[:]!")
    def take_step(
        start: int,
        stop: int,
        Y: Array,
        velocity: Array,
        gains: Array,
        attractive: Array,
        repulsive: Array,
        exaggeration: np.float32,
        inverse_Z: np.float32,
        learning_rate: np.float32,
        momentum: np.float32,
        adaptive: bool,
        squares: Array,
    ) -> None:
        n, K = Y.shape
        for chunk in range(start, stop):
            total = 0.0
            for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
                length = 0.0
                for k in range(K):
                    if two_forces:
                        g = np.float32(4) * (exaggeration * attractive[i, k] - repulsive[i, k] * inverse_Z)
                    else:
                        g = np.float32(4) * attractive[i, k]
                    total += g * g
                    rate = learning_rate
                    if adaptive:
                        against = (velocity[i, k] > 0) != (g > 0) or velocity[i, k] == 0
                        gain = (
                            gains[i, k] + np.float32(0.2)
                            if against
                            else gains[i, k] * np.float32(0.8) + np.float32(SMALLEST_GAIN)
                        )
                        gains[i, k] = gain
                        rate = learning_rate * gain
                    v = momentum * velocity[i, k] - rate * g
                    velocity[i, k] = v
                    length += v * v
                if adaptive and length > LONGEST_STEP * LONGEST_STEP:
                    shrink = np.float32(LONGEST_STEP / math.sqrt(length))
                    for k in range(K):
                        velocity[i, k] *= shrink
                for k in range(K):
                    Y[i, k] += velocity[i, k]
                    if not abs(Y[i, k]) < FARTHEST:
                        total = np.inf
            squares[chunk] = total

    return take_step


take_step = step_kernel(True)
_along_gradient = step_kernel(False)


def move_by_forces(
    state: State, phase: Phase, attractive: NDArray[np.float32], repulsive: NDArray[np.float32], Z: float
) -> float:
    """Move all items by the two forces on them; return the norm of the gradient, infinite where the map diverged."""
    inverse_Z = 1 / Z if Z > 0 else math.nan
    return _move(take_step, state, phase, attractive, repulsive, inverse_Z)


def move_along(state: State, phase: Phase, quarter: NDArray[np.float32]) -> float:
    """Move all items against four times what is given; return the norm of that gradient."""
    return _move(_along_gradient, state, phase, quarter, np.empty((0, 0), np.float32), 0.0)


def _move(
    loop: Kernel[Any],
    state: State,
    phase: Phase,
    attractive: NDArray[np.float32],
    repulsive: NDArray[np.float32],
    inverse_Z: float,
) -> float:
    squares = np.empty(CHUNKS)
    with np.errstate(over="ignore"):
        learning_rate = np.float32(phase.learning_rate)
    run = loop.over if len(state.Y) >= WORTH_SHARING else loop.alone
    run(
        CHUNKS,
        state.Y,
        state.velocity,
        state.gains,
        attractive,
        repulsive,
        np.float32(phase.exaggeration),
        np.float32(inverse_Z),
        learning_rate,
        np.float32(phase.momentum),
        phase.adaptive,
        squares,
    )
    return math.sqrt(squares.sum())
