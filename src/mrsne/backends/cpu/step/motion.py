"""A descent on the processor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import Phase, State
from mrsne.backends.cpu.forces.forces import CpuForces
from mrsne.backends.cpu.forces.locality import WORTH_FROM, rows_in_order, spatial_order
from mrsne.backends.cpu.matrix.matrix import CpuMatrix
from mrsne.backends.cpu.step.pace import Pace
from mrsne.backends.cpu.step.step import move_by_forces
from mrsne.backends.kernel import CAUCHY, StudentKernel


class HostMotion:
    """What descents have in common whose state is in this process."""

    def __init__(self, state: State) -> None:
        self.state = state

    def extent(self) -> float:
        """Return the standard deviation of all coordinates."""
        return float(self.state.Y.std())

    def recentre(self) -> None:
        """Move the mean of all positions to the origin."""
        self.state.Y -= self.state.Y.mean(axis=0, dtype=np.float64).astype(np.float32)

    def snapshot(self) -> State:
        """Return the state."""
        return self.state

    def positions(self) -> NDArray[np.float32]:
        """Return a copy of the map, its rows in the order of the items."""
        Y = np.empty_like(self.state.Y)
        Y[self.state.order] = self.state.Y
        return Y


class CpuMotion(HostMotion):
    """The state of a descent with the forces of P̃; see :class:`mrsne.backends.base.Motion`.

    Parameters
    ----------
    P : CpuMatrix
    state : State
    method : {"exact", "fft"}
    workers : int
        Threads of the FFT.
    kernel : StudentKernel
    """

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
        """Do one iteration and return the norm of the gradient."""
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
        """Return KL(P̃‖Q̃), with repulsion as exact as it gets."""
        return self.forces.divergence(self.state.Y)

    def _sort_rows(self) -> None:
        state = self.state
        order = spatial_order(state.Y)
        state.Y, state.velocity, state.gains = (
            rows_in_order(array, order) for array in (state.Y, state.velocity, state.gains)
        )
        state.order = state.order[order]

    def _forces(self) -> CpuForces:
        order = None if self.state.in_order else self.state.order
        return CpuForces(self.P.csr, self.state.Y.shape[1], *self._settings, order, self._kernel)
