"""How every numeric loop of mrsne is compiled, and how it is shared among threads.

Loops are compiled without numba's own threads: their code rounds differently when fresh from the compiler and when read
from the cache, and they spin between loops while the FFT needs the cores. A kernel works on a range of rows instead,
and :meth:`Kernel.over` gives ranges to threads.

Every kernel names the types of its arguments, so it is compiled once, when it is first needed, whatever arrays come: an
array that cannot be written to or another width of index never means another compilation.

Internal: see ``docs/architecture.md`` for what is public.
"""

from __future__ import annotations

import numbers
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mrsne.parameters import ParameterError, describe

Rest = ParamSpec("Rest")
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Array = NDArray[Any]  # what a kernel takes; its types say what is in it

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


Loop = Callable[Concatenate[int, int, Rest], None]


def kernel(types: str) -> Callable[[Loop[Rest]], Kernel[Rest]]:
    """Compile a loop over a range: a function of its first and last index and of arrays that it fills.

    ``types`` are those of its other arguments, such as ``"f4 i8[:] f4[:,:]!"``: kind and bytes as in numpy, colons for
    the axes of an array in C order, and an exclamation mark where the kernel writes to it.
    """
    return lambda function: Kernel(function, types)


def _numba_type(name: str) -> Any:
    scalar, _, axes = name.rstrip("!").partition("[")
    number = numba.from_dtype(np.dtype(scalar))
    return numba.types.Array(number, axes.count(":"), "C", readonly=not name.endswith("!")) if axes else number


class Kernel(Generic[Rest]):
    """A compiled loop, with its machine code cached on disk.

    Where there can be no cache (a read-only installation, no home directory), it is compiled anew in each process.
    """

    def __init__(self, function: Loop[Rest], types: str) -> None:
        self.function = function
        self.signature = numba.void(numba.int64, numba.int64, *map(_numba_type, types.split()))
        self._compiled: Callable[..., None] | None = None
        self._lock = threading.Lock()

    @property
    def compiled(self) -> Callable[..., None]:
        """The machine code, from the compiler when it is first asked for."""
        with self._lock:
            if self._compiled is None:
                try:
                    self._compiled = numba.njit(self.signature, cache=True, **SETTINGS)(self.function)
                except RuntimeError:
                    self._compiled = numba.njit(self.signature, **SETTINGS)(self.function)
            return self._compiled

    def alone(self, count: int, *arguments: Rest.args, **nothing: Rest.kwargs) -> None:
        """Run the loop over ``range(count)`` on this thread."""
        self.compiled(0, count, *arguments)

    def over(self, count: int, *arguments: Rest.args, **nothing: Rest.kwargs) -> None:
        """Run the loop over ``range(count)``, on the threads of the surrounding :func:`threads` block."""
        team = _team.get()
        compiled = self.compiled
        if team is None or team.size == 1 or count < 2:
            compiled(0, count, *arguments)
            return
        pieces = min(count, PIECES * team.size)
        ends = [piece * count // pieces for piece in range(pieces + 1)]
        share(pieces, lambda piece: compiled(ends[piece], ends[piece + 1], *arguments))


def share(count: int, task: Callable[[int], None]) -> None:
    """Call ``task`` with every number below ``count``, on the threads of the surrounding :func:`threads` block.

    Each thread takes the next number when it is done with one. Kernels inside a task run on its own thread.
    """
    team = _team.get()
    turn = iter(range(count))
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                number = next(turn, None)
            if number is None:
                return
            task(number)

    if team is None or team.size == 1:
        work()
        return
    helpers = [team.pool.submit(work) for _ in range(min(team.size, count) - 1)]
    token = _team.set(None)
    try:
        work()
    finally:
        _team.reset(token)
        with lock:  # after an error or an interrupt nobody begins anything new
            turn = iter(())
        for helper in helpers:
            helper.result()


@dataclass(frozen=True)
class ThreadTeam:
    """Threads that share the work of kernels."""

    size: int
    pool: ThreadPoolExecutor


_team: ContextVar[ThreadTeam | None] = ContextVar("team", default=None)


@contextmanager
def threads(n_jobs: int | None) -> Iterator[int]:
    """Run the enclosed kernels on ``n_jobs`` threads; yields their number.

    Examples
    --------
    >>> with threads(1) as count:
    ...     count
    1
    """
    size = thread_count(n_jobs)
    with ThreadPoolExecutor(max(1, size - 1), thread_name_prefix="mrsne") as pool:
        token = _team.set(ThreadTeam(size, pool))
        try:
            yield size
        finally:
            _team.reset(token)


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


_limiting = threading.Lock()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Multiply matrices on the calling thread, because several threads do so at a time.

    The limit is one of the whole process. Whoever comes first sets it and lifts it; who comes while it is set leaves it
    alone. If everyone restored what they had found, the last one would restore the limit of the others, for good.
    """
    if not _limiting.acquire(blocking=False):
        yield
        return
    try:
        with threadpool_limits(1, "blas"):
            yield
    finally:
        _limiting.release()
