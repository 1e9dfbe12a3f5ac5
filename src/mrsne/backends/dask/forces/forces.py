"""Forces on a cluster: workers compute them for their rows, and the client gathers them.

Per iteration the positions go to the workers (8 bytes an item in the plane, to each worker), each puts the charges of
its items onto a grid of its own, the grids are added up (4 bytes a cell), their potential is computed once and sent to
the workers, and the gradient comes back (8 bytes an item). Where these three things happen is :class:`Collective`.

The client's state is all there is: a worker that dies takes nothing with it but its blocks of P̃ and its tasks, which
Dask computes again from the same positions.
"""

from __future__ import annotations

import math
import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.cpu.mesh.bulk import Bulk
from mrsne.backends.cpu.mesh.mesh import Mesh
from mrsne.backends.cpu.mesh.splines import bounds
from mrsne.backends.dask.connection import cores_here, send
from mrsne.backends.dask.matrix.matrix import ClusterMatrix, attraction, entropy
from mrsne.backends.dask.trees import reduced
from mrsne.backends.divergence import divergence
from mrsne.backends.grid import FINE_STEP
from mrsne.backends.kernel import CAUCHY, StudentKernel
from mrsne.threads import threads

GRIDS = 4  # that one task adds up

_mesh_cache = threading.local()  # the plan of a convolution, which is the same for many iterations


class Place(NamedTuple):
    """Where the grid of an iteration is, in units of the kernel, and what is not on it."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    step: float
    bulk: Bulk | None
    kernel: StudentKernel

    def mesh(self) -> Mesh:
        """Return the grid."""
        mesh = Mesh(len(self.low), self.step, kernel=self.kernel)
        mesh.fit(self.low, self.high)
        mesh.bulk = self.bulk
        return mesh


class Potential(NamedTuple):
    """The potential on the grid, and Z."""

    grid: NDArray[np.float32]
    Z: float


class Collective:
    """What blocks have to know of each other in an iteration, with Dask; another layer would have the same methods.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: Any) -> None:
        self.client = client

    def bounds(self, Y: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the smallest and largest coordinates of all items."""
        return bounds(Y)

    def sum_grid(self, grids: list[Any]) -> Any:
        """Return the sum of the grids of all blocks, always added in the same order."""
        return reduced(grids, lambda group: self.client.submit(sum_grids, group, pure=False), GRIDS)

    def gather_positions(self, parts: list[Any]) -> tuple[float, NDArray[np.float32]]:
        """Return Z, which all blocks know, and an array with the rows of all blocks."""
        found = self.client.gather(parts)
        return found[0][0], np.concatenate([rows for _, rows in found])

    def spread_positions(self, Y: NDArray[np.float32]) -> Any:
        """Send the positions of all items to every worker."""
        return send(self.client, Y)


class ClusterForces:
    """The gradient of KL(P̃‖Q̃) for one P̃ on a cluster."""

    def __init__(self, P: ClusterMatrix, kernel: StudentKernel = CAUCHY) -> None:
        self.P, self.kernel = P, kernel
        self.collective = Collective(P.client)
        self.total, self.negative_entropy = P.sums()

    def quarter_gradient(
        self, Y: NDArray[np.float32], step: float = FINE_STEP, exaggeration: float = 1.0
    ) -> tuple[float, NDArray[np.float32]]:
        """Return Z and e · F_attractive − F_repulsive / Z of all items, a quarter of the gradient."""
        self.P.check()
        collective, client = self.collective, self.P.client
        U = self.kernel.scaled(Y)
        place = Place(*collective.bounds(U), step, None, self.kernel)
        if place.mesh().small:
            place = place._replace(bulk=Bulk.of(U, self.kernel))
        sent = collective.spread_positions(U)
        # Dask runs a task where its largest argument is: tasks that get a block they need little of run beside it
        blocks = list(zip(self.P.blocks, self.P.starts[:-1].tolist(), strict=True))
        grids = [client.submit(charges, block, sent, first, place, pure=False) for block, first in blocks]
        potential = client.submit(potential_of, collective.sum_grid(grids), place, len(Y), pure=False)
        forces = [client.submit(attraction, block, sent, first, pure=False) for block, first in blocks]
        parts = [
            client.submit(combined, block, force, sent, first, potential, place, exaggeration, pure=False)
            for force, (block, first) in zip(forces, blocks, strict=True)
        ]
        return collective.gather_positions(parts)

    def divergence(self, Y: NDArray[np.float32]) -> float:
        """Return KL(P̃‖Q̃) of a map."""
        return self.gradient(Y)[0]

    def gradient(self, Y: NDArray[np.float32]) -> tuple[float, NDArray[np.float32]]:
        """Return KL(P̃‖Q̃) of a map and its gradient."""
        Z, quarter = self.quarter_gradient(Y)
        sent, client = self.collective.spread_positions(self.kernel.scaled(Y)), self.P.client
        firsts = self.P.starts[:-1].tolist()
        parts = [
            client.submit(entropy, block, sent, first, pure=False)
            for block, first in zip(self.P.blocks, firsts, strict=True)
        ]
        cross_entropy = self.kernel.dof * math.fsum(client.gather(parts))
        return divergence(self.negative_entropy, cross_entropy, self.total, Z), 4 * quarter


def charges(block: Any, Y: NDArray[np.float32], first: int, place: Place) -> NDArray[np.float32]:
    """Return the charges of the items of a block on the grid."""
    with threads(cores_here()):
        return place.mesh().charges(np.ascontiguousarray(Y[first : first + block.shape[0]]))


def sum_grids(grids: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return the sum of some grids."""
    total = grids[0].copy()
    for grid in grids[1:]:
        total += grid
    return total


def potential_of(grid: NDArray[np.float32], place: Place, n: int) -> Potential:
    """Return the potential of all charges, and Z = Σ_i Φ(y_i) − n, which is Σ_g ρ(g) φ(g) on the grid."""
    mesh = _mesh_cache.__dict__.get("mesh")
    if mesh is None or mesh.n_components != len(place.low) or mesh.kernel != place.kernel:
        mesh = _mesh_cache.mesh = Mesh(len(place.low), kernel=place.kernel)
    mesh.step = place.step
    mesh.fit(place.low, place.high)
    with threads(cores_here()):
        potential = mesh.convolve(grid.copy())
    Z = float(np.vdot(grid.astype(np.float64), potential.astype(np.float64))) - n
    if place.bulk is not None:
        Z += place.bulk.sum()
    return Potential(potential, Z)


def combined(
    block: Any,
    force: NDArray[np.float32],
    Y: NDArray[np.float32],
    first: int,
    potential: Potential,
    place: Place,
    exaggeration: float,
) -> tuple[float, NDArray[np.float32]]:
    """Return Z and e · F_attractive − F_repulsive / Z of the items of a block."""
    mesh = place.mesh()
    mesh.potential = potential.grid
    with threads(cores_here()):
        _, gradient = mesh.read(np.ascontiguousarray(Y[first : first + block.shape[0]]))
    unit = place.kernel.unit
    factor = np.float32(0.5 / (unit * potential.Z)) if potential.Z > 0 else np.float32(np.nan)
    return potential.Z, np.float32(exaggeration * unit) * force + gradient * factor
