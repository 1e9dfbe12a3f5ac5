"""P̃ where it was computed, until somebody asks for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class KeptAffinities:
    """What brings P̃ from an engine's memory, once; pickled, it is P̃ itself.

    Examples
    --------
    >>> kept = KeptAffinities(lambda: [print("brought")])
    >>> kept.bring() is kept.bring()
    brought
    True
    """

    def __init__(self, gather: Callable[[], Any]) -> None:
        self._gather: Callable[[], Any] | None = gather
        self._P: Any = None
        self._lock = threading.Lock()

    @classmethod
    def holding(cls, P: Any) -> KeptAffinities:
        """Return a P̃ that is here already."""
        return cls(lambda: P)

    def bring(self) -> Any:
        """Return P̃; the engine's own copy is let go of."""
        with self._lock:
            if self._gather is not None:
                self._P, self._gather = self._gather(), None
            return self._P

    def __reduce__(self) -> Any:
        return KeptAffinities.holding, (self.bring(),)
