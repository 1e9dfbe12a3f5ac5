"""New items move downhill in the field of the fitted map."""

import numpy as np
from scipy import sparse

from mrsne.arrays import Float32
from mrsne.backends.cpu.attraction import Entries, attract, falloff, similarity
from mrsne.backends.cpu.mesh.charges import CHUNKS, bounds
from mrsne.backends.cpu.mesh.mesh import Mesh
from mrsne.backends.cpu.motion import take_step
from mrsne.backends.grid import FINE_STEP
from mrsne.backends.kernel import StudentKernel
from mrsne.loops import kernel

ITERATIONS = 250
RATE, MOMENTUM = np.float32(0.25), np.float32(0.8)  # as in a descent with the automatic learning rate
MARGIN = 5.0  # how far outside the map a new item may settle


@kernel("i8[:] u4[:] f4[:] f4[:,:] f4[:,:]!")
def _best_neighbor(start, stop, indptr, indices, values, Y, begin):
    """Start every new item at the one of its neighbours that its whole row pulls to most."""
    for i in range(start, stop):
        most = -1.0
        for candidate in range(indptr[i], indptr[i + 1]):
            pull = 0.0
            for other in range(indptr[i], indptr[i + 1]):
                squared = 0.0
                for k in range(Y.shape[1]):
                    difference = Y[indices[candidate], k] - Y[indices[other], k]
                    squared += difference * difference
                pull += values[other] * falloff(squared)
            if pull > most:
                most = pull
                begin[i] = Y[indices[candidate]]


@kernel("f4[:,:] f4[:,:] f4 f4[:]! f4[:,:]!")
def _repulsion_of_all(start, stop, points, Y, dof, potential, force):
    """Sum over all fitted items: Φ_i = Σ_j w_ij and Σ_j w_ij f_ij (y_i − y_j), with f = 1/(1+ρ²) and w = f^α."""
    for i in range(start, stop):
        force[i] = 0
        total = 0.0
        for j in range(Y.shape[0]):
            squared = 0.0
            for k in range(Y.shape[1]):
                squared += (points[i, k] - Y[j, k]) * (points[i, k] - Y[j, k])
            f = falloff(squared)
            w = similarity(f, dof)
            total += w
            for k in range(Y.shape[1]):
                force[i, k] += w * f * (points[i, k] - Y[j, k])
        potential[i] = total


def settle(P: sparse.csr_matrix, Y: Float32, kernel: StudentKernel) -> Float32:
    """Move new items downhill among fixed ones: attracted along P, repelled by the potential of all fitted items."""
    Y = kernel.scaled(Y)
    m, K = P.shape[0], Y.shape[1]
    entries = Entries.of(P.astype(np.float32))
    low, high = (limit.astype(np.float32) for limit in bounds(Y))
    low, high = low - np.float32(MARGIN), high + np.float32(MARGIN)
    points = np.tile(high, (m, 1))
    _best_neighbor.over(m, *entries[1:], Y, points)
    alone = np.diff(entries.indptr) == 0
    mesh = Mesh(K, FINE_STEP, kernel) if K <= 3 else None
    if mesh is not None:
        mesh.charge(Y, margin=MARGIN)
    velocity, gains = np.zeros_like(points), np.ones_like(points)
    attractive, repulsive = np.empty_like(points), np.empty_like(points)
    potential, squares = np.empty(m, np.float32), np.empty(CHUNKS)
    one = np.float32(1)
    for _ in range(ITERATIONS):
        if mesh is not None:
            potential, gradient = mesh.read(points)
            repulsive = np.float32(-0.5 / kernel.dof) * gradient
        else:
            _repulsion_of_all.over(m, points, Y, np.float32(kernel.dof), potential, repulsive)
        repulsive /= potential[:, None]
        attract(entries, points, Y, attractive)
        attractive[alone] = 0
        repulsive[alone] = 0
        take_step.over(
            CHUNKS, points, velocity, gains, attractive, repulsive, one, one, RATE, MOMENTUM, True, True, squares
        )
        np.clip(points, low, high, out=points)
    return points if kernel.is_cauchy else points * np.float32(kernel.unit)
