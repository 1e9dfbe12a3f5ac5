"""Any P̃ into a map, and the gradient that is followed."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mrsne.arrays import Float32, Int64
from mrsne.backends.base import Backend, Matrix
from mrsne.backends.choice import choose_backend
from mrsne.backends.kernel import StudentKernel
from mrsne.layout.descent import descend
from mrsne.layout.inputs import check_affinities, check_layout, proper_affinities
from mrsne.layout.progress import stage
from mrsne.layout.schedule import START_DEVIATION, Callback
from mrsne.layout.settings import CheckedLayoutSettings, LayoutSettings, choose_method
from mrsne.layout.start import PAPER_DEVIATION, initial_layout
from mrsne.parameters import random_numbers


def embed(
    P: Any,
    n_components: int = LayoutSettings.n_components,
    init: Any = LayoutSettings.init,
    max_iter: int = LayoutSettings.max_iter,
    method: str = LayoutSettings.method,
    random_state: Any = None,
    *,
    early_exaggeration: float = LayoutSettings.early_exaggeration,
    learning_rate: Any = LayoutSettings.learning_rate,
    momentum: Any = LayoutSettings.momentum,
    schedule: str = LayoutSettings.schedule,
    min_grad_norm: float = LayoutSettings.min_grad_norm,
    n_iter_without_progress: int | None = None,
    max_seconds: float | None = None,
    callbacks: Any = (),
    checkpoint: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    device: str = "cpu",
    dof: float = LayoutSettings.dof,
) -> Float32:
    """Embed any affinities, computed by :func:`joint_affinities` or your own, by minimising KL(P̃‖Q̃).

    Parameters
    ----------
    P : sparse matrix or array of shape (n, n)
        Non-negative affinities. They are made symmetric as (P + Pᵀ)/2, the diagonal is left out, and they are divided
        by their sum; the caller's matrix is not changed. Or what :func:`joint_affinities` has left on a cluster.
    n_components : int
        Dimension K of the map.
    init : {"spectral", "random"} or array of shape (n, K)
    max_iter : int
    method : {"auto", "exact", "fft"}
    random_state : int, RandomState or None
    early_exaggeration, learning_rate, momentum : float, "auto" for the last two
    schedule : {"default", "stages", "paper"}
    min_grad_norm, n_iter_without_progress, max_seconds : float, int and float
        What ends a run early. These and all others as for :class:`mrsne.MRSNE`.
    callbacks, checkpoint, n_jobs, verbose : callables, path, int and bool
    dof : float
        Degrees of freedom of the map's kernel, as for :class:`mrsne.MRSNE`.
    device : {"cpu", "cuda", "auto"}
        "cuda" computes initialisation and map on a GPU (two dimensions; extra ``gpu``), "auto" where there is one.

    Returns
    -------
    Y : array of shape (n, K), float32

    See Also
    --------
    mrsne.MRSNE : Affinities and layout in one.
    mrsne.joint_affinities : Makes P̃.
    mrsne.kl_gradient : The gradient that is followed.

    Examples
    --------
    >>> import mrsne
    >>> from sklearn.neighbors import kneighbors_graph
    >>> graph = kneighbors_graph([[i, i * i] for i in range(20)], 4)
    >>> mrsne.embed(graph, max_iter=100, random_state=0).shape
    (20, 2)
    """
    given = locals()
    settings = LayoutSettings(**{setting.name: given[setting.name] for setting in fields(LayoutSettings)})
    backend = choose_backend(P, device, n_jobs)
    with backend.session():
        affinities = backend.load(P, proper_affinities)
        return lay_out(affinities, settings.checked(affinities.shape[0], backend), backend)[0]


def lay_out(P: Matrix, settings: CheckedLayoutSettings, backend: Backend) -> tuple[Float32, float, int]:
    """Embed affinities that are in an engine's memory; return the map, its divergence and the number of iterations.

    Items without any affinity would only be pushed, ever farther: but for the paper's schedule, they end on a circle.
    """
    n, K = P.shape[0], settings.given.n_components
    start, run = settings.start, settings.run
    if start is None:
        deviation = PAPER_DEVIATION if settings.given.is_paper else START_DEVIATION
        random = random_numbers(settings.given.random_state)
        with stage("Start", settings.given.verbose):
            start = initial_layout(P, settings.given.init, K, random, deviation)
    linked = np.flatnonzero(P.row_lengths() > 0)
    if len(linked) == n or settings.given.is_paper:
        return descend(P, start, run, backend)

    def of_all_items(callback: Callback) -> Callback:
        return lambda iteration, kl, Y: callback(iteration, kl, surrounded(Y, linked, n))

    callbacks = [of_all_items(callback) for callback in run.callbacks]
    run = replace(run, schedule=settings.given.phases(len(linked)), callbacks=callbacks)
    Y, _, n_iter = descend(P.restricted_to(linked), start[linked], run, backend)
    Y = surrounded(Y, linked, n)
    return Y, backend.forces(P, K, run.method, run.kernel).divergence(Y), n_iter


def surrounded(Y: Float32, linked: Int64, n: int) -> Float32:
    """Return a map of n items: the given ones at their places, all others evenly on a circle around them."""
    result = np.empty((n, Y.shape[1]), np.float32)
    result[linked] = Y
    others = np.setdiff1d(np.arange(n), linked)
    centre = (Y.max(axis=0) + Y.min(axis=0)) / 2
    radius = 1.1 * float(np.linalg.norm(Y - centre, axis=1).max()) + 1
    angle = 2 * np.pi * np.arange(len(others)) / len(others)
    result[others] = centre
    if Y.shape[1] == 1:
        side = np.where(np.arange(len(others)) % 2, -1, 1)
        result[others, 0] += side * radius * (1 + np.arange(len(others)) // 2 * 0.01)
    else:
        result[others, :2] += radius * np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)
    return result


def kl_gradient(
    P: Any,
    Y: ArrayLike,
    method: str = LayoutSettings.method,
    n_jobs: int | None = None,
    *,
    device: str = "cpu",
    dof: float = LayoutSettings.dof,
) -> tuple[float, Float32]:
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
