"""``mrsne evaluate``: the scores of a map."""

from typing import Annotated, Any

import mrsne
from mrsne.cli.options import BELONGING, Json, MapFile, option
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import sentences
from mrsne.parameters import ParameterError

SAMPLE = 2000  # items of each domain at most
HINT = "Held-out links are not scored: --held-out 0.1 makes the map again without a tenth of them, to see."


def evaluate(
    path: MapFile,
    query: Annotated[str | None, option("Domain of the queries.", default="the first")] = None,
    within: Annotated[str, option(f"Which of its items belong together: {BELONGING}.")] = "shared",
    sample: Annotated[int, option("Number of queries at most.", min=1)] = 5000,
    held_out: Annotated[
        float | None, option("Make the map again without this share of the links, and see whether it predicts them.")
    ] = None,
    min_count: Annotated[int, option("Links that an item needs for one to be held out.", min=1)] = 3,
    seed: Annotated[int, option("Seed of the sample and of the held-out links.", min=0, max=2**32 - 1)] = 0,
    as_json: Json = False,
) -> None:
    """Score a map: a report card that tells how far it can be trusted, and the paper's scores.

    Example: mrsne evaluate map.npz --held-out 0.1
    """
    from mrsne.metrics.prediction import score_held_out
    from mrsne.metrics.summaries import paper_scores
    from mrsne.parameters import random_numbers

    if held_out is not None and not 0 < held_out < 1:
        raise ParameterError(f"--held-out must be greater than 0 and less than 1, got {held_out:g}")
    report = Reporter(as_json)
    saved = mrsne.SavedMap.load(path)
    kl = saved.embedding.kl_divergence
    scores = paper_scores(saved.embedding, saved.data, query, within, sample)
    asked = {key: scores.pop(key) for key in ("query", "queries")}
    record = {**asked, "kl_divergence": None if kl is None else round(kl, 4), **scores}
    card = mrsne.metrics.report(saved.embedding, saved.data, metric=saved.metrics, sample=min(sample, SAMPLE))
    if held_out is not None:
        rest, links = mrsne.metrics.hold_out(saved.data, held_out, min_count, random_state=seed)
        with report.warnings_as_notes():
            embedding = mrsne.MRSNE(**saved.settings, random_state=seed, verbose=report.live).fit_transform(rest)
        card = card.with_scores(*score_held_out(embedding, rest, links, sample=sample, random=random_numbers(0)))
    lines = [*card.table(), *([] if card.predicts_links else [HINT]), "", *sentences(record)]
    report.summary(record | {"report_card": _rounded(card.to_dict())}, lines)


def _rounded(values: Any) -> Any:
    if isinstance(values, dict):
        return {name: _rounded(below) for name, below in values.items()}
    return None if values is None else round(values, 4)
