"""How many neighbours an item gets, and whether all pairs of a domain are kept."""

from __future__ import annotations

import math

from mrsne.backends.base import GraphPlan, RecallGoal

NEIGHBORS = ("auto", "exact", "approximate")
AFFINITIES = ("gaussian", "uniform")
ALL_PAIRS_UP_TO = 1_000  # items whose neighbour graph "auto" keeps whole
MOST_PAIRS = 5_000  # items whose neighbour graph "exact" keeps whole: 25 million entries
RECALL = RecallGoal(aim=0.96, lowest=0.95, fewest_probes=8)


def effective_perplexity(perplexity: float, n: int) -> float:
    """Return the perplexity to use for n items: at most a third of the others, so that 3·perplexity neighbours exist.

    Examples
    --------
    >>> effective_perplexity(30, 1000), effective_perplexity(30, 85)
    (30, 28.0)
    """
    return min(perplexity, (n - 1) / 3)


def graph_plan(n: int, perplexity: float, neighbors: str = "auto", affinity: str = "gaussian") -> GraphPlan:
    """Return how the neighbour graph of n items is made.

    Parameters
    ----------
    n : int
        At least 2.
    perplexity : float
        Used as it is; see :func:`effective_perplexity`.
    neighbors : {"auto", "exact", "approximate"}
        Which pairs to keep. "exact": all pairs up to 5,000 items, beyond that the exact 3·perplexity nearest
        neighbours; "approximate": 3·perplexity neighbours, searched approximately in large domains; "auto": all pairs
        up to 1,000 items, then as "approximate".
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
    if neighbors != "approximate" and n <= (MOST_PAIRS if exactly else ALL_PAIRS_UP_TO):
        return GraphPlan(n - 1, perplexity, True, True, RECALL)
    return GraphPlan(min(n - 1, max(1, math.ceil(3 * perplexity))), perplexity, False, exactly, RECALL)
