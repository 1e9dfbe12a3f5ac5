"""Word of loops that are being compiled, for those who wait."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event

COMPILING = "compiling (first use)"


class _Compilations(event.Listener):
    """Hears from numba when it begins and ends to compile; what is read from its cache is not compiled."""

    def __init__(self, tell: Callable[[bool], object]) -> None:
        self._tell, self._depth, self._lock = tell, 0, threading.Lock()

    def _count(self, change: int) -> None:
        with self._lock:  # functions that a loop calls are compiled inside of it
            before, self._depth = self._depth, self._depth + change
            changed = (before == 0) != (self._depth == 0)
        if changed:
            self._tell(self._depth > 0)

    def on_start(self, event: Any) -> None:
        """Hear that something is compiled."""
        self._count(1)

    def on_end(self, event: Any) -> None:
        """Hear that it is done."""
        self._count(-1)


@contextmanager
def compilations_told(tell: Callable[[bool], object]) -> Iterator[None]:
    """Call ``tell(True)`` when a loop begins to be compiled, in whatever thread, and ``tell(False)`` when it is done.

    Examples
    --------
    >>> import numba
    >>> heard = []
    >>> with compilations_told(heard.append):
    ...     numba.njit("i8(i8)")(lambda number: number + 1)(2)
    3
    >>> heard
    [True, False]
    """
    with event.install_listener("numba:compile", _Compilations(tell)):
        yield
