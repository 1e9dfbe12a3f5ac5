"""KL(P̃‖Q̃) and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mrsne.backends.choice import choose_backend
from mrsne.backends.kernel import StudentKernel
from mrsne.layout.affinities import check_affinities
from mrsne.layout.method import choose_method
from mrsne.layout.positions import check_layout


def kl_gradient(
    P: Any, Y: ArrayLike, method: str = "auto", n_jobs: int | None = None, *, device: str = "cpu", dof: float = 1.0
) -> tuple[float, NDArray[np.float32]]:
    """Compute KL(P̃‖Q̃) and its gradient for a map.

    The gradient is 4 Σ_j (p̃_ij − q̃_ij)(y_i − y_j)/(1 + ‖y_i − y_j‖²/α), with q̃_ij ∝ (1 + ‖y_i − y_j‖²/α)^−α.

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
    dof : float
        α, the degrees of freedom of the kernel.

    Returns
    -------
    kl : float
        The divergence, in nats.
    gradient : array of shape (n, K), float32

    See Also
    --------
    mrsne.embed : Follows it to a map.
    mrsne.joint_affinities : Makes P̃.

    Examples
    --------
    >>> import numpy as np, mrsne
    >>> P = np.array([[0, 0.5], [0.5, 0]])
    >>> kl, gradient = mrsne.kl_gradient(P, [[0.0, 0.0], [1.0, 0.0]])
    >>> round(kl, 6)
    0.0
    """
    kernel = StudentKernel.checked(dof)
    backend = choose_backend(P, device, n_jobs)
    with backend.session():
        affinities = backend.load(P, check_affinities)
        layout = check_layout("Y", Y, affinities.shape[0])
        chosen = choose_method(method, layout.shape[0], layout.shape[1], backend)
        kl, gradient = backend.forces(affinities, layout.shape[1], chosen, kernel).gradient(layout)
    return float(kl), np.asarray(gradient)
