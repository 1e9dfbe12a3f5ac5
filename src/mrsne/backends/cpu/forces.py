"""Attraction and repulsion on the processor, of all pairs or by a mesh, and the divergence and gradient they make."""

from functools import lru_cache

import numpy as np
from scipy import sparse

from mrsne.arrays import Float32, Int64
from mrsne.backends.cpu.attraction import Entries, attract, cross_entropy, falloff, similarity
from mrsne.backends.cpu.mesh.charges import bounds
from mrsne.backends.cpu.mesh.mesh import Mesh
from mrsne.backends.grid import FINE_STEP
from mrsne.backends.kernel import CAUCHY, StudentKernel, divergence
from mrsne.loops import Kernel, kernel
from mrsne.matrices import PARTS, total_and_entropy

TILE = 1024  # pairs added up in single precision before they join a sum in double
BLOCK = 256  # rows at a time where K > 3
_f = np.float32
MESH_ONLY_FROM = 60_000  # items; up to here all pairs are not slower than the largest grid, which a very wide map needs
DENSE_FROM = 1 / 8  # share of stored entries from which one pass over all pairs is faster than two


class CpuForces:
    """The two halves of the gradient of KL(P̃‖Q̃) for one P̃."""

    def __init__(
        self, P: sparse.csr_matrix, n_components: int, method: str, kernel: StudentKernel, order: Int64 | None = None
    ) -> None:
        n = P.shape[0]
        self.entries = Entries.of(P, order)
        self.kernel = kernel
        self.mesh = Mesh(n_components, kernel=kernel) if method == "fft" else None
        dense = method == "exact" and n_components <= 3 and order is None and P.nnz > DENSE_FROM * n**2
        self.dense = P.toarray() if dense else None
        self.total, self.negative_entropy = total_and_entropy(P.data)
        self.attractive = np.empty((n, n_components), np.float32)

    def halves(self, Y: Float32, step: float = FINE_STEP) -> tuple[float, Float32, Float32]:
        """Return Z, repulsion −½ ∇Φ and attraction Σ_j p̃_ij (y_i−y_j)/(1+ρ_ij²), in the same memory at every call."""
        U, unit = self.kernel.scaled(Y), np.float32(self.kernel.unit)
        if self.dense is not None:
            Z, repulsive, attractive = exact_forces(U, self.dense, self.kernel)
        else:
            (Z, repulsive), attractive = self._repulsion(U, step), self.attractive
            attract(self.entries, U, U, attractive)
        return (Z, repulsive, attractive) if self.kernel.is_cauchy else (Z, repulsive / unit, attractive * unit)

    def _repulsion(self, U: Float32, step: float) -> tuple[float, Float32]:
        if self.mesh is None:
            return exact_repulsion(U, self.kernel)
        limits = bounds(U)
        if len(U) <= MESH_ONLY_FROM and self.mesh.too_wide(limits, step):
            return exact_repulsion(U, self.kernel)
        self.mesh.step = step
        return self.mesh.repulsion(U, limits)

    def kl(self, Y: Float32, Z: float) -> float:
        """Return KL(P̃‖Q̃) of a map with normaliser Z."""
        sums, U = np.empty(PARTS), self.kernel.scaled(Y)
        cross_entropy.over(PARTS, *self.entries, U, U, sums)
        return divergence(self.negative_entropy, self.kernel.dof * float(sums.sum()), self.total, Z)

    def divergence(self, Y: Float32) -> float:
        return self.kl(Y, self.halves(Y)[0])

    def gradient(self, Y: Float32) -> tuple[float, Float32]:
        Z, repulsive, attractive = self.halves(Y)
        return self.kl(Y, Z), (4 * (attractive - repulsive / np.float32(Z))).astype(np.float32)


@lru_cache
def all_pairs(n_components: int, with_affinities: bool, cauchy: bool) -> Kernel:
    """Return the loop for Φ_i = Σ_j w_ij, i = j too, and Σ_j w_ij f_ij (y_i − y_j), f_ij = 1/(1+‖y_i−y_j‖²), w = f^α.

    Coordinates come as one array each (``y``, ``z`` are ignored where K is smaller), and tiles are views that start at
    0: only so does the inner loop vectorise. With affinities it also computes Σ_j p̃_ij f_ij (y_i − y_j).
    """
    K = n_components

    @kernel("f4[:] f4[:] f4[:] f4 f4[:,:] f8[:]! f4[:,:]! f4[:,:]!")
    def sum_pairs(start, stop, x, y, z, dof, P, potential, force, pull):
        n = x.shape[0]
        for i in range(start, stop):
            xi, yi, zi = x[i], y[i], z[i]
            total = f0 = f1 = f2 = a0 = a1 = a2 = np.float64(0)
            for first in range(0, n, TILE):
                xs, ys, zs = x[first : first + TILE], y[first : first + TILE], z[first : first + TILE]
                p = P[i, first : first + TILE]
                w_sum, s0, s1, s2, t0, t1, t2 = _f(0), _f(0), _f(0), _f(0), _f(0), _f(0), _f(0)
                for j in range(xs.shape[0]):
                    d0 = xi - xs[j]
                    d1 = yi - ys[j] if K > 1 else _f(0)
                    d2 = zi - zs[j] if K > 2 else _f(0)
                    f = falloff(d0 * d0 + d1 * d1 + d2 * d2)
                    w = f if cauchy else similarity(f, dof)
                    w_sum += w
                    if with_affinities:
                        pf = p[j] * f
                        t0 += pf * d0
                        t1 += pf * d1
                        t2 += pf * d2
                    w *= f
                    s0 += w * d0
                    s1 += w * d1
                    s2 += w * d2
                total += w_sum
                f0, f1, f2 = f0 + s0, f1 + s1, f2 + s2
                a0, a1, a2 = a0 + t0, a1 + t1, a2 + t2
            potential[i] = total
            pushes, pulls = (f0, f1, f2), (a0, a1, a2)
            for k in range(K):
                force[i, k] = pushes[k]
                if with_affinities:
                    pull[i, k] = pulls[k]

    return sum_pairs


def exact_forces(Y: Float32, P: Float32, kernel: StudentKernel = CAUCHY) -> tuple[float, Float32, Float32]:
    """Return Z, repulsion and the attraction of a dense P̃, which without columns has none, in one pass (K ≤ 3)."""
    n, n_components = Y.shape
    with_affinities = P.shape[1] > 0
    potential, repulsive = np.empty(n), np.empty_like(Y)
    attractive = np.empty_like(Y) if with_affinities else P
    columns = [np.ascontiguousarray(column) for column in Y.T]
    columns += columns[:1] * (3 - n_components)
    loop = all_pairs(n_components, with_affinities, kernel.is_cauchy)
    loop.over(n, *columns, _f(kernel.dof), P, potential, repulsive, attractive)
    if not kernel.is_cauchy:
        repulsive *= _f(kernel.dof)  # −½ ∇Φ from Σ_j w_ij f_ij (y_i − y_j)
    return float(potential.sum()) - n, repulsive, attractive


def exact_repulsion(Y: Float32, kernel: StudentKernel = CAUCHY) -> tuple[float, Float32]:
    """Return Z = Σ_{i≠j} w_ij and −½ ∇Φ, the unnormalised repulsive force, on every point, in units of the kernel."""
    if Y.shape[1] > 3:
        return _blocked_repulsion(Y, kernel)
    return exact_forces(Y, np.empty((len(Y), 0), np.float32), kernel)[:2]


def _blocked_repulsion(Y: Float32, kernel: StudentKernel) -> tuple[float, Float32]:
    """Do the same for any number of coordinates with matrix products, in blocks of rows and double precision."""
    points = Y.astype(np.float64)
    squares = (points**2).sum(axis=1)
    force = np.empty_like(points)
    total = 0.0
    for start in range(0, len(points), BLOCK):
        rows = slice(start, start + BLOCK)
        squared = np.maximum(squares[rows, None] + squares - 2 * points[rows] @ points.T, 0)
        w = kernel.values(squared)
        total += w.sum()
        push = kernel.push(squared)
        force[rows] = push.sum(axis=1)[:, None] * points[rows] - push @ points
    return total - len(points), force.astype(np.float32)
