"""How many lists an approximate search looks into: as many as the recall needs, and twice as many where it falls short.

Vectors are in lists around centres, and a query looks only into the lists nearest to it. How many that must be is
learned from a sample whose true neighbours are known.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import RecallGoal

logger = logging.getLogger("mrsne")

SAME_WITHIN = 1e-5  # share by which a neighbour may be farther than the last true one and still count as found


def number_of_lists(n: int) -> int:
    """Return how many lists n vectors are put into: centres and the members of a list then cost a query the same."""
    return math.isqrt(n)


def needed_probes(counts: NDArray[np.integer], goal: RecallGoal) -> int:
    """Return into how many lists a query must look.

    Parameters
    ----------
    counts : array of shape (lists,)
        How many true neighbours of the sample are in the nearest list of their query, in the second nearest, and so on.
    goal : RecallGoal

    Examples
    --------
    >>> needed_probes(np.array([90, 5, 3, 2]), RecallGoal(aim=0.96, lowest=0.95, fewest_probes=1))
    3
    """
    probes = int(np.searchsorted(np.cumsum(counts) / counts.sum(), goal.aim)) + 1
    return max(probes, min(goal.fewest_probes, len(counts)))


class Attempt(NamedTuple):
    """What a search found."""

    result: Any
    recall: float  # NaN where it is not known
    probes: int  # lists that were looked into; may be more than asked for


def search_until_recalled(search: Callable[[int], Attempt], probes: int, n_lists: int, goal: RecallGoal) -> Attempt:
    """Search with more and more probes, until the recall is high enough or every list is looked into."""
    while True:
        attempt = search(probes)
        logger.debug("%d of %d lists searched, recall %.3f", attempt.probes, n_lists, attempt.recall)
        if not attempt.recall < goal.lowest or attempt.probes >= n_lists:
            return attempt
        probes = min(2 * attempt.probes, n_lists)
