"""``mrsne evaluate``: the scores of a map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from mrsne.cli.options import Json, MapFile
from mrsne.cli.report_card import HoldOut, card_lines, card_record, report_card
from mrsne.cli.reporter import Reporter
from mrsne.cli.saved_map import open_map
from mrsne.cli.summary import sentences


def evaluate(
    path: MapFile,
    query: Annotated[str | None, typer.Option(help="Domain of the queries.", show_default="the first")] = None,
    within: Annotated[
        str,
        typer.Option(help="Which of its items belong together: shared (a common link) or identical (the same links)."),
    ] = "shared",
    sample: Annotated[int, typer.Option(min=1, help="Number of queries at most.")] = 5000,
    held_out: Annotated[
        float | None,
        typer.Option(help="Make the map again without this share of the links, and see whether it predicts them."),
    ] = None,
    min_count: Annotated[int, typer.Option(min=1, help="Links that an item needs for one to be held out.")] = 3,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of the sample and of the held-out links.")] = 0,
    as_json: Json = False,
) -> None:
    """Score a map: a report card that tells how far it can be trusted, and the paper's scores.

    Example: mrsne evaluate map.npz --held-out 0.1
    """
    import numpy as np

    from mrsne import metrics
    from mrsne.metrics.arguments import check_domain
    from mrsne.metrics.links import linked_domains

    if held_out is not None and not 0 < held_out < 1:
        raise ValueError(f"--held-out must be greater than 0 and less than 1, got {held_out:g}")
    report = Reporter(as_json)
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
    card = report_card(saved, HoldOut(held_out, min_count, seed), sample, report)
    lines = [*card_lines(card), "", *sentences(record)]
    report.summary(record | {"report_card": card_record(card)}, lines)
