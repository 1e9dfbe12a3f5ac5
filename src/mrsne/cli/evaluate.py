"""``mrsne evaluate``: the scores of a map."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mrsne.cli.options import Json, MapFile
from mrsne.cli.reporter import Reporter
from mrsne.cli.saved_map import open_map


def evaluate(
    path: MapFile,
    query: Annotated[str | None, typer.Option(help="Domain that is asked about.", show_default="the first")] = None,
    within: Annotated[str, typer.Option(help="What is true within it: shared or identical.")] = "shared",
    sample: Annotated[int, typer.Option(min=1, help="At most so many items are asked about.")] = 5000,
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
    found: dict[str, Any] = {"queries": len(asked), "kl_divergence": embedding.kl_divergence}
    for other in linked_domains(domain, data):
        found[f"link_auc_{domain}_{other}"] = metrics.link_auc(embedding, data, (domain, other))
        found[f"variance_ratio_{domain}_{other}"] = metrics.variance_ratio(embedding, domain, other)
        for k in (1, 10):
            if k <= data.sizes[other]:
                rate = metrics.hit_rate(embedding, data, k, domain, other, queries=asked)
                found[f"hit_rate_{domain}_{other}_{k}"] = rate
    if data.relations:
        found["reconstruction_auc"] = metrics.reconstruction_auc(embedding, data, domain, within, queries=asked)
    present = int(np.count_nonzero(~data.missing[domain]))
    if present > 20:
        chosen = np.sort(np.random.default_rng(0).choice(present, min(present, sample), replace=False))
        found["neighborhood_preservation"] = metrics.neighborhood_preservation(embedding, data, domain, queries=chosen)
        found["trustworthiness"] = metrics.trustworthiness(embedding, data, domain, queries=chosen)
    Reporter(as_json).summary({name: round(v, 4) if isinstance(v, float) else v for name, v in found.items()})
