"""A few scores at once, of a sample where there are many items: what commands say of a map."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mrsne.arrays import Int64
from mrsne.data.relational import RelationalData
from mrsne.metrics.arguments import Map, check_domain, metrics_of
from mrsne.metrics.distances import knows_all_distances
from mrsne.metrics.hits import hit_rate, reconstruction_auc
from mrsne.metrics.links import linked_domains
from mrsne.metrics.mixing import variance_ratio
from mrsne.metrics.neighborhoods import neighborhood_preservation, trustworthiness
from mrsne.metrics.prediction import link_auc

SAMPLE = 2000  # items at most
NEAREST = 10


def brief_scores(embedding: Map, data: RelationalData) -> dict[str, dict[Any, float]]:
    """Return how often a linked item is among the 10 nearest, and how far neighbours can be trusted."""
    random, metrics = np.random.default_rng(0), metrics_of(embedding, data)
    hit_rates: dict[Any, float] = {}
    for (a, b), W in data.relations.items():
        if a != b and W.nnz and data.sizes[b] >= NEAREST:
            queries = _sample(data.sizes[a], SAMPLE, random)
            hit_rates[a, b] = round(float(hit_rate(embedding, data, NEAREST, a, b, queries=queries)), 3)
    trust: dict[Any, float] = {}
    for name in data.sizes:
        present = data.count_vectors(name)
        if present > 2 * NEAREST + 1 and knows_all_distances(data, name, metrics[name]):
            queries = _sample(present, SAMPLE, random)
            trust[name] = round(trustworthiness(embedding, data, name, NEAREST, queries=queries), 3)
    return {"hit_rate_10": hit_rates, "trustworthiness": trust}


def paper_scores(embedding: Map, data: RelationalData, query: str | None, within: str, sample: int) -> dict[str, Any]:
    """Return the paper's scores of a domain's items, against each domain that it is linked with."""
    domain = check_domain("--query", query, data)
    queries = _sample(data.sizes[domain], sample)
    others = linked_domains(domain, data)

    def scores(score: Callable[[str], float], at_least: int = 1) -> dict[str, dict[str, float]]:
        return {domain: {other: round(score(other), 4) for other in others if data.sizes[other] >= at_least}}

    record: dict[str, Any] = {
        "query": domain,
        "queries": len(queries),
        "link_auc": scores(lambda other: link_auc(embedding, data, (domain, other))),
        "variance_ratio": scores(lambda other: variance_ratio(embedding, domain, other)),
        "hit_rate_1": scores(lambda other: hit_rate(embedding, data, 1, domain, other, queries=queries)),
        "hit_rate_10": scores(lambda other: hit_rate(embedding, data, 10, domain, other, queries=queries), 10),
        "reconstruction_auc": None,
        "neighborhood_preservation": {},
        "trustworthiness": {},
    }
    if data.relations:
        record["reconstruction_auc"] = round(reconstruction_auc(embedding, data, domain, within, queries=queries), 4)
    present = data.count_vectors(domain)
    if present > 20 and knows_all_distances(data, domain, metrics_of(embedding, data)[domain]):
        chosen = _sample(present, sample)
        for score in (neighborhood_preservation, trustworthiness):
            record[score.__name__][domain] = round(score(embedding, data, domain, queries=chosen), 4)
    return record


def _sample(count: int, most: int, random: np.random.Generator | None = None) -> Int64:
    """Return positions in order, all of them or a sample."""
    random = np.random.default_rng(0) if random is None else random
    return np.sort(random.choice(count, min(count, most), replace=False))
