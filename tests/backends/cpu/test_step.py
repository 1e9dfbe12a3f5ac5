"""One step of the descent, beside the same in double precision, item by item."""

from __future__ import annotations

import numpy as np
import pytest

from mrsne.backends.base import FARTHEST, LONGEST_STEP, Phase, State
from mrsne.backends.cpu.motion import move

COUNTS = (1, 63, 1_000, 70_001)  # fewer items than parts of the loop, and more than one block in each part


def some_state(n: int, K: int, speed: float, seed: int = 0) -> State:
    random = np.random.default_rng(seed)
    Y, velocity = (random.normal(0, scale, (n, K)).astype(np.float32) for scale in (10, speed))
    velocity[::7] = 0
    gains = random.uniform(0.01, 3, (n, K)).astype(np.float32)
    return State(0, Y, velocity, gains, np.arange(n))


def reference_step(state: State, phase: Phase, gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return positions, velocities and gains after a step, in double precision."""
    Y, velocity, gains = (array.astype(np.float64) for array in (state.Y, state.velocity, state.gains))
    if phase.adaptive:
        against = ((velocity > 0) != (gradient > 0)) | (velocity == 0)
        gains = np.where(against, gains + 0.2, gains * 0.8 + 0.01)
    velocity = phase.momentum * velocity - phase.learning_rate * gains * gradient
    if phase.limited:
        length = np.linalg.norm(velocity, axis=1, keepdims=True)
        velocity *= np.minimum(1, LONGEST_STEP / np.maximum(length, 1e-300))
    return Y + velocity, velocity, gains


@pytest.mark.parametrize("n", COUNTS)
@pytest.mark.parametrize("K", [1, 2, 3])
@pytest.mark.parametrize("speed", [0.1, 3.0])  # with the second, some steps are too long and some are not
@pytest.mark.parametrize(("adaptive", "conditioned"), [(True, False), (False, True), (False, False)])
def test_a_step_is_the_one_of_its_definition(n: int, K: int, speed: float, adaptive: bool, conditioned: bool) -> None:
    random = np.random.default_rng(1)
    attractive, repulsive = random.normal(0, 1e-3, (2, n, K)).astype(np.float32)
    phase = Phase(0, 4.0, 5.0, 0.8, adaptive, 0.5, conditioned)
    state, Z = some_state(n, K, speed), 2.0
    gradient = 4 * (4.0 * attractive.astype(np.float64) - repulsive.astype(np.float64) / Z)
    Y, velocity, gains = reference_step(state, phase, gradient)
    norm = move(state, phase, (attractive, repulsive), phase.exaggeration, 1 / Z)
    assert norm == pytest.approx(np.linalg.norm(gradient), rel=1e-5)
    # a handful of roundings to 24 bits of numbers of this size
    np.testing.assert_allclose(state.gains, gains, rtol=1e-6)
    np.testing.assert_allclose(state.velocity, velocity, rtol=0, atol=1e-6 * np.abs(velocity).max())
    np.testing.assert_allclose(state.Y, Y, rtol=0, atol=1e-6 * np.abs(Y).max())
    if phase.limited and K > 1 and n > 1:
        assert (np.linalg.norm(state.velocity, axis=1) > 0.999 * LONGEST_STEP).any() == (speed > 1)


def test_a_force_that_is_given_whole_moves_as_the_two_halves_of_it_do() -> None:
    random = np.random.default_rng(2)
    force = random.normal(0, 1e-3, (1_000, 2)).astype(np.float32)
    phase = Phase(0, 1.0, 50.0, 0.8, True, 0.5)
    one, other = some_state(1_000, 2, 0.1), some_state(1_000, 2, 0.1)
    norms = move(one, phase, (force, force), 1.0, 0.0), move(other, phase, (force, np.zeros_like(force)), 1.0, 1.0)
    assert norms[0] == norms[1]
    assert np.array_equal(one.Y, other.Y)


@pytest.mark.parametrize("where", [0, 63, 999])
@pytest.mark.parametrize("far", [2 * FARTHEST, np.nan, -np.inf])
def test_the_norm_is_infinite_where_one_item_is_lost(where: int, far: float) -> None:
    state = some_state(1_000, 2, 0.1)
    state.Y[where, 1] = far
    still = np.zeros((1_000, 2), np.float32)
    assert move(state, Phase(0, 1.0, 50.0, 0.8, True, 0.5), (still, still), 1.0, 0.0) == np.inf
