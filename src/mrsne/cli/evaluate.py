"""``mrsne evaluate``: the scores of a map."""

from __future__ import annotations

from typing import Annotated

import typer

from mrsne.cli.options import Json, MapFile
from mrsne.cli.report_card import HoldOut, card_lines, card_record, report_card
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import sentences
from mrsne.parameters import ParameterError


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
    from mrsne.metrics.summaries import paper_scores
    from mrsne.model.saved_map import SavedMap

    if held_out is not None and not 0 < held_out < 1:
        raise ParameterError(f"--held-out must be greater than 0 and less than 1, got {held_out:g}")
    report = Reporter(as_json)
    saved = SavedMap.load(path)
    kl = saved.embedding.kl_divergence
    scores = paper_scores(saved.embedding, saved.data, query, within, sample)
    asked = {key: scores.pop(key) for key in ("query", "queries")}
    record = {**asked, "kl_divergence": None if kl is None else round(kl, 4), **scores}
    card = report_card(saved, HoldOut(held_out, min_count, seed), sample, report)
    lines = [*card_lines(card), "", *sentences(record)]
    report.summary(record | {"report_card": card_record(card)}, lines)
