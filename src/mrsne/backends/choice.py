"""Which engine computes: the only place that asks where data is, and what a device is called."""

from importlib.util import find_spec
from typing import Any

from mrsne.backends.base import Backend
from mrsne.data.lazy import LazyData
from mrsne.parameters import MrsneError, ParameterError, check_option

DEVICES = ("cpu", "cuda", "auto")


class DeviceError(MrsneError, ValueError):
    """A GPU was asked for, and there is none that can be used."""


def choose_backend(data: Any, device: str = "cpu", n_jobs: int | None = None) -> Backend:
    """Return the engine for data, or for affinities, and a device; it is called once for a fit."""
    check_option("device", device, DEVICES)
    is_on_a_cluster = getattr(type(data), "engine", None) == "dask"  # affinities that joint_affinities left there
    if is_on_a_cluster or isinstance(data, LazyData):
        from mrsne.backends.dask.backend import DaskBackend, ThreadedDaskBackend
        from mrsne.backends.dask.connection import current_client

        check_cluster_device(device)
        client = data.client if is_on_a_cluster else current_client()
        return ThreadedDaskBackend(n_jobs) if client is None else DaskBackend(client, n_jobs)
    problem = None if device == "cpu" else gpu_problem()
    if device == "cuda" and problem is not None:
        raise DeviceError(f"device='cuda' cannot be used: {problem}; use device='auto' to fall back to the processor")
    if device != "cpu" and problem is None:
        from mrsne.backends.gpu.backend import GpuBackend

        return GpuBackend(n_jobs)
    from mrsne.backends.cpu.backend import CpuBackend

    return CpuBackend(n_jobs)


def check_cluster_device(device: str) -> None:
    """Raise where a GPU is asked for together with a cluster, whose workers compute on processors."""
    if device == "cuda":
        raise ParameterError(f"device must be 'cpu' or 'auto' for data in dask collections, got {device!r}")


def gpu_problem() -> str | None:
    """Return why no GPU can be used, or None if one can."""
    try:
        import torch
    except ImportError:
        return "torch is not installed (pip install 'mrsne[gpu]')"
    if not torch.cuda.is_available():
        return "torch finds no CUDA device"
    if find_spec("triton") is None:
        return "triton is not installed (pip install 'mrsne[gpu]')"
    return None
