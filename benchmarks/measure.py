"""Time by stage, and peak memory, of code that was not written to be measured."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import importlib
import os
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

STATISTICS = Path("/proc/self/statm")


class Stages:
    """Seconds spent in named functions; what one of them spends in another counts for the inner one only."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._running: list[list[Any]] = []

    def timed(self, stage: str, function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*arguments: Any, **options: Any) -> Any:
            self._running.append([stage, time.perf_counter()])
            try:
                return function(*arguments, **options)
            finally:
                _, start = self._running.pop()
                spent = time.perf_counter() - start
                self.seconds[stage] += spent
                if self._running:
                    self.seconds[self._running[-1][0]] -= spent

        return wrapper


@contextlib.contextmanager
def watching(hooks: dict[str, list[str]]) -> Iterator[Stages]:
    """Time functions, named as ``module:function`` or ``module:Class.method``, by stage."""
    stages = Stages()
    undo: list[tuple[Any, str, Any]] = []
    try:
        for stage, names in hooks.items():
            for name in names:
                module, _, path = name.partition(":")
                owner: Any = importlib.import_module(module)
                *parents, last = path.split(".")
                for parent in parents:
                    owner = getattr(owner, parent)
                undo.append((owner, last, owner.__dict__[last]))
                setattr(owner, last, stages.timed(stage, owner.__dict__[last]))
        yield stages
    finally:
        for owner, last, original in undo:
            setattr(owner, last, original)


class PeakMemory:
    """The largest resident memory, in MiB, above what was resident at the start; seen every few milliseconds."""

    def __enter__(self) -> PeakMemory:
        gc.collect()
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL("libc.so.6").malloc_trim(0)  # give back what earlier runs have freed
        self.start = self.peak = resident()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._done.wait(0.005):
            self.peak = max(self.peak, resident())

    def __exit__(self, *exception: object) -> None:
        self._done.set()
        self._thread.join()
        self.peak = max(self.peak, resident())

    @property
    def mebibytes(self) -> float:
        return self.peak - self.start


def resident() -> float:
    """Return the resident memory of this process in MiB; NaN where the system does not tell."""
    if not STATISTICS.exists():
        return float("nan")
    return int(STATISTICS.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
