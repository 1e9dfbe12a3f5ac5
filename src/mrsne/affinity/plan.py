"""How many neighbours an item gets, and whether all pairs of a domain are kept."""

from __future__ import annotations

import math
import re
from pathlib import Path

from mrsne.backends.base import GraphPlan
from mrsne.backends.recall import RecallGoal

NEIGHBORS = ("auto", "exact", "approximate")
AFFINITIES = ("gaussian", "uniform")
ALL_PAIRS_UP_TO = 1_000  # items whose neighbour graph "auto" keeps whole
MOST_PAIRS = 20_000  # items whose neighbour graph "exact" keeps whole, where memory allows: 400 million entries
BYTES_PER_PAIR = 20  # at the peak of a fit with all pairs, measured
RECALL = RecallGoal(aim=0.96, lowest=0.95, fewest_probes=8)


def effective_perplexity(perplexity: float, n: int, all_pairs: bool = False) -> float:
    """Return the perplexity to use for n items.

    Of all pairs any perplexity below n − 1 can be made; of 3·perplexity neighbours at most a third of the others. Where
    it cannot be, it is a third of the others.

    Examples
    --------
    >>> effective_perplexity(30, 1000), effective_perplexity(30, 85), effective_perplexity(30, 85, all_pairs=True)
    (30, 28.0, 30)
    """
    return perplexity if all_pairs and perplexity < n - 1 else min(perplexity, (n - 1) / 3)


def keeps_all_pairs(n: int, neighbors: str = "auto", affinity: str = "gaussian") -> bool:
    """Return whether all pairs of n items enter the neighbour graph.

    Examples
    --------
    >>> keeps_all_pairs(1_000), keeps_all_pairs(1_001), keeps_all_pairs(1_001, "exact")
    (True, False, True)
    """
    if affinity == "uniform" or neighbors == "approximate":
        return False
    if neighbors == "auto":
        return n <= ALL_PAIRS_UP_TO
    return n <= ALL_PAIRS_UP_TO or (n <= MOST_PAIRS and n * n * BYTES_PER_PAIR <= available_memory())


def available_memory() -> float:
    """Return how many bytes a process may still take, as far as the system says; infinity where it does not."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:  # not Linux
        return math.inf
    found = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return math.inf if found is None else 1024 * int(found[1])


def graph_plan(n: int, perplexity: float, neighbors: str = "auto", affinity: str = "gaussian") -> GraphPlan:
    """Return how the neighbour graph of n items is made.

    Parameters
    ----------
    n : int
        At least 2.
    perplexity : float
        Used as it is; see :func:`effective_perplexity`.
    neighbors : {"auto", "exact", "approximate"}
        Which pairs to keep. "exact": all pairs up to 20,000 items where memory allows, else the exact 3·perplexity
        nearest neighbours; "approximate": 3·perplexity neighbours, searched approximately in large domains; "auto": all
        pairs up to 1,000 items, then as "approximate".
    affinity : {"gaussian", "uniform"}
        "uniform": only as many neighbours as the perplexity, rounded, and all of them alike.

    Examples
    --------
    >>> graph_plan(500, 30).k, graph_plan(100_000, 30).k, graph_plan(100_000, 30, affinity="uniform").k
    (499, 90, 30)
    """
    exactly = neighbors == "exact"
    if affinity == "uniform":
        return GraphPlan(min(n - 1, max(1, round(perplexity))), None, False, exactly, RECALL)
    if keeps_all_pairs(n, neighbors, affinity):
        return GraphPlan(n - 1, perplexity, True, True, RECALL)
    return GraphPlan(min(n - 1, max(1, math.ceil(3 * perplexity))), perplexity, False, exactly, RECALL)
