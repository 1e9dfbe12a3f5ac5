"""When a run is over before its last iteration."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from mrsne.parameters import check_integer, check_number

EXPLORATION_SHARE = 1 / 3  # of the time that early exaggeration may take


@dataclass(frozen=True)
class Stopping:
    """What ends a run early; all of it after early exaggeration.

    Parameters
    ----------
    min_grad_norm : float
        Stop once the gradient's norm, and its ratio to the spread of the map, are below this.
    n_iter_without_progress : int, optional
        Stop once the divergence has not fallen for so many iterations; it is computed every 50.
    max_seconds : float, optional
        Stop after so much time, of which early exaggeration takes at most a third.
    """

    min_grad_norm: float = 0.0
    n_iter_without_progress: int | None = None
    max_seconds: float | None = None

    @classmethod
    def checked(cls, min_grad_norm: Any, n_iter_without_progress: Any, max_seconds: Any) -> Stopping:
        """Return the rules that these parameters stand for, or raise an error that names the first one out of range."""
        check_number("min_grad_norm", min_grad_norm, minimum=0)
        if n_iter_without_progress is not None:
            check_integer("n_iter_without_progress", n_iter_without_progress, minimum=1)
        if max_seconds is not None:
            check_number("max_seconds", max_seconds, above=0)
        return cls(min_grad_norm, n_iter_without_progress, max_seconds)


NEVER = Stopping()


class Stopwatch:
    """The time that a run may take; it starts after the first iteration, which may have to wait for the compiler.

    Examples
    --------
    >>> Stopwatch(None).is_up(exploring=False)
    False
    """

    def __init__(self, max_seconds: float | None) -> None:
        self.max_seconds = max_seconds
        self.started: float | None = None

    def start(self) -> None:
        """Start, unless it is already running."""
        if self.started is None:
            self.started = time.monotonic()

    def is_up(self, exploring: bool) -> bool:
        """Return whether the time for early exaggeration, or for the whole run, is over."""
        if self.max_seconds is None or self.started is None:
            return False
        limit = self.max_seconds * (EXPLORATION_SHARE if exploring else 1)
        return time.monotonic() - self.started >= limit
