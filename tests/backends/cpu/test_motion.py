"""How many threads take part in an iteration."""

from __future__ import annotations

from collections import Counter

import pytest

from mrsne.backends.cpu.motion import EVERY, Pace
from mrsne.threads import ThreadTeam


@pytest.mark.parametrize("best", [1, 2, 4, 8])
def test_the_fastest_number_of_threads_is_found(best: int) -> None:
    """Each trial halves or doubles what is best so far."""
    team, pace, numbers = ThreadTeam(8), Pace(), []
    for _ in range(6 * EVERY):
        pace.choose(team)
        numbers.append(team.active)
        pace.note(1.0 + abs(team.active - best))
    assert Counter(numbers[-EVERY:]).most_common(1)[0][0] == best
