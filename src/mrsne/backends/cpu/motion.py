"""A descent on the processor, and how many of the threads take part in it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import Phase, State
from mrsne.backends.cpu.forces import CpuForces
from mrsne.backends.cpu.matrix import CpuMatrix
from mrsne.backends.cpu.orders import WORTH_FROM, spatial_order
from mrsne.backends.cpu.step import move_by_forces
from mrsne.backends.kernel import CAUCHY, StudentKernel
from mrsne.threads import ThreadTeam, current_team

FIRST, EVERY = 5, 150  # iterations before the first trial, and between trials
LENGTH = 3  # iterations with each number of threads, the fastest of which counts
FEWEST = 3  # threads from which a trial pays


class HostMotion:
    """What descents have in common whose state is in this process."""

    def __init__(self, state: State) -> None:
        self.state = state

    def extent(self) -> float:
        return float(self.state.Y.std())

    def recentre(self) -> None:
        self.state.Y -= self.state.Y.mean(axis=0, dtype=np.float64).astype(np.float32)

    def snapshot(self) -> State:
        return self.state

    def positions(self) -> NDArray[np.float32]:
        Y = np.empty_like(self.state.Y)
        Y[self.state.order] = self.state.Y
        return Y


class CpuMotion(HostMotion):
    """The state of a descent with the forces of P̃; see :class:`mrsne.backends.base.Motion`."""

    def __init__(
        self, P: CpuMatrix, state: State, method: str, workers: int = 1, kernel: StudentKernel = CAUCHY
    ) -> None:
        super().__init__(state)
        self.P, self._settings, self._kernel = P, (method, workers), kernel
        self._pace = Pace()
        if state.in_order and len(state.Y) >= WORTH_FROM:
            self._sort_rows()
        self.forces = self._forces()

    def step(self, phase: Phase) -> float:
        with self._pace.iteration():
            Z, repulsive, attractive = self.forces.halves(self.state.Y, phase.step)
            return move_by_forces(self.state, phase, attractive, repulsive, Z)

    def sort(self) -> None:
        """Bring the rows into spatial order, where there are many."""
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
        return CpuForces(self.P.csr, self.state.Y.shape[1], *self._settings, order, self._kernel)


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
        self.note(team, time.perf_counter() - start)

    def choose(self, team: ThreadTeam) -> None:
        """Set the number of active threads for the next iteration."""
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

    def note(self, team: ThreadTeam, seconds: float) -> None:
        """Take the time of the last iteration."""
        if self._queue:
            self._trials.setdefault(self._queue.pop(0), []).append(seconds)
