"""Where a run is computed: on the processor, or on a GPU with torch and triton."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from mrsne.parameters import ParameterError, check_option

DEVICES = ("cpu", "cuda", "auto")


class DeviceError(ValueError):
    """A GPU was asked for, and there is none that can be used."""


def choose_device(device: Any) -> str:
    """Return "cpu" or "cuda".

    Parameters
    ----------
    device : {"cpu", "cuda", "auto"}
        "auto" is the GPU where there is one that torch and triton can use.

    Raises
    ------
    DeviceError
        If "cuda" cannot be used; the message says what is missing.

    Examples
    --------
    >>> choose_device("cpu")
    'cpu'
    """
    check_option("device", device, DEVICES)
    if device == "cpu":
        return "cpu"
    problem = _problem()
    if problem is None:
        return "cuda"
    if device == "cuda":
        raise DeviceError(f"device='cuda' cannot be used: {problem}; device='auto' takes the processor then")
    return "cpu"


def check_supported(device: str, n_components: int) -> None:
    """Raise unless maps of this dimension can be computed on a device."""
    if device == "cuda" and n_components != 2:
        raise ParameterError(
            f"device='cuda' computes maps of 2 dimensions, got n_components={n_components}; use device='cpu'"
        )


def _problem() -> str | None:
    """Return why there is no GPU, or None if there is one."""
    try:
        import torch
    except ImportError:
        return "torch is not installed (pip install 'mrsne[gpu]')"
    if not torch.cuda.is_available():
        return "torch finds no CUDA device"
    if find_spec("triton") is None:
        return "triton is not installed (pip install 'mrsne[gpu]')"
    return None
