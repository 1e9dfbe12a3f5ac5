"""How every numeric loop of mrsne is compiled, and how it is shared among threads.

Loops are compiled without numba's own threads: their code rounds differently when fresh from the compiler and when read
from the cache, and they spin between loops while the FFT needs the cores. A kernel works on a range of rows instead,
and :meth:`Kernel.over` gives ranges to threads.
"""

from __future__ import annotations

import itertools
import numbers
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import numba
from numpy.typing import NDArray

from mrsne.parameters import ParameterError, describe

Rest = ParamSpec("Rest")
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Array = NDArray[Any]  # what a kernel takes; numba compiles it anew for each element type

SETTINGS: dict[str, Any] = {
    # sums may be reordered and fused, so that loops vectorise; NaN and infinity keep their meaning, so that errors show
    "fastmath": {"reassoc", "contract", "arcp", "nsz", "afn"},
    "nogil": True,
    "error_model": "numpy",
}
PIECES = 2  # ranges per thread: the first to finish takes the next
WORTH_SHARING = 20_000  # items from which a few operations for each take longer than waking another thread, 50 µs


def inlined(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Compile a small function that only kernels call."""
    compiled: Callable[Arguments, Result] = numba.njit(**SETTINGS)(function)
    return compiled


def kernel(function: Callable[Concatenate[int, int, Rest], None]) -> Kernel[Rest]:
    """Compile a loop over a range: a function of its first and last index and of arrays that it fills."""
    return Kernel(function)


class Kernel(Generic[Rest]):
    """A compiled loop, with its machine code cached on disk.

    Where there can be no cache (a read-only installation, no home directory), it is compiled anew in each process.
    """

    def __init__(self, function: Callable[Concatenate[int, int, Rest], None]) -> None:
        self.compiled: Callable[..., None]
        try:
            self.compiled = numba.njit(cache=True, **SETTINGS)(function)
        except RuntimeError:
            self.compiled = numba.njit(**SETTINGS)(function)

    def alone(self, count: int, *arguments: Rest.args, **nothing: Rest.kwargs) -> None:
        """Run the loop over ``range(count)`` on this thread."""
        self.compiled(0, count, *arguments)

    def over(self, count: int, *arguments: Rest.args, **nothing: Rest.kwargs) -> None:
        """Run the loop over ``range(count)``, on the threads of the surrounding :func:`threads` block."""
        crew = _crew.get()
        if crew is None or crew.size == 1 or count < 2:
            self.compiled(0, count, *arguments)
            return
        pieces = min(count, PIECES * crew.size)
        ends = [piece * count // pieces for piece in range(pieces + 1)]
        turn = itertools.count()

        def work() -> None:
            while (piece := next(turn)) < pieces:
                self.compiled(ends[piece], ends[piece + 1], *arguments)

        helpers = [crew.pool.submit(work) for _ in range(crew.size - 1)]
        work()
        for helper in helpers:
            helper.result()


@dataclass(frozen=True)
class Crew:
    """Threads that share the work of kernels."""

    size: int
    pool: ThreadPoolExecutor


_crew: ContextVar[Crew | None] = ContextVar("crew", default=None)


@contextmanager
def threads(n_jobs: int | None) -> Iterator[int]:
    """Run the enclosed kernels on ``n_jobs`` threads; yields how many that are.

    Examples
    --------
    >>> with threads(1) as count:
    ...     count
    1
    """
    size = thread_count(n_jobs)
    with ThreadPoolExecutor(max(1, size - 1), thread_name_prefix="mrsne") as pool:
        token = _crew.set(Crew(size, pool))
        try:
            yield size
        finally:
            _crew.reset(token)


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` stands for: None and -1 mean every core this process may use.

    Examples
    --------
    >>> thread_count(1), thread_count(3)
    (1, 3)
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return cores
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ParameterError(f"n_jobs must be None or a non-zero integer (-1: all cores), got {describe(n_jobs)}")
    return int(n_jobs) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))
