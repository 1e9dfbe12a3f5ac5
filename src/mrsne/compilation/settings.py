"""How every numeric loop is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba
from numpy.typing import NDArray

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Array = NDArray[Any]  # what a kernel takes; its types say what is in it

SETTINGS: dict[str, Any] = {
    # sums may be reordered and fused, so that loops vectorise; NaN and infinity keep their meaning, so that errors show
    "fastmath": {"reassoc", "contract", "arcp", "nsz", "afn"},
    "nogil": True,
    "error_model": "numpy",
}


def inlined(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Compile a small function that only kernels call."""
    compiled: Callable[Arguments, Result] = numba.njit(**SETTINGS)(function)
    return compiled
