"""A descent on a cluster: workers compute the gradient, the client holds the state and moves the items.

The client's state is all there is: a worker that dies takes nothing with it but its blocks of P̃ and its tasks, which
Dask computes again from the same positions.
"""

from __future__ import annotations

from mrsne.backends.base import Phase, State
from mrsne.backends.cpu.motion import HostMotion
from mrsne.backends.cpu.step import move_along
from mrsne.backends.dask.forces.forces import ClusterForces
from mrsne.backends.dask.matrix.matrix import ClusterMatrix
from mrsne.backends.kernel import CAUCHY, StudentKernel


class ClusterMotion(HostMotion):
    """A state on the client with the forces of a P̃ that is on a cluster; see :class:`mrsne.backends.base.Motion`."""

    def __init__(self, P: ClusterMatrix, state: State, kernel: StudentKernel = CAUCHY) -> None:
        super().__init__(state)
        self.forces = ClusterForces(P, kernel)

    def step(self, phase: Phase) -> float:
        """Do one iteration and return the norm of the gradient."""
        _, quarter = self.forces.quarter_gradient(self.state.Y, phase.step, phase.exaggeration)
        return move_along(self.state, phase, quarter)

    def sort(self) -> None:
        """Do nothing: rows stay where they are."""

    def divergence(self) -> float:
        """Return KL(P̃‖Q̃), with repulsion as exact as it gets."""
        return self.forces.divergence(self.state.Y)
