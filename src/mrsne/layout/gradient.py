"""KL(P̃‖Q̃) and its gradient: attraction along P̃, repulsion between all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from mrsne.backends.choice import check_supported, choose_device
from mrsne.backends.cpu.forces.attraction import Entries, attract, cross_entropy
from mrsne.backends.cpu.forces.locality import reordered
from mrsne.backends.cpu.forces.repulsion import exact_forces, exact_repulsion
from mrsne.backends.cpu.mesh.mesh import FINE_STEP, Mesh
from mrsne.compilation import threads
from mrsne.matrices import PARTS, total_and_entropy
from mrsne.parameters import ParameterError, check_option, describe

METHODS = ("auto", "exact", "fft")
EXACT_UP_TO = {1: 1_500, 2: 5_000, 3: 35_000}  # items, by K: measured crossover of all pairs and mesh on two cores
EXACT_ON_A_CARD = 4_000  # items; the same on an H200
MOST_EXACT = 20_000  # items; beyond, K > 3 would take seconds per iteration
MESH_ONLY_FROM = 60_000  # items; up to here all pairs are not slower than the largest grid, which a very wide map needs
FARTHEST = 1e15  # coordinate beyond which a layout has diverged
DENSE_FROM = 1 / 8  # share of stored entries from which one pass over all pairs is faster than two


def choose_method(method: str, n: int, n_components: int, device: str = "cpu") -> str:
    """Return "exact" or "fft" for a map of this size.

    Examples
    --------
    >>> choose_method("auto", 1000, 2), choose_method("auto", 100_000, 2), choose_method("auto", 1000, 5)
    ('exact', 'fft', 'exact')
    """
    check_option("method", method, METHODS)
    if device == "cluster":
        if method == "exact":
            raise ParameterError("method must be 'auto' or 'fft' for data in dask collections, got 'exact'")
        if n_components > 3:
            raise ParameterError(f"n_components must be 1, 2 or 3 for data in dask collections, got {n_components}")
        return "fft"
    if n_components <= 3:
        limit = EXACT_UP_TO[n_components] if device == "cpu" else EXACT_ON_A_CARD
        return method if method != "auto" else "exact" if n <= limit else "fft"
    if method == "fft":
        raise ParameterError(f"method='fft' needs n_components of 1, 2 or 3, got {n_components}; use method='exact'")
    if n > MOST_EXACT:
        raise ParameterError(
            f"n_components={n_components} can only be computed exactly, for at most {MOST_EXACT} items, "
            f"got {n}; use n_components <= 3"
        )
    return "exact"


class Forces:
    """The two halves of the gradient of KL(P̃‖Q̃) for one P̃.

    Parameters
    ----------
    P : CSR matrix
        P̃, with float32 values.
    n_components : int
        Dimension of the map.
    method : {"exact", "fft"}
        How repulsion is computed.
    workers : int
        Threads of the FFT; the other kernels follow :func:`mrsne.compilation.threads`.
    order : array of shape (n,), optional
        Which item is in which row of the map, where that is not the order of P.
    """

    def __init__(
        self,
        P: sparse.csr_matrix,
        n_components: int,
        method: str,
        workers: int = 1,
        order: NDArray[np.int64] | None = None,
    ) -> None:
        n = P.shape[0]
        self.entries = Entries.of(P) if order is None else reordered(P, order)
        self.mesh = Mesh(n_components, workers=workers) if method == "fft" else None
        dense = method == "exact" and n_components <= 3 and order is None and P.nnz > DENSE_FROM * n**2
        self.dense = P.toarray() if dense else None
        self.total, self.negative_entropy = total_and_entropy(P.data)
        self.attractive = np.empty((n, n_components), np.float32)

    def __call__(
        self, Y: NDArray[np.float32], step: float = FINE_STEP
    ) -> tuple[float, NDArray[np.float32], NDArray[np.float32]]:
        """Return Z, the repulsive force Σ_j q_ij² (y_i−y_j) and the attractive force Σ_j p̃_ij q_ij (y_i−y_j).

        The forces are in the same memory at every call.
        """
        if self.dense is not None:
            return exact_forces(Y, self.dense)
        if self.mesh is not None and not (len(Y) <= MESH_ONLY_FROM and self.mesh.too_wide(Y, step)):
            self.mesh.step = step
            Z, repulsive = self.mesh.repulsion(Y)
        else:
            Z, repulsive = exact_repulsion(Y)
        attract(self.entries, Y, Y, self.attractive)
        return Z, repulsive, self.attractive

    def kl(self, Y: NDArray[np.float32], Z: float) -> float:
        """Return KL(P̃‖Q̃) = Σ p̃ log p̃ + Σ p̃ log(1+‖y_i−y_j‖²) + log Z · Σ p̃."""
        if Z <= 0:
            raise ParameterError("the map is so wide that no item is near any other: Q̃ vanishes")
        sums = np.empty(PARTS)
        cross_entropy.over(PARTS, *self.entries, Y, Y, sums)
        return self.negative_entropy + float(sums.sum()) + self.total * math.log(Z)

    def divergence(self, Y: NDArray[np.float32]) -> float:
        """Return KL(P̃‖Q̃) of a map."""
        return self.kl(Y, self(Y)[0])

    def gradient(self, Y: NDArray[np.float32]) -> tuple[float, NDArray[np.float32]]:
        """Return KL(P̃‖Q̃) of a map and its gradient."""
        Z, repulsive, attractive = self(Y)
        return self.kl(Y, Z), (4 * (attractive - repulsive / np.float32(Z))).astype(np.float32)


def force_field(P: Any, n_components: int, method: str, workers: int, device: str) -> Any:
    """Return the forces of P̃ where it is."""
    if device == "cluster":
        from mrsne.backends.dask.step.motion import ClusterForces

        return ClusterForces(P)
    if device == "cpu":
        return Forces(P, n_components, method, workers)
    from mrsne.backends.gpu.forces.forces import Forces as DeviceForces
    from mrsne.backends.gpu.matrix.matrix import DeviceMatrix

    return DeviceForces(DeviceMatrix.of(P, device), method)


def kl_gradient(
    P: Any, Y: ArrayLike, method: str = "auto", n_jobs: int | None = None, *, device: str = "cpu"
) -> tuple[float, NDArray[np.float32]]:
    """Compute KL(P̃‖Q̃) and its gradient for a map.

    The gradient is 4 Σ_j (p̃_ij − q̃_ij)(y_i − y_j)/(1 + ‖y_i − y_j‖²).

    Parameters
    ----------
    P : sparse matrix or array of shape (n, n)
        Affinities P̃: symmetric, non-negative, summing to 1; they may be on a cluster.
    Y : array of shape (n, K)
        The map.
    method : {"auto", "exact", "fft"}
        All pairs, or a particle mesh with its finest step.
    n_jobs : int, optional
        Threads; all cores by default.
    device : {"cpu", "cuda", "auto"}
        Where to compute it; "cuda" for maps of two dimensions.

    Returns
    -------
    kl : float
        The divergence, in nats.
    gradient : array of shape (n, K), float32

    Examples
    --------
    >>> import numpy as np, mrsne
    >>> P = np.array([[0, 0.5], [0.5, 0]])
    >>> kl, gradient = mrsne.kl_gradient(P, [[0.0, 0.0], [1.0, 0.0]])
    >>> round(kl, 6)
    0.0
    """
    affinities = P if hasattr(P, "client") else check_affinities(P)
    layout = check_layout("Y", Y, affinities.shape[0])
    where = "cluster" if hasattr(P, "client") else choose_device(device)
    check_supported(where, layout.shape[1])
    chosen = choose_method(method, layout.shape[0], layout.shape[1], where)
    with threads(n_jobs) as workers:
        kl, gradient = force_field(affinities, layout.shape[1], chosen, workers, where).gradient(layout)
    return float(kl), np.asarray(gradient)


def check_affinities(P: Any, normalize: bool = False) -> sparse.csr_matrix:
    """Return P̃ as a CSR matrix with float32 values, sharing memory with the caller's where it already is one.

    With ``normalize`` it is divided by its sum, before numbers too small for single precision vanish.
    """
    matrix = sparse.csr_matrix(P) if sparse.issparse(P) else sparse.csr_matrix(np.asarray(P))
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if matrix.shape[0] != matrix.shape[1]:
        raise ParameterError(f"P must be square, got shape {matrix.shape}")
    if matrix.shape[0] < 2:
        raise ParameterError(f"P must hold at least 2 items, got {matrix.shape[0]}")
    values = matrix.data
    total = float(values.sum(dtype=np.float64)) if values.size else 0.0
    if normalize and np.isfinite(total) and total > 0 and abs(total - 1) > 1e-5:
        values = values / total
    values = values.astype(np.float32, copy=False)
    if values.size and not (np.isfinite(values.min()) and np.isfinite(values.max()) and values.min() >= 0):
        raise ParameterError("P must hold finite, non-negative numbers")
    if not values.any():
        raise ParameterError("P must have a positive entry, got none")
    return sparse.csr_matrix((values, matrix.indices, matrix.indptr), shape=matrix.shape)


def check_layout(name: str, Y: ArrayLike, n: int) -> NDArray[np.float32]:
    """Return positions as a C-ordered float32 array with one finite row per item."""
    try:
        layout = np.ascontiguousarray(Y, dtype=np.float32)
    except (ValueError, TypeError) as error:
        raise ParameterError(f"{name} must be an array of numbers of shape ({n}, K) ({error})") from error
    if layout.ndim != 2 or layout.shape[0] != n or layout.shape[1] < 1:
        raise ParameterError(f"{name} must have shape ({n}, K), one row per item, got {describe(layout)}")
    if not np.isfinite(layout).all():
        raise ParameterError(f"{name} must hold finite numbers, got {int((~np.isfinite(layout)).sum())} that are not")
    if np.abs(layout).max() >= FARTHEST:
        raise ParameterError(f"{name} must hold coordinates below {FARTHEST:g}, got {np.abs(layout).max():g}")
    return layout
