"""Threads that share the work of compiled loops, and of tasks in Python.

A loop is handed over in about a microsecond: threads wait inside compiled code for a job on the board, take pieces of
it by counting down, and count up what they have finished. A thread that gets no core in time takes no piece, and no
other waits for it. When no job has come for a while they wait in Python, where waiting costs nothing.
"""

import math
import numbers
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from mrsne.arrays import Int64
from mrsne.parameters import ParameterError, describe

MOST = 1024  # threads; no machine has that many cores
CONTAINER_TIME = (  # where Linux says how much time a container gets of how much: now, and before 2016
    ("/sys/fs/cgroup/cpu.max",),
    ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
)
PATIENCE = 20_000  # looks at an empty board before a thread waits in Python: about a millisecond

Serve = Callable[[Int64, int, int], bool]  # the loop in which threads wait: board, number and patience
T = TypeVar("T")


def one_for_each_process(make: Callable[[], T]) -> Callable[[], T]:
    """Return what gives a lock: a forked process has its own, since no thread there gives back what it held."""
    made: dict[int, T] = {}
    return lambda: made.get(os.getpid()) or made.setdefault(os.getpid(), make())


def held_while_forking(lock: Any) -> None:
    """Have a fork wait for a lock that guards the insides of a library, of which the copy would be half changed."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


class Board(IntEnum):
    """Where things stand on the board; what different threads write is on different cache lines."""

    OPEN = 0  # pieces not yet taken; below zero once threads have looked for more
    DONE = 16  # pieces that are finished
    LOOP = 32  # address of the job's loop
    ARGUMENTS = 33  # address of its arguments
    COUNT = 34  # length of its range
    PIECES = 35
    FAILED = 48  # not zero: the loop raised an error
    CLOSED = 64  # not zero: threads end
    ACTIVE = 65  # threads that take part, the calling one among them
    SIZE = 80


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` stands for: None and -1 mean every core this process may use."""
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0):
        raise ParameterError(f"n_jobs must be None or a non-zero integer (-1: all cores), got {describe(n_jobs)}")
    if n_jobs is not None and n_jobs > 0:
        return min(int(n_jobs), MOST)
    return max(1, _usable_cores() + 1 + int(n_jobs or -1))


def _usable_cores() -> int:
    """Return how many cores this process may use, or less where its container is given less time than those have."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for files in CONTAINER_TIME:
        try:
            quota, period = (int(word) for file in files for word in Path(file).read_text("ascii").split())
        except (OSError, ValueError):  # no such file, or "max": no limit
            continue
        if quota > 0 and period > 0:
            cores = min(cores, math.ceil(quota / period))
    return min(cores, int(os.environ.get("LOKY_MAX_CPU_COUNT", cores)))  # as all that uses joblib is limited


_limiting = one_for_each_process(threading.Lock)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Multiply matrices on the calling thread, because several threads do so at a time.

    The limit holds for the whole process, so a thread that finds it set leaves it alone: otherwise the last one to
    finish would restore another thread's limit, for good.
    """
    limiting = _limiting()
    if not limiting.acquire(blocking=False):
        yield
        return
    try:
        with threadpool_limits(1, "blas"):
            yield
    finally:
        limiting.release()


class ThreadTeam:
    """The calling thread, its owner, which alone offers jobs, and its helpers, which start with the first one."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.owner = os.getpid(), threading.get_ident()
        self.board = np.zeros(Board.SIZE, np.int64)
        self.active = size
        self._offering = False
        self._asleep: set[int] = set()
        self._lock = threading.Lock()
        self._wake: list[SimpleQueue[None]] = [SimpleQueue() for _ in range(size)]
        self._helpers: list[threading.Thread] = []

    @cached_property
    def pool(self) -> ThreadPoolExecutor:
        """As many threads, for tasks in Python."""
        return ThreadPoolExecutor(max(1, self.size - 1), thread_name_prefix="mrsne")

    @property
    def active(self) -> int:
        """How many threads take part in jobs, the calling one among them."""
        return int(self.board[Board.ACTIVE])

    @active.setter
    def active(self, count: int) -> None:
        self.board[Board.ACTIVE] = count

    @contextmanager
    def gathered(self, serve: Serve) -> Iterator[None]:
        """Have all helpers that take part look at the board, and keep them there for the job that is offered inside."""
        try:
            self._offering = True  # before the look at who is asleep: a helper that falls asleep meanwhile sees it
            self._wake_up(serve)
            yield
        finally:
            self._offering = False

    def _wake_up(self, serve: Serve) -> None:
        if not self._helpers:
            for number in range(1, self.size):
                helper = threading.Thread(target=self._help, args=(number, serve), name=f"mrsne-{number}", daemon=True)
                helper.start()
                self._helpers.append(helper)  # now that it can be joined, even if there is no room for the next
        if self._asleep:
            with self._lock:
                wanted = {number for number in self._asleep if number < self.active}
                self._asleep -= wanted
            for number in wanted:
                self._wake[number].put(None)

    def _help(self, number: int, serve: Serve) -> None:
        while not serve(self.board, number, PATIENCE):
            with self._lock:
                self._asleep.add(number)
            if self._offering and number < self.active:
                with self._lock:
                    self._asleep.discard(number)
            else:
                self._wake[number].get()

    def close(self) -> None:
        """End all threads."""
        self.board[Board.CLOSED] = 1
        for queue in self._wake:
            queue.put(None)
        for helper in self._helpers:
            helper.join()
        if "pool" in self.__dict__:
            self.pool.shutdown()


_team: ContextVar[ThreadTeam | None] = ContextVar("team", default=None)


def current_team() -> ThreadTeam | None:
    """Return the team of the surrounding :func:`threads` block, if it is one of several threads.

    A thread that runs in a copy of this one's context, as those of ``asyncio.to_thread`` do, has none, and neither has
    a process that was forked inside the block.
    """
    team = _team.get()
    return team if team is not None and team.owner == (os.getpid(), threading.get_ident()) else None


def team_size() -> int:
    """Return how many threads the surrounding :func:`threads` block has; 1 outside of one."""
    team = current_team()
    return 1 if team is None else team.size


@contextmanager
def threads(n_jobs: int | None) -> Iterator[int]:
    """Run the enclosed loops on ``n_jobs`` threads; yields their number."""
    size = thread_count(n_jobs)
    team = ThreadTeam(size) if size > 1 else None
    token = _team.set(team)
    try:
        yield size
    finally:
        _team.reset(token)
        if team is not None:
            team.close()


def share(count: int, task: Callable[[int], Any]) -> None:
    """Call ``task`` with every number below ``count``, on the threads of the surrounding :func:`threads` block."""
    team = current_team()
    turn = iter(range(count))
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                number = next(turn, None)
            if number is None:
                return
            task(number)

    if team is None:
        work()
        return
    helpers: list[Future[None]] = []
    token = _team.set(None)  # first, as threads may start in a copy of this context
    try:
        for _ in range(min(team.size, count) - 1):
            helpers.append(team.pool.submit(work))
        work()
    finally:
        _team.reset(token)
        with lock:  # after an error or an interrupt no thread begins another task
            turn = iter(())
        for helper in helpers:
            helper.result()
