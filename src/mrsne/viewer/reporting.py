"""The report card of the map that is shown, within a budget of time."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mrsne.data.outline import Outline
from mrsne.data.relational import RelationalData, in_memory
from mrsne.metrics.card import Report
from mrsne.metrics.links import relations_of

BUDGET = 2e8  # pairs of items that are compared; they take 4 to 7 s of one core
CELL_BUDGET = 4e7  # where a notebook shows an embedding at the end of every cell
WIDTH = 250  # numbers of a vector that cost as much as the rest of a pair
SHOWN_REGIONS = 12  # that changed most
FEWEST = 100  # items of each domain, of which a sample has scores worth showing
COLUMN = "how well placed"


def page_report(
    coordinates: Mapping[str, Any],
    data: Outline | None,
    metrics: Mapping[str, str] | None = None,
    budget: float | None = None,
) -> Report | None:
    """Return the report card of a map, of all items or, where comparing them exceeds the budget, of a sample.

    None where only places are known, and where the sample would have fewer than a hundred items of each domain.
    """
    from mrsne.metrics.report_card import score_map

    if data is None:
        return None
    known = in_memory(data)
    sample = affordable_sample(known, BUDGET if budget is None else budget)
    if sample is not None and sample < FEWEST:
        return None
    report = score_map(coordinates, known, metrics=metrics, sample=sample, random=np.random.RandomState(0))
    return report if report.scores else None


def affordable_sample(data: RelationalData, budget: float) -> int | None:
    """Return how many items of each domain can be scored by comparing ``budget`` pairs; None for all."""
    cost_of_item = {}
    for name, size in data.sizes.items():
        X: Any = data.vectors[name]
        cost = 0.0 if X is None else size * (1 + X.shape[1] / WIDTH)
        for other, _ in relations_of(data, name):
            cost += data.sizes[other] + (other != name) * (size + data.sizes[other])  # kept links, and mixing
        cost_of_item[name] = cost
    if sum(cost * data.sizes[name] for name, cost in cost_of_item.items()) <= budget:
        return None
    return int(budget / sum(cost_of_item.values()))


def report_panel(report: Report | None) -> tuple[dict[str, Any] | None, dict[str, Callable[[], Any]]]:
    if report is None:
        return None, {}
    lines = [{"title": line.title, "value": line.value, "sentence": line.sentence} for line in report.lines()]
    return {"lines": lines, "sample": report.sample}, {}


def item_column(report: Report | None, domain: str) -> dict[str, Any]:
    """Return the column of how well each item is placed, by its name; none where only a sample was scored."""
    if report is None or report.sample is not None:
        return {}
    values = report.item_scores.get(domain, np.empty(0))
    return {} if np.isnan(values).all() else {COLUMN: values}


def changes_panel(changes: Any) -> tuple[dict[str, Any] | None, dict[str, Callable[[], Any]]]:
    """Return what a page tells of how a map differs from the one that it continues, an ``mrsne.Changes``, if any."""
    if changes is None:
        return None, {}
    regions = changes.to_dict()["regions"][:SHOWN_REGIONS]
    kept = ("name", "level", "state", "joined", "left", "because")
    return {
        "sentences": changes.sentences(regions=0),
        "regions": [{key: each[key] for key in kept} for each in regions],
    }, {}
