"""What was computed for a map and may be asked for again: its affinities and its report card."""

import threading
from collections.abc import Callable
from typing import Any

from mrsne.threads import one_for_each_process


class Memory:
    """The last value of each name, with the data and the settings that it was computed from."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[Any, Any, Any]] = {}
        self._lock = one_for_each_process(threading.RLock)

    def put(self, name: str, data: Any, settings: Any, value: Any) -> None:
        """Keep a value in place of the one before."""
        with self._lock():
            self._values[name] = (data, settings, value)

    def get(self, name: str, data: Any, settings: Any, compute: Callable[[], Any]) -> Any:
        """Return the value for the same data, which is not compared item by item, and equal settings."""
        with self._lock():
            known_data, known_settings, value = self._values.get(name, (None, None, None))
            if name not in self._values or known_data is not data or known_settings != settings:
                value = compute()
                self.put(name, data, settings, value)
            return value


def memory_of(embedding: Any) -> Memory:
    """Return what an Embedding remembers; other mappings of coordinates remember nothing."""
    memory: Memory | None = getattr(embedding, "_memory", None)
    return Memory() if memory is None else memory
