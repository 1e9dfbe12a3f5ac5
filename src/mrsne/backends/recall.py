"""How many lists an approximate search looks into: as many as the recall needs, and twice as many where it falls short.

Vectors are in lists around centres, and a query looks only into the lists nearest to it. How many that must be is
learned from a sample whose true neighbours are known.
"""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

logger = logging.getLogger("mrsne")

SPARE = 8  # candidates beyond k, against ties and rounding at the edge
DOUBLE_FROM = 0.02  # share of second looks from which it is faster to multiply in double precision
SAME_WITHIN = 1e-5  # share by which a neighbour may be farther than the last true one and still count as found


@dataclass(frozen=True)
class RecallGoal:
    """How many of the true neighbours an approximate search must find, on a sample of items."""

    aim: float  # the recall that the first search is planned for
    lowest: float  # below this, twice as many are searched
    fewest_probes: int  # lists searched in any case


def number_of_lists(n: int) -> int:
    """Return how many lists n vectors are put into: centres and the members of a list then cost a query the same."""
    return math.isqrt(n)


def needed_probes(counts: NDArray[np.integer], goal: RecallGoal) -> int:
    """Return into how many lists a query must look."""
    probes = int(np.searchsorted(np.cumsum(counts) / counts.sum(), goal.aim)) + 1
    return max(probes, min(goal.fewest_probes, len(counts)))


class Attempt(NamedTuple):
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
