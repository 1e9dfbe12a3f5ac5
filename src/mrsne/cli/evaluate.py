"""``mrsne evaluate``: the scores of a map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from mrsne.cli.options import Json, MapFile
from mrsne.cli.reporter import Reporter
from mrsne.cli.saved_map import open_map


def evaluate(
    path: MapFile,
    query: Annotated[str | None, typer.Option(help="Domain of the queries.", show_default="the first")] = None,
    within: Annotated[
        str,
        typer.Option(help="Which of its items belong together: shared (a common link) or identical (the same links)."),
    ] = "shared",
    sample: Annotated[int, typer.Option(min=1, help="Number of queries at most.")] = 5000,
    as_json: Json = False,
) -> None:
    """Score a map: how well its links and neighbourhoods are kept.

    Example: mrsne evaluate map.npz --query image
    """
    import numpy as np

    from mrsne import metrics
    from mrsne.metrics.arguments import check_domain, linked_domains

    saved = open_map(path)
    embedding, data = saved.embedding, saved.data
    domain = check_domain("--query", query, data)
    size = data.sizes[domain]
    asked = np.sort(np.random.default_rng(0).choice(size, min(size, sample), replace=False))
    others = linked_domains(domain, data)

    def scores(score: Callable[[str], float], at_least: int = 1) -> dict[str, dict[str, float]]:
        """Score the query's domain against each domain it is linked with that has enough items."""
        return {domain: {other: round(score(other), 4) for other in others if data.sizes[other] >= at_least}}

    record: dict[str, Any] = {
        "query": domain,
        "queries": len(asked),
        "kl_divergence": None if embedding.kl_divergence is None else round(embedding.kl_divergence, 4),
        "link_auc": scores(lambda other: metrics.link_auc(embedding, data, (domain, other))),
        "variance_ratio": scores(lambda other: metrics.variance_ratio(embedding, domain, other)),
        "hit_rate_1": scores(lambda other: metrics.hit_rate(embedding, data, 1, domain, other, queries=asked)),
        "hit_rate_10": scores(lambda other: metrics.hit_rate(embedding, data, 10, domain, other, queries=asked), 10),
        "reconstruction_auc": None,
        "neighborhood_preservation": {},
        "trustworthiness": {},
    }
    if data.relations:
        auc = metrics.reconstruction_auc(embedding, data, domain, within, queries=asked)
        record["reconstruction_auc"] = round(auc, 4)
    present = int(np.count_nonzero(~data.missing[domain]))
    if present > 20:
        chosen = np.sort(np.random.default_rng(0).choice(present, min(present, sample), replace=False))
        for name, score in (
            ("neighborhood_preservation", metrics.neighborhood_preservation),
            ("trustworthiness", metrics.trustworthiness),
        ):
            record[name][domain] = round(score(embedding, data, domain, queries=chosen), 4)
    Reporter(as_json).summary(record)
