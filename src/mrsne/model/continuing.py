"""A map from another one: which items it has already, how much of their affinities is new, and what changed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Array, Float32, Float64
from mrsne.data.outline import Outline
from mrsne.data.relational import RelationalData, in_memory
from mrsne.layout.continuing import Continued, OldMap, check_anchor
from mrsne.matrices import common_shares
from mrsne.metrics.memory import memory_of
from mrsne.metrics.movement import alignment
from mrsne.metrics.reasons import map_affinities, settings_of
from mrsne.model.changes import Side, describe_changes
from mrsne.model.embedding import Embedding
from mrsne.model.lineage import Lineage
from mrsne.model.matching import Matches, match_items, stacked_matches
from mrsne.parameters import ParameterError, describe
from mrsne.regions.finding import find_regions
from mrsne.regions.keeping import with_kept_names
from mrsne.regions.result import Regions


@dataclass(frozen=True)
class Origin:
    """The map that another one starts from, and where the items of that are in it."""

    embedding: Embedding
    anchor: str | float
    matches: Matches
    matched_by: Mapping[str, str]
    P: sparse.csr_matrix | None  # its affinities, where they are known or can be computed

    @classmethod
    def of(cls, start_from: Any, anchor: Any, data: Outline, n_components: int) -> Origin:
        """Check what a map is to start from, and match its items."""
        if not isinstance(start_from, Embedding):
            raise ParameterError(f"start_from must be an Embedding, got {describe(start_from)}")
        if start_from.n_components != n_components:
            raise ParameterError(
                f"start_from has {start_from.n_components} dimensions, but n_components is {n_components}"
            )
        if not np.isfinite(start_from.stacked).all():
            raise ParameterError("start_from must have finite coordinates")
        strength = check_anchor(anchor)
        matches, by = match_items(data, start_from, start_from.data)
        return cls(start_from, strength, matches, by, None if strength == "stay" else _old_affinities(start_from))

    def old_map(self, P: Any) -> OldMap:
        """Return the old places of all items, and how much of the affinities of each is what it was."""
        rows = stacked_matches(self.matches, self.embedding)
        places = np.where(rows[:, None] < 0, np.float32(np.nan), self.embedding.stacked[rows])
        comparable = self.P is not None and sparse.issparse(P)
        unchanged = common_shares(P, self.P, rows) if comparable else (rows >= 0).astype(np.float32)
        return OldMap(places, self.anchor, unchanged)

    def registered(self, Y: Float32) -> Float32:
        """Return the map turned, reflected and shifted onto the old one, but not scaled: the kernel has a width."""
        rows = stacked_matches(self.matches, self.embedding)
        kept = rows >= 0
        if self.anchor == "stay" or kept.sum() <= Y.shape[1]:
            return Y
        return np.asarray(isometry(self.embedding.stacked[rows[kept]], Y[kept])(Y), dtype=np.float32)

    def lineage(self, continued: Continued, places: Mapping[str, Float32], data: Outline) -> Lineage:
        """Return where the new map comes from, and what changed."""
        old, known = self.embedding, in_memory(data)
        before = Side(old, old.data, _regions(old, old.data))
        regions = with_kept_names(_regions(places, known), before.regions, known, self.matches)
        changes = describe_changes(
            before,
            Side(places, known, regions),
            self.matches,
            anchor=self.anchor,
            matched_by=dict(self.matched_by),
            kl_divergence=round(continued.kl_divergence, 6),
            kl_freed=round(continued.kl_freed, 6),
        )
        return old.lineage.continued(old.entry, changes, regions)


def isometry(first: Array, second: Array) -> Callable[[Array], Float64]:
    """Return the rotation or reflection, and shift, that brings a second map nearest to a first."""
    middle = second.astype(np.float64).mean(axis=0)
    fit = alignment(first, second)
    images = fit(np.vstack([middle, middle + np.eye(second.shape[1])]))
    axes = images[1:] - images[0]
    scale = float(np.linalg.norm(axes[0])) or 1.0
    return lambda places: (places - middle) @ (axes / scale) + images[0]


def _old_affinities(old: Embedding) -> sparse.csr_matrix | None:
    """Return P̃ of the old map, left by its fit or else computed; None where its data or settings are not known."""
    data, settings = old.data, settings_of(old)
    if not isinstance(data, RelationalData) or settings is None:
        return None
    if not data.pairs and all(X is None for X in data.vectors.values()):
        return None  # the names of items on a cluster
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of the old data, of which the old fit has warned
        P = map_affinities(data, settings, memory_of(old))
    return P if P.shape[0] == len(old.stacked) else None


def _regions(places: Mapping[str, Float32], data: Outline | None) -> Regions:
    """Return the regions of a map of two dimensions; of others, none."""
    if next(iter(places.values())).shape[1] != 2:
        return Regions(())
    return places.regions() if isinstance(places, Embedding) else find_regions(places, data)
