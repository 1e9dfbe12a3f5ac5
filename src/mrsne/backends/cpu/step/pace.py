"""How many of the threads take part in an iteration: as many as pay.

On some machines half of the cores are the other half's second threads, on others somebody else is computing, and small
maps have little to share. So it is tried out: every so often a few iterations go with half as many threads and, where
some are idle, with twice as many, and the fastest number stays. The map does not depend on it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from mrsne.threads import ThreadTeam, current_team

FIRST, EVERY = 5, 150  # iterations before the first trial, and between trials
LENGTH = 3  # iterations with each number, the fastest of which counts
FEWEST = 3  # threads from which a trial pays


class Pace:
    """Chooses the number of active threads by trial.

    Examples
    --------
    >>> team = ThreadTeam(8)
    >>> pace = Pace()
    >>> for _ in range(2 * LENGTH + FIRST):  # half as many take half the time
    ...     pace.choose(team)
    ...     pace.note(team, 1.0 if team.active == 4 else 2.0)
    >>> pace.choose(team)
    >>> team.active
    4
    """

    def __init__(self) -> None:
        self._until_trial = FIRST
        self._best = 0
        self._trials: dict[int, list[float]] = {}
        self._queue: list[int] = []

    @contextmanager
    def iteration(self) -> Iterator[None]:
        """Do the enclosed iteration with as many threads as seem best, or try another number."""
        team = current_team()
        if team is None or team.size < FEWEST:
            yield
            return
        self.choose(team)
        start = time.perf_counter()
        yield
        self.note(team, time.perf_counter() - start)

    def choose(self, team: ThreadTeam) -> None:
        """Set the number of active threads for the next iteration."""
        self._best = self._best or team.size
        if not self._queue:
            if self._trials:
                self._best = min(self._trials, key=lambda count: min(self._trials[count]))
                self._trials = {}
            self._until_trial -= 1
            if self._until_trial <= 0:
                self._until_trial = EVERY
                others = {max(1, self._best // 2), min(team.size, 2 * self._best)} - {self._best}
                self._queue = [count for count in (self._best, *sorted(others)) for _ in range(LENGTH)]
        team.active = self._queue[0] if self._queue else self._best

    def note(self, team: ThreadTeam, seconds: float) -> None:
        """Take the time of the last iteration."""
        if self._queue:
            self._trials.setdefault(self._queue.pop(0), []).append(seconds)
