"""Links that may be missing, of every item, for the page's panel; ``web/src/suggestions.ts`` reads them."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

import numpy as np

from mrsne.arrays import Float64, Int64, UInt8
from mrsne.data.outline import Outline

COUNT = 4  # suggestions of an item, in each kind that it has links to
LEAST = 0.02  # of these, the least likely


class Predictor(Protocol):
    """What suggests links, such as :class:`mrsne.LinkPredictor`."""

    def suggest(self, source_kind: str, target_kind: str, items: Any = None, k: int = 10) -> tuple[Int64, Float64]:
        """Return the most likely missing links of items, and how likely each is."""
        ...


def suggestions_panel(
    predictor: Predictor | None, data: Outline | None, starts: Mapping[str, int]
) -> tuple[list[dict[str, int]] | None, dict[str, Callable[[], Any]]]:
    """Return what a page reads of links that may be missing: from which kinds to which, and parts; None without any."""
    if predictor is None or data is None:
        return None, {}
    kinds = list(data.sizes)
    pairs = dict.fromkeys(pair for a, b in data.pairs for pair in ((a, b), (b, a)))
    described = [{"from": kinds.index(a), "to": kinds.index(b)} for a, b in pairs]
    parts: dict[str, Callable[[], Any]] = {
        f"suggestions-{index}": partial(_packed, predictor, pair, starts[pair[1]]) for index, pair in enumerate(pairs)
    }
    return described, parts


def _packed(predictor: Predictor, pair: tuple[str, str], start: int) -> tuple[UInt8, ...]:
    """Return how many suggestions each item has, how likely each is, and four times a byte of each item suggested."""
    places, scores = predictor.suggest(*pair, k=COUNT)
    kept = (places >= 0) & (scores >= LEAST)
    items = (start + places[kept]).astype("<u4").view(np.uint8).reshape(-1, 4).T
    return kept.sum(axis=1).astype(np.uint8), np.round(255 * scores[kept]).astype(np.uint8), items
