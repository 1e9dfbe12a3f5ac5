"""Threads that share the work of compiled loops.

A loop is handed over in about a microsecond: threads wait inside compiled code for a job on the board, take pieces of
it by counting down, and count up what they have finished. Who gets no core in time takes no piece, and nobody waits for
it. When nothing has come for a while they wait in Python, where waiting costs nothing.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property
from queue import SimpleQueue

import numba
import numpy as np

from mrsne.compilation.code_version import code_version
from mrsne.compilation.counting import thread_count
from mrsne.compilation.instructions import Board, add, call_loop, give_way, pause, read, write
from mrsne.compilation.settings import SETTINGS, Array, inlined

PIECES = 4  # of a range for each thread: the first to finish takes the next
PATIENCE = 20_000  # looks at an empty board before a thread waits in Python: about a millisecond
BETWEEN = 64  # looks at the board before a waiting thread gives way to others

OPEN, DONE, FAILED = (np.uint64(place) for place in (Board.OPEN, Board.DONE, Board.FAILED))
CLOSED, ACTIVE = (np.uint64(place) for place in (Board.CLOSED, Board.ACTIVE))
LOOP, ARGUMENTS, COUNT, PARTS = (int(p) for p in (Board.LOOP, Board.ARGUMENTS, Board.COUNT, Board.PIECES))


@inlined
def take_pieces(board: Array) -> bool:
    """Do pieces of the job until none is open; return whether there was one."""
    any_taken = False
    while True:
        piece = add(board, OPEN, -1) - 1
        if piece < 0:
            return any_taken
        any_taken = True
        count, parts = board[COUNT], board[PARTS]
        if call_loop(board[LOOP], piece * count // parts, (piece + 1) * count // parts, board[ARGUMENTS]) != 0:
            write(board, FAILED, 1)
        add(board, DONE, 1)


@inlined
def do_job(board: Array, count: int, parts: int) -> None:
    """Offer a job that is described on the board, take part in it, and wait until all of it is done."""
    board[COUNT] = count
    board[PARTS] = parts
    write(board, DONE, 0)
    write(board, OPEN, parts)
    take_pieces(board)
    looks = 0
    while read(board, DONE) < parts:
        looks += 1
        pause()
        if looks % BETWEEN == 0:
            give_way()


def _serve(board: Array, number: int, patience: int) -> bool:
    """Work until the team is closed; return False where there was nothing to do for too long."""
    looks = 0
    while looks < patience:
        if read(board, CLOSED) != 0:
            return True
        if read(board, OPEN) > 0 and number < read(board, ACTIVE) and take_pieces(board):
            looks = 0
        looks += 1
        pause()
        if looks % BETWEEN == 0:
            give_way()
    return False


@cache
def _compiled_serve() -> Callable[[Array, int, int], bool]:
    kind = numba.boolean(numba.int64[::1], numba.int64, numba.int64)
    _serve.__qualname__ = f"{_serve.__name__}-{code_version()}"  # by which it is found on disk, as kernels are
    try:
        compiled: Callable[[Array, int, int], bool] = numba.njit(kind, cache=True, **SETTINGS)(_serve)
    except RuntimeError:  # nowhere to keep it
        compiled = numba.njit(kind, **SETTINGS)(_serve)
    return compiled


class ThreadTeam:
    """The calling thread, its owner, and its helpers, which start with the first job.

    The board holds one job at a time, so only the owner offers jobs.
    """

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
        return int(self.board[ACTIVE])

    @active.setter
    def active(self, count: int) -> None:
        self.board[ACTIVE] = count

    def gather(self) -> None:
        """Have all helpers that take part look at the board, and keep them there for the job that is offered next."""
        self._offering = True  # before the look at who is asleep: a helper that falls asleep meanwhile sees it
        self._wake_up()

    def dismiss(self) -> None:
        """Let helpers fall asleep, now that the job is done."""
        self._offering = False

    def _wake_up(self) -> None:
        if not self._helpers:
            for number in range(1, self.size):
                helper = threading.Thread(target=self._help, args=(number,), name=f"mrsne-{number}", daemon=True)
                helper.start()
                self._helpers.append(helper)  # now that it can be joined, even if there is no room for the next
        if self._asleep:
            with self._lock:
                wanted = {number for number in self._asleep if number < self.active}
                self._asleep -= wanted
            for number in wanted:
                self._wake[number].put(None)

    def _help(self, number: int) -> None:
        serve = _compiled_serve()
        while not serve(self.board, number, PATIENCE):
            with self._lock:
                self._asleep.add(number)
            if self._offering and number < self.active:
                with self._lock:
                    self._asleep.discard(number)
            else:
                self._wake[number].get()

    def close(self) -> None:
        """Send everybody home."""
        self.board[CLOSED] = 1
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
    team = ThreadTeam(size) if size > 1 else None
    token = _team.set(team)
    try:
        yield size
    finally:
        _team.reset(token)
        if team is not None:
            team.close()


def share(count: int, task: Callable[[int], None]) -> None:
    """Call ``task`` with every number below ``count``, on the threads of the surrounding :func:`threads` block.

    Each thread takes the next number when it is done with one. Kernels inside a task run on its own thread.
    """
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
        with lock:  # after an error or an interrupt nobody begins anything new
            turn = iter(())
        for helper in helpers:
            helper.result()
