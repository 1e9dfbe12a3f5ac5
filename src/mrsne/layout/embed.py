"""Any P̃ into a map."""

from __future__ import annotations

import hashlib
import numbers
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from mrsne.backends.choice import check_supported, choose_device
from mrsne.compilation import threads
from mrsne.layout.descent import Callback, descend
from mrsne.layout.gradient import check_affinities, choose_method, force_field
from mrsne.layout.initialization import PAPER_DEVIATION, check_init, initial_layout
from mrsne.layout.schedule import START_DEVIATION, check_schedule_parameters, default_schedule, paper_schedule
from mrsne.layout.stopping import Stopping
from mrsne.matrices import is_symmetric, row_lengths
from mrsne.parameters import ParameterError, check_integer, check_option, describe

SCHEDULES = ("default", "paper")
SYMMETRIC_WITHIN = 1e-6  # of the largest entry


def embed(
    P: Any,
    n_components: int = 2,
    init: Any = "spectral",
    max_iter: int = 750,
    method: str = "auto",
    random_state: Any = None,
    *,
    early_exaggeration: float = 12.0,
    learning_rate: Any = "auto",
    momentum: float = 0.8,
    schedule: str = "default",
    min_grad_norm: float = 1e-7,
    n_iter_without_progress: int | None = None,
    max_seconds: float | None = None,
    callbacks: Any = (),
    checkpoint: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    device: str = "cpu",
) -> NDArray[np.float32]:
    """Embed any affinities, computed by :func:`joint_affinities` or your own, by minimising KL(P̃‖Q̃).

    Parameters
    ----------
    P : sparse matrix or array of shape (n, n)
        Non-negative affinities. They are made symmetric as (P + Pᵀ)/2, the diagonal is left out, and they are divided
        by their sum; the caller's matrix stays as it is. Or what :func:`joint_affinities` has left on a cluster.
    n_components : int
        Dimension K of the map.
    init : {"spectral", "random"} or array of shape (n, K)
    max_iter : int
    method : {"auto", "exact", "fft"}
    random_state : int, RandomState or None
    early_exaggeration, learning_rate, momentum : float
    schedule : {"default", "paper"}
    min_grad_norm, n_iter_without_progress, max_seconds : float, int and float
        What ends a run early. These and all others as for :class:`mrsne.MRSNE`.
    callbacks, checkpoint, n_jobs, verbose : callables, path, int and bool
    device : {"cpu", "cuda", "auto"}
        "cuda" computes start and map on a GPU (two dimensions; extra ``gpu``), "auto" where there is one.

    Returns
    -------
    Y : array of shape (n, K), float32

    Examples
    --------
    >>> import mrsne
    >>> from sklearn.neighbors import kneighbors_graph
    >>> graph = kneighbors_graph([[i, i * i] for i in range(20)], 4)
    >>> mrsne.embed(graph, max_iter=100, random_state=0).shape
    (20, 2)
    """
    affinities = P if hasattr(P, "client") else _proper(check_affinities(P, normalize=True))
    return lay_out(
        affinities,
        n_components=n_components,
        init=init,
        max_iter=max_iter,
        method=method,
        random_state=random_state,
        early_exaggeration=early_exaggeration,
        learning_rate=learning_rate,
        momentum=momentum,
        schedule=schedule,
        min_grad_norm=min_grad_norm,
        n_iter_without_progress=n_iter_without_progress,
        max_seconds=max_seconds,
        callbacks=callbacks,
        checkpoint=checkpoint,
        n_jobs=n_jobs,
        verbose=verbose,
        device=device,
    )[0]


def lay_out(
    P: Any,
    *,
    n_components: int,
    init: Any,
    max_iter: int,
    method: str,
    random_state: Any,
    early_exaggeration: float,
    learning_rate: Any,
    momentum: float,
    schedule: str,
    min_grad_norm: float,
    n_iter_without_progress: int | None,
    max_seconds: float | None,
    callbacks: Any,
    checkpoint: str | os.PathLike[str] | None,
    n_jobs: int | None,
    verbose: bool,
    device: str = "cpu",
) -> tuple[NDArray[np.float32], float, int]:
    """Embed proper affinities, in any memory; return the map, its divergence and the number of iterations.

    Items without any affinity would only be pushed, ever farther: they take no part in the descent and end on a ring
    around the map. In the paper's schedule they do take part.
    """
    n = P.shape[0]
    functions = check_settings(
        n,
        n_components=n_components,
        init=init,
        max_iter=max_iter,
        method=method,
        early_exaggeration=early_exaggeration,
        learning_rate=learning_rate,
        momentum=momentum,
        schedule=schedule,
        min_grad_norm=min_grad_norm,
        n_iter_without_progress=n_iter_without_progress,
        max_seconds=max_seconds,
        callbacks=callbacks,
        checkpoint=checkpoint,
        device=device,
    )
    where = "cluster" if hasattr(P, "client") else choose_device(device)
    chosen = choose_method(method, n, n_components, where)
    paper = schedule == "paper"
    if where == "cuda":
        from mrsne.backends.gpu.matrix.matrix import DeviceMatrix

        P = DeviceMatrix.of(P, where)  # once, for the start and all iterations
    with threads(n_jobs):
        start = initial_layout(
            P, init, n_components, check_random_state(random_state), PAPER_DEVIATION if paper else START_DEVIATION
        )
    tied = np.flatnonzero(row_lengths(P) > 0)
    alone = len(tied) < n and not paper
    phases = (
        paper_schedule(max_iter, learning_rate, momentum)
        if paper
        else default_schedule(len(tied), max_iter, early_exaggeration, learning_rate, momentum)
    )
    Y, kl, n_iter = descend(
        _among(P, tied) if alone else P,
        start[tied] if alone else start,
        phases,
        chosen,
        stopping=Stopping(min_grad_norm, n_iter_without_progress, max_seconds),
        callbacks=[_with_the_others(function, tied, n) for function in functions] if alone else functions,
        checkpoint=checkpoint,
        origin=_origin(init, random_state),
        n_jobs=n_jobs,
        verbose=verbose,
        device=where,
    )
    if alone:
        Y = surrounded(Y, tied, n)
        with threads(n_jobs) as workers:
            kl = force_field(P, n_components, chosen, workers, where).divergence(Y)
    return Y, kl, n_iter


def _among(P: Any, items: NDArray[np.int64]) -> Any:
    """Return P̃ of some items."""
    return P[items][:, items] if isinstance(P, sparse.csr_matrix) else P.among(items)


def check_settings(
    n: int,
    *,
    n_components: Any,
    init: Any,
    max_iter: Any,
    method: Any,
    early_exaggeration: Any,
    learning_rate: Any,
    momentum: Any,
    schedule: Any,
    min_grad_norm: Any,
    n_iter_without_progress: Any,
    max_seconds: Any,
    callbacks: Any,
    checkpoint: Any,
    device: Any = "cpu",
) -> Sequence[Callback]:
    """Raise an error that names the first setting n items cannot be laid out with; return the callbacks as a list."""
    check_integer("n_components", n_components, minimum=1)
    check_integer("max_iter", max_iter, minimum=1)
    Stopping.checked(min_grad_norm, n_iter_without_progress, max_seconds)
    check_option("schedule", schedule, SCHEDULES)
    check_schedule_parameters(early_exaggeration, learning_rate, momentum)
    if schedule == "paper":
        paper_schedule(max_iter, learning_rate, momentum)
    where = choose_device(device)
    check_supported(where, n_components)
    choose_method(method, n, n_components, where)
    check_init(init, n, n_components)
    if checkpoint is not None:
        if not isinstance(checkpoint, (str, os.PathLike)):
            raise ParameterError(f"checkpoint must be a path or None, got {describe(checkpoint)}")
        folder = Path(checkpoint).parent
        if not folder.is_dir():
            raise ParameterError(f"checkpoint must be in an existing folder, got {str(checkpoint)!r}")
    return check_callbacks(callbacks)


def _origin(init: Any, random_state: Any) -> object:
    """Return what tells one start from another; without a seed every start is as good as any other."""
    if not isinstance(init, str):
        return hashlib.blake2b(np.ascontiguousarray(init, dtype=np.float32).tobytes(), digest_size=16).hexdigest()
    return init, random_state if isinstance(random_state, numbers.Integral) else None


def surrounded(Y: NDArray[np.float32], tied: NDArray[np.int64], n: int) -> NDArray[np.float32]:
    """Return a map of n items: the given ones at their places, all others evenly on a circle around them."""
    result = np.empty((n, Y.shape[1]), np.float32)
    result[tied] = Y
    others = np.setdiff1d(np.arange(n), tied)
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


def _with_the_others(function: Callback, tied: NDArray[np.int64], n: int) -> Callback:
    return lambda iteration, kl, Y: function(iteration, kl, surrounded(Y, tied, n))


def check_callbacks(callbacks: Any) -> Sequence[Callback]:
    """Return callbacks as a list, from one or several."""
    functions = (
        [callbacks] if callable(callbacks) else list(callbacks) if isinstance(callbacks, (list, tuple)) else None
    )
    if functions is None or not all(callable(function) for function in functions):
        raise ParameterError(f"callbacks must be a callable or a list of callables, got {describe(callbacks)}")
    return functions


def _proper(P: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return affinities that are symmetric, have no diagonal and sum to 1; as given where they already are."""
    if not is_symmetric(P, SYMMETRIC_WITHIN * float(P.data.max())) or P.diagonal().any():
        P = ((P + P.T.tocsr()) * np.float32(0.5)).tocsr()
        P.setdiag(0)
    if not P.has_canonical_format or not P.data.all():
        P = P.copy()
        P.sum_duplicates()
        P.eliminate_zeros()
    total = P.data.sum(dtype=np.float64)
    if total <= 0:
        raise ParameterError("P must have a positive entry off its diagonal, got none")
    return (
        P
        if abs(total - 1) < 1e-5
        else sparse.csr_matrix((P.data / np.float32(total), P.indices, P.indptr), shape=P.shape)
    )
