"""How every numeric loop of mrsne is compiled, and how many threads it may use."""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import numba
from numpy.typing import NDArray

from mrsne.parameters import ParameterError, describe

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Array = NDArray[Any]  # what a kernel takes; numba compiles it anew for each element type

# Sums may be reordered and fused, so that loops vectorise; NaN and infinity keep their meaning, so that errors stay
# visible.
FASTMATH = {"reassoc", "contract", "arcp", "nsz", "afn"}


def kernel(*, parallel: bool = False) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Compile a function of plain arrays with numba, on its first call.

    Machine code is cached on disk. Where the cache cannot be written (a read-only installation without a home
    directory), the function is compiled anew in each process instead of failing.
    """

    def compile_lazily(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        settings: dict[str, Any] = {"parallel": parallel, "fastmath": FASTMATH, "nogil": True, "error_model": "numpy"}
        compiled: Callable[Arguments, Result]
        try:
            compiled = numba.njit(cache=True, **settings)(function)
        except RuntimeError:
            compiled = numba.njit(**settings)(function)
        return compiled

    return compile_lazily


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` stands for: None and -1 mean every core this process may use.

    Examples
    --------
    >>> thread_count(1)
    1
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    available = min(cores, int(vars(numba.config)["NUMBA_NUM_THREADS"]))
    if n_jobs is None:
        return available
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ParameterError(f"n_jobs must be None or a non-zero integer (-1: all cores), got {describe(n_jobs)}")
    if n_jobs < 0:
        return max(1, available + 1 + int(n_jobs))
    return min(int(n_jobs), available)


@contextmanager
def threads(n_jobs: int | None) -> Iterator[int]:
    """Run the enclosed kernels on ``n_jobs`` threads and give the caller's own setting back afterwards."""
    wanted = thread_count(n_jobs)
    before = numba.get_num_threads()
    numba.set_num_threads(wanted)
    try:
        yield wanted
    finally:
        numba.set_num_threads(before)
