"""The report card of a saved map, with links that another map, made in the same way, has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mrsne.cli.reporter import Reporter

if TYPE_CHECKING:
    from mrsne.metrics.card import Report
    from mrsne.model.saved_map import SavedMap

SAMPLE = 2000  # items of each domain at most
HINT = "Held-out links are not scored: --held-out 0.1 makes the map again without a tenth of them, to see."


@dataclass(frozen=True)
class HoldOut:
    """Which links are held out: a share of those to items that have enough of them, or none."""

    share: float | None
    min_count: int = 3
    seed: int = 0


def report_card(saved: SavedMap, hold_out: HoldOut, sample: int, report: Reporter) -> Report:
    """Return the report card of a map.

    All scores but those of held-out links are of the map itself. These need a map that has not seen them: it is made
    with the settings that were kept with the map.
    """
    from mrsne import MRSNE, metrics
    from mrsne.metrics.prediction import score_held_out
    from mrsne.parameters import random_numbers

    card = metrics.report(saved.embedding, saved.data, metric=saved.metrics, sample=min(sample, SAMPLE))
    if hold_out.share is None:
        return card
    rest, links = metrics.hold_out(saved.data, hold_out.share, hold_out.min_count, random_state=hold_out.seed)
    with report.warnings_as_notes():
        model = MRSNE(**saved.settings, random_state=hold_out.seed, verbose=report.live)
        embedding = model.fit_transform(rest)
    return card.with_scores(*score_held_out(embedding, rest, links, sample=sample, random=random_numbers(0)))


def card_lines(card: Report) -> list[str]:
    """Return the card as people read it."""
    return [*card.table(), *([] if card.predicts_links else [HINT])]


def card_record(card: Report) -> dict[str, Any]:
    """Return the card as programs read it, with four digits."""
    return {score: _rounded(values) for score, values in card.to_dict().items()}


def _rounded(values: Any) -> Any:
    if isinstance(values, dict):
        return {name: _rounded(below) for name, below in values.items()}
    return None if values is None else round(values, 4)
