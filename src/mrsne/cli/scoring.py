"""A few scores for the end of a summary, of a sample where there are many items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mrsne.data import RelationalData
    from mrsne.embedding import Embedding

SAMPLE = 2000
NEAREST = 10


def brief_scores(
    embedding: Embedding, data: RelationalData, called: Mapping[str, str] | None = None
) -> dict[str, float]:
    """Return how often an item's own links are near it, and how far its neighbours can be trusted.

    ``called`` has other words for domains.
    """
    from mrsne import metrics

    words = dict(called or {})
    random = np.random.default_rng(0)
    found: dict[str, float] = {}
    for (a, b), W in data.relations.items():
        if a != b and W.nnz:
            k = min(NEAREST, data.sizes[b])
            queries = np.sort(random.choice(data.sizes[a], min(data.sizes[a], SAMPLE), replace=False))
            rate = metrics.hit_rate(embedding, data, k, a, b, queries=queries)
            found[f"{words.get(a, a)}_with_a_{b}_of_theirs_among_the_{k}_nearest"] = round(float(rate), 3)
    for name in data.sizes:
        present = int(np.count_nonzero(~data.missing[name]))
        if present > 2 * NEAREST + 1:
            queries = np.sort(random.choice(present, min(present, SAMPLE), replace=False))
            trust = metrics.trustworthiness(embedding, data, name, NEAREST, queries=queries)
            found[f"trustworthiness_of_{words.get(name, name)}"] = round(trust, 3)
    return found
