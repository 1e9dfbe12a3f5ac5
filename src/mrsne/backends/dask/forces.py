"""A descent on a cluster: workers compute the forces on their rows, the client gathers them and moves the items.

Per iteration the positions go to the workers (8 bytes an item in the plane, to each worker), each puts the charges of
its items onto a grid, the grids are added up (4 bytes a cell), their potential is computed once and sent to
the workers, and the gradient comes back (8 bytes an item).

The client's state is all there is: a worker that dies takes nothing with it but its blocks of P̃ and its tasks, which
Dask computes again from the same positions.
"""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mrsne.arrays import Float32, Float64
from mrsne.backends.base import Anchor, Phase, State
from mrsne.backends.cpu.mesh.charges import bounds
from mrsne.backends.cpu.mesh.mesh import Bulk, Mesh
from mrsne.backends.cpu.motion import HostMotion, move
from mrsne.backends.dask.connection import check_open
from mrsne.backends.dask.matrix import ClusterMatrix, attraction, entropy
from mrsne.backends.dask.tasks import cores_here, reduced, send
from mrsne.backends.grid import FINE_STEP
from mrsne.backends.kernel import CAUCHY, StudentKernel, divergence
from mrsne.threads import threads

GRIDS = 4  # that one task adds up


class Place(NamedTuple):
    """Where the grid of an iteration is, in units of the kernel, and what is not on it."""

    low: Float64
    high: Float64
    step: float
    bulk: Bulk | None
    kernel: StudentKernel

    def mesh(self) -> Mesh:
        mesh = Mesh(len(self.low), self.step, kernel=self.kernel)
        mesh.fit(self.low, self.high)
        mesh.bulk = self.bulk
        return mesh


class Potential(NamedTuple):
    grid: Float32
    Z: float


class ClusterForces:
    """The gradient of KL(P̃‖Q̃) for one P̃ on a cluster."""

    def __init__(self, P: ClusterMatrix, kernel: StudentKernel = CAUCHY) -> None:
        self.P, self.kernel = P, kernel
        self.submit = partial(P.client.submit, pure=False)
        self.total, self.negative_entropy = P.sums()

    def quarter_gradient(self, Y: Float32, step: float = FINE_STEP, exaggeration: float = 1.0) -> tuple[float, Float32]:
        """Return Z and e · F_attractive − F_repulsive / Z of all items, a quarter of the gradient."""
        client, submit = self.P.client, self.submit
        check_open(client)
        U = self.kernel.scaled(Y)
        place = Place(*bounds(U), step, None, self.kernel)
        if place.mesh().small:
            place = place._replace(bulk=Bulk.of(U, self.kernel))
        sent = send(client, U)
        # Dask runs a task where its largest argument is: tasks that get a block they need little of run beside it
        grids = [submit(charges, block, sent, first, place) for block, first in self.P.numbered()]
        grid = reduced(grids, lambda group: submit(sum, group), GRIDS)
        potential = submit(potential_of, grid, place, len(Y))
        forces = [submit(attraction, block, sent, first) for block, first in self.P.numbered()]
        parts = [
            submit(combined, block, force, sent, first, potential, place, exaggeration)
            for force, (block, first) in zip(forces, self.P.numbered(), strict=True)
        ]
        found = client.gather(parts)
        return found[0][0], np.concatenate([rows for _, rows in found])

    def divergence(self, Y: Float32) -> float:
        return self.gradient(Y)[0]

    def gradient(self, Y: Float32) -> tuple[float, Float32]:
        Z, quarter = self.quarter_gradient(Y)
        sent = send(self.P.client, self.kernel.scaled(Y))
        parts = [self.submit(entropy, block, sent, first) for block, first in self.P.numbered()]
        cross_entropy = self.kernel.dof * math.fsum(self.P.client.gather(parts))
        return divergence(self.negative_entropy, cross_entropy, self.total, Z), 4 * quarter


def charges(block: Any, Y: Float32, first: int, place: Place) -> Float32:
    with threads(cores_here()):
        return place.mesh().charges(np.ascontiguousarray(Y[first : first + block.shape[0]]))


def potential_of(grid: Float32, place: Place, n: int) -> Potential:
    """Return the potential of all charges, and Z = Σ_i Φ(y_i) − n, which is Σ_g ρ(g) φ(g) on the grid."""
    with threads(cores_here()):
        potential = place.mesh().convolve(grid.copy())
    Z = float(np.vdot(grid.astype(np.float64), potential.astype(np.float64))) - n
    if place.bulk is not None:
        Z += place.bulk.sum()
    return Potential(potential, Z)


def combined(
    block: Any, force: Float32, Y: Float32, first: int, potential: Potential, place: Place, exaggeration: float
) -> tuple[float, Float32]:
    """Return Z and e · F_attractive − F_repulsive / Z of the items of a block."""
    mesh = place.mesh()
    mesh.potential = potential.grid
    with threads(cores_here()):
        _, gradient = mesh.read(np.ascontiguousarray(Y[first : first + block.shape[0]]))
    unit = place.kernel.unit
    factor = np.float32(0.5 / (unit * potential.Z)) if potential.Z > 0 else np.float32(np.nan)
    return potential.Z, np.float32(exaggeration * unit) * force + gradient * factor


class ClusterMotion(HostMotion):
    """A state on the client with the forces of a P̃ that is on a cluster; see :class:`mrsne.backends.base.Motion`."""

    def __init__(
        self, P: ClusterMatrix, state: State, kernel: StudentKernel = CAUCHY, anchor: Anchor | None = None
    ) -> None:
        super().__init__(state, anchor)
        self.forces = ClusterForces(P, kernel)

    def step(self, phase: Phase) -> float:
        _, quarter = self.forces.quarter_gradient(self.state.Y, phase.step, phase.exaggeration)
        self.hold(quarter, quarter)
        return move(self.state, phase, (quarter, quarter), 1.0, 0.0)

    def sort(self) -> None:
        """Do nothing: rows stay where they are."""

    def divergence(self) -> float:
        return self.forces.divergence(self.state.Y)
