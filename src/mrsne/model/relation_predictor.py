"""One relation: which of its kinds is predicted from which, with what settings, and what scores are worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Float32, Float64, Int64
from mrsne.backends.cpu.sparse_products import largest
from mrsne.data.outline import Pair
from mrsne.model.calibration import UNKNOWN, Curve, HeldOutLinks, blocks, choose, curves, hide, hold_out_for_calibration
from mrsne.model.link_inputs import LinkSources
from mrsne.model.link_model import Inputs, LinkModel, LinkSettings

BOTH_SIDES = 2  # times the items of the smaller kind at most: then either is tried as the one that is predicted
BOTH_SIDES_UP_TO = 5_000  # items
CLEARLY = 1.03  # times as good: what is held out is a sample
Found = tuple[Int64, Float64]


@dataclass(frozen=True)
class RelationPredictor:
    """The links between two kinds."""

    kinds: Pair  # of rows and of columns
    model: LinkModel
    with_links: Curve
    without_links: Curve

    @classmethod
    def fit(cls, sources: LinkSources, pair: Pair, missing: float, random: np.random.RandomState) -> RelationPredictor:
        """Choose the settings by held-out links, and fit to all links.

        The smaller kind is predicted for items of the larger one. Where they are of about one size, the second kind of
        the relation is predicted for the first, or the other way if that clearly puts more held-out links first.
        """
        sizes = sources.data.sizes
        small, large = sorted(pair, key=lambda kind: sizes[kind])
        close = pair[0] != pair[1] and sizes[large] <= min(BOTH_SIDES * sizes[small], BOTH_SIDES_UP_TO)
        ways = [pair, pair[::-1]] if close else [(large, small)]
        best: tuple[float, LinkSettings, Pair, HeldOutLinks | None] = (-2.0, LinkSettings(), ways[0], None)
        for kinds in ways:
            known, similar, n_columns = sources.inputs(*kinds), sources.neighbors(kinds[1]), sizes[kinds[1]]
            others = Inputs(known.links[:, n_columns:], known.features, known.neighbors)
            W = sparse.csr_matrix(known.links[:, :n_columns])
            held = hold_out_for_calibration(W, kinds, others.informed(), missing, random)
            if held is not None:
                quality, settings = choose(held, known, similar, forwards=kinds == pair or not close)
                if quality > CLEARLY * best[0]:
                    best = quality, settings, kinds, held
        _, settings, kinds, held = best
        known, similar = sources.inputs(*kinds), sources.neighbors(kinds[1])
        model = LinkModel.fit(known, similar, sizes[kinds[1]], settings)
        found = (UNKNOWN, UNKNOWN) if held is None else curves(held, known, similar, model, missing)
        return cls(kinds, model, *found)

    def of_rows(self, items: Inputs, known: sparse.csr_matrix, k: int, itself: Int64 | None = None) -> Found:
        """Return the best columns for items of the first kind, and their probabilities."""
        n, width = known.shape
        places, probabilities = np.full((n, k), -1), np.zeros((n, k))
        cold = np.diff(known.indptr) == 0
        for part in blocks(n, width):
            scores = hide(self.model.scores(items[part]), known[part])
            if itself is not None:
                scores[np.arange(len(scores)), itself[part]] = 0
            count = min(k, width)
            places[part, :count], values = largest(scores, count)
            probabilities[part, :count] = self.probabilities(values, cold[part][:, None])
        probabilities[places < 0] = 0
        return places, probabilities

    def of_columns(self, columns: Int64, k: int) -> Found:
        """Return the best rows for items of the second kind, and their probabilities."""
        places, probabilities = np.full((len(columns), k), -1), np.zeros((len(columns), k))
        W = self.model.W.tocsc()
        for part in blocks(len(columns), self.model.W.shape[0]):
            chosen = columns[part]
            scores = hide(self.model.scores(self.model.known, chosen), W[:, chosen])
            places[part], probabilities[part] = self.best_rows(scores, k)
        return places, probabilities

    def best_rows(self, scores: Float32, k: int) -> Found:
        """Return the best rows of each column of scores, those without links on their own scale."""
        cold = np.diff(self.model.W.indptr) == 0
        found = []
        for group in np.flatnonzero(~cold), np.flatnonzero(cold):
            own, values = largest(np.ascontiguousarray(scores[group].T), min(k, max(len(group), 1)))
            found.append((np.where(own >= 0, group[own] if len(group) else -1, -1), values, cold[group[:1]].any()))
        places = np.concatenate([own for own, _, _ in found], axis=1)
        values = np.concatenate([self.probabilities(values, alone) for _, values, alone in found], axis=1)
        values[places < 0] = -1
        order = np.argsort(-values, axis=1, kind="stable")[:, :k]
        places, values = np.take_along_axis(places, order, axis=1), np.take_along_axis(values, order, axis=1)
        short = k - places.shape[1]
        padded = ((0, 0), (0, max(short, 0)))
        return np.pad(places, padded, constant_values=-1), np.pad(np.maximum(values, 0), padded)

    def probabilities(self, scores: Any, is_cold: Bool | bool) -> Float64:
        """Return what scores are worth, of items with links and of those without."""
        return np.asarray(np.where(is_cold, self.without_links(scores), self.with_links(scores)))
