"""A few scores for the end of a summary, of a sample where there are many items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from mrsne.cli.summary import by_pair

if TYPE_CHECKING:
    from mrsne.data import RelationalData
    from mrsne.model.embedding import Embedding

SAMPLE = 2000  # items at most
NEAREST = 10
SCORES = ("hit_rate_10", "trustworthiness")


def brief_scores(embedding: Embedding, data: RelationalData) -> dict[str, Mapping[str, object]]:
    """Return how often a linked item is among the 10 nearest, and how far neighbours can be trusted.

    Pairs whose second domain has fewer items than that have no hit rate, and small domains no trustworthiness.
    """
    from mrsne import metrics

    random = np.random.default_rng(0)
    hit_rates: dict[tuple[str, str], float] = {}
    for (a, b), W in data.relations.items():
        if a != b and W.nnz and data.sizes[b] >= NEAREST:
            queries = np.sort(random.choice(data.sizes[a], min(data.sizes[a], SAMPLE), replace=False))
            hit_rates[a, b] = round(float(metrics.hit_rate(embedding, data, NEAREST, a, b, queries=queries)), 3)
    trust: dict[str, object] = {}
    for name in data.sizes:
        present = int(np.count_nonzero(~data.missing[name]))
        if present > 2 * NEAREST + 1:
            queries = np.sort(random.choice(present, min(present, SAMPLE), replace=False))
            trust[name] = round(metrics.trustworthiness(embedding, data, name, NEAREST, queries=queries), 3)
    return {"hit_rate_10": by_pair(hit_rates), "trustworthiness": trust}
