"""A descent on the processor: its steps, and how many of the threads take part in them."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from mrsne.arrays import Float32
from mrsne.backends.base import FARTHEST, LONGEST_STEP, SMALLEST_GAIN, Anchor, Phase, State
from mrsne.backends.cpu.forces import CpuForces
from mrsne.backends.cpu.matrix import CpuMatrix
from mrsne.backends.cpu.mesh.charges import CHUNKS
from mrsne.backends.cpu.orders import WORTH_FROM, spatial_order
from mrsne.backends.kernel import CAUCHY, StudentKernel
from mrsne.loops import WORTH_SHARING, inlined, kernel
from mrsne.threads import ThreadTeam, current_team

BLOCK = 512  # items whose numbers are in the first-level cache when they are used again
FIRST, EVERY = 5, 150  # iterations before the first trial, and between trials
LENGTH = 3  # iterations with each number of threads, the fastest of which counts
FEWEST = 3  # threads from which a trial pays


class HostMotion:
    """The part that all descents share whose state is in this process."""

    def __init__(self, state: State, anchor: Anchor | None) -> None:
        self.state, self.anchor = state, anchor

    def hold(self, attractive: Float32, repulsive: Float32) -> None:
        """Add the pull to the old places to the attraction; no force acts on items that stay."""
        if self.anchor is not None:
            Y, order, (places, pull) = self.state.Y, self.state.order, (self.anchor.places, self.anchor.pull)
            run = pull_back.over if len(Y) >= WORTH_SHARING else pull_back.alone
            run(len(Y), order, Y, places, pull, attractive, repulsive)

    def extent(self) -> float:
        return float(self.state.Y.std())

    def recentre(self) -> None:
        if self.anchor is not None:
            return
        self.state.Y -= self.state.Y.mean(axis=0, dtype=np.float64).astype(np.float32)

    def shift(self, steps: Float32) -> None:
        self.state.Y += steps[self.state.order]

    def snapshot(self) -> State:
        return self.state

    def positions(self) -> Float32:
        Y = np.empty_like(self.state.Y)
        Y[self.state.order] = self.state.Y
        return Y


class CpuMotion(HostMotion):
    """The state of a descent with the forces of P̃; see :class:`mrsne.backends.base.Motion`."""

    def __init__(
        self, P: CpuMatrix, state: State, method: str, kernel: StudentKernel = CAUCHY, anchor: Anchor | None = None
    ) -> None:
        super().__init__(state, anchor)
        self.P, self._settings = P, (method, kernel)
        self._pace = Pace()
        if state.in_order and len(state.Y) >= WORTH_FROM:
            self._sort_rows()
        self.forces = self._forces()

    def step(self, phase: Phase) -> float:
        with self._pace.iteration():
            Z, repulsive, attractive = self.forces.halves(self.state.Y, phase.step)
            inverse_Z = 1 / Z if Z > 0 else math.nan
            self.hold(attractive, repulsive)
            return move(self.state, phase, (attractive, repulsive), phase.exaggeration, inverse_Z)

    def sort(self) -> None:
        if len(self.state.Y) >= WORTH_FROM:
            self._sort_rows()
            del self.forces  # its entries are as large as P̃
            self.forces = self._forces()

    def divergence(self) -> float:
        return self.forces.divergence(self.state.Y)

    def _sort_rows(self) -> None:
        state = self.state
        order = spatial_order(state.Y)
        state.Y, state.velocity, state.gains = (
            np.take(array, order, axis=0) for array in (state.Y, state.velocity, state.gains)
        )
        state.order = state.order[order]

    def _forces(self) -> CpuForces:
        order = None if self.state.in_order else self.state.order
        return CpuForces(self.P.csr, self.state.Y.shape[1], *self._settings, order)


class Pace:
    """Chooses the number of active threads by trial."""

    def __init__(self) -> None:
        self._until_trial = FIRST
        self._best = 0
        self._trials: dict[int, list[float]] = {}
        self._queue: list[int] = []

    @contextmanager
    def iteration(self) -> Iterator[None]:
        """Do the enclosed iteration with as many threads as seem best, or try another number."""
        team = current_team()
        if team is None or team.size < FEWEST:
            yield
            return
        self.choose(team)
        start = time.perf_counter()
        yield
        self.note(time.perf_counter() - start)

    def choose(self, team: ThreadTeam) -> None:
        self._best = self._best or team.size
        if not self._queue:
            if self._trials:
                self._best = min(self._trials, key=lambda count: min(self._trials[count]))
                self._trials = {}
            self._until_trial -= 1
            if self._until_trial <= 0:
                self._until_trial = EVERY
                others = {max(1, self._best // 2), min(team.size, 2 * self._best)} - {self._best}
                self._queue = [count for count in (self._best, *sorted(others)) for _ in range(LENGTH)]
        team.active = self._queue[0] if self._queue else self._best

    def note(self, seconds: float) -> None:
        if self._queue:
            self._trials.setdefault(self._queue.pop(0), []).append(seconds)


@kernel("i8[:] f4[:,:] f4[:,:] f4[:] f4[:,:]! f4[:,:]!")
def pull_back(start, stop, order, Y, places, pull, attractive, repulsive):
    """Add c_i (y_i − y_i⁰) to the attraction of row r, which is item i; where c_i is negative no force is left."""
    for r in range(start, stop):
        strength = pull[order[r]]
        for k in range(Y.shape[1]):
            if strength < 0:
                attractive[r, k] = repulsive[r, k] = 0
            else:
                attractive[r, k] += strength * (Y[r, k] - places[order[r], k])


@inlined
def _shorten(velocity, K):
    for i in range(velocity.shape[0] // K):
        step = velocity[i * K : (i + 1) * K]
        length = 0.0
        for k in range(K):
            length += step[k] * step[k]
        if length > LONGEST_STEP * LONGEST_STEP:
            shrink = np.float32(LONGEST_STEP / math.sqrt(length))
            for k in range(K):
                step[k] *= shrink


@kernel("f4[:,:]! f4[:,:]! f4[:,:]! f4[:,:] f4[:,:] f4 f4 f4 f4 b1 b1 f8[:]!")
def take_step(
    start, stop, Y, velocity, gains, attractive, repulsive, exaggeration, inverse_Z, eta, momentum,
    adaptive, limited, squares,
):  # fmt: skip
    """Move every item against its gradient g = 4 (e·F_attractive − F_repulsive / Z): v ← α v − γ η g, y ← y + v.

    Where steps are adaptive, the gain γ of a coordinate is raised while the gradient opposes the velocity and lowered
    otherwise (Jacobs 1988, as in every t-SNE). A limited step is never longer than 5. ``squares`` receives ‖g‖², chunk
    by chunk, or infinity where items are farther out than can be. All coordinates of some items are treated alike, one
    after the other, which the compiler does several at a time.
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
                if adaptive:
                    raised = gain[j] + np.float32(0.2)
                    lowered = gain[j] * np.float32(0.8) + np.float32(SMALLEST_GAIN)
                    against = ((v[j] > 0) != (g > 0)) | (v[j] == 0)
                    gain[j] = raised if against else lowered
                v[j] = momentum * v[j] - eta * gain[j] * g
                long += np.int32(not v[j] * v[j] <= surely_short)
            if limited and long > 0:
                _shorten(v, K)
            for j in range(y.shape[0]):
                y[j] += v[j]
                outside += np.int32(not abs(y[j]) < np.float32(FARTHEST))
        squares[chunk] = total if outside == 0 else np.inf


def move(state: State, phase: Phase, forces: tuple[Float32, Float32], exaggeration: float, inverse_Z: float) -> float:
    """Move all items by attraction and repulsion; return the norm of the gradient, infinite where the map diverged."""
    squares = np.empty(CHUNKS)
    with np.errstate(over="ignore"):
        learning_rate = np.float32(phase.learning_rate)
    numbers = (np.float32(exaggeration), np.float32(inverse_Z), learning_rate, np.float32(phase.momentum))
    run = take_step.over if len(state.Y) >= WORTH_SHARING else take_step.alone
    run(CHUNKS, state.Y, state.velocity, state.gains, *forces, *numbers, phase.adaptive, phase.limited, squares)
    return math.sqrt(squares.sum())
