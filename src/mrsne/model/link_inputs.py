"""What a link is predicted from: links, principal components of vectors, and neighbours in P̃."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.affinity.joint import Affinities, joint_affinities
from mrsne.affinity.settings import AffinitySettings, per_domain
from mrsne.arrays import Float32, Int64
from mrsne.backends.distances import PRECOMPUTED
from mrsne.backends.links import within_graph
from mrsne.backends.projection import Projection, principal_axes
from mrsne.backends.rows import Rows, prepare
from mrsne.data.relational import RelationalData
from mrsne.model.link_model import Inputs
from mrsne.model.placement import FittedMap, by_vector

COMPONENTS = 256  # of vectors; 128 and 512 predict emoji and Debian's packages as well, within 0.01 of recall
OTHERS = 2_000  # items of another kind, the most linked, links to which are looked at


@dataclass
class LinkSources:
    """All that links are predicted from, by kind of items."""

    data: RelationalData
    settings: AffinitySettings
    affinities: Affinities
    _features: dict[str, tuple[Rows, Projection, Float32]] = field(default_factory=dict)

    @cached_property
    def joint(self) -> sparse.csr_matrix:
        """P̃ of all kinds."""
        P: sparse.csr_matrix = self.affinities.gather()
        return P

    def inputs(self, rows: str, columns: str) -> Inputs:
        """Return what is known of the items of one kind about links to another."""
        parts = [self.links(rows, columns), *(W[:, kept] for W, kept in self.others(rows, columns).values())]
        links = sparse.csr_matrix(sparse.hstack(parts, format="csr", dtype=np.float32))
        return Inputs(links, self._known_features(rows), self.neighbors(rows))

    def new_inputs(
        self, rows: str, columns: str, vectors: Any, links: Mapping[str, sparse.csr_matrix], count: int
    ) -> Inputs:
        """Return the same of so many new items, from their vectors or None and their links."""
        widths = {columns: np.arange(self.data.sizes[columns])}
        widths |= {other: kept for other, (_, kept) in self.others(rows, columns).items()}
        parts = [
            binary(links[other])[:, kept] if other in links else sparse.csr_matrix((count, len(kept)), dtype=np.float32)
            for other, kept in widths.items()
        ]
        together = sparse.csr_matrix(sparse.hstack(parts, format="csr", dtype=np.float32))
        features = np.zeros((count, self._known_features(rows).shape[1]), np.float32)
        if vectors is not None and features.shape[1]:
            base, projection, _ = self._features[rows]
            features = projection(prepare(vectors, self._metric(rows), like=base)).values
        return Inputs(together, features, self.new_neighbors(rows, vectors, count))

    def new_neighbors(self, kind: str, vectors: Any, count: int) -> sparse.csr_matrix:
        """Return p_n|i of new items over the items of their kind."""
        if vectors is None:
            return sparse.csr_matrix((count, self.data.sizes[kind]), dtype=np.float32)
        fitted = FittedMap(self.data, self.settings, self.affinities, np.zeros((0, 2), np.float32))
        own = self.data.offsets[kind]
        return sparse.csr_matrix(by_vector(fitted, self.data, kind, vectors)[0][:, own : own + self.data.sizes[kind]])

    def links(self, a: str, b: str) -> sparse.csr_matrix:
        """Return 1 for each link between two kinds, or inside one in both directions."""
        W = self.data.relation(a, b)
        return binary(within_graph(W) if a == b else W)

    def neighbors(self, kind: str) -> sparse.csr_matrix:
        """Return p_n|i over the items of a kind, by vectors alone."""
        own = slice(self.data.offsets[kind], self.data.offsets[kind] + self.data.sizes[kind])
        P = self.joint[own, own]
        if self.data.count_vectors(kind) < 2:  # then neighbours in P̃ are those that share links, which says nothing new
            P = sparse.csr_matrix(P.shape, dtype=np.float32)
        elif (kind, kind) in self.data.relations:
            alone = RelationalData({kind: self.data.vectors[kind]}, missing={kind: self.data.missing[kind]})
            metric, perplexity = self._metric(kind), per_domain("perplexity", self.settings.perplexity, self.data)[kind]
            P = joint_affinities(alone, perplexity, metric=metric)
        totals = np.asarray(P.sum(axis=1)).ravel()
        return sparse.csr_matrix(sparse.diags_array(1 / np.where(totals > 0, totals, 1)) @ P, dtype=np.float32)

    def others(self, rows: str, columns: str) -> dict[str, tuple[sparse.csr_matrix, Int64]]:
        """Return the links of a kind to others than this one, and which of their items are looked at."""
        found = {}
        for pair in self.data.pairs:
            other = pair[pair[0] == rows]
            if rows in pair and other != columns:
                W = self.links(rows, other)
                most_linked = np.argsort(-np.bincount(W.indices, minlength=W.shape[1]), kind="stable")[:OTHERS]
                found[other] = W, np.sort(most_linked)
        return found

    def _metric(self, kind: str) -> Any:
        return per_domain("metric", self.settings.metric, self.data).get(kind, AffinitySettings.metric)

    def _known_features(self, kind: str) -> Float32:
        """Return the principal components of the vectors of a kind; 0 for items without one."""
        if kind not in self._features:
            present = np.flatnonzero(self.data.has_vector(kind))
            vectors = self.data.vectors[kind]
            if vectors is None or len(present) < 2 or self._metric(kind) == PRECOMPUTED:
                return np.zeros((self.data.sizes[kind], 0), np.float32)
            base = prepare(vectors[present], self._metric(kind))
            projection = principal_axes(base, min(COMPONENTS, base.shape[1]))
            features = np.zeros((self.data.sizes[kind], projection.axes.shape[1]), np.float32)
            features[present] = projection(base).values
            self._features[kind] = base, projection, features
        return self._features[kind][2]


def binary(W: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return 1 for each positive entry."""
    return sparse.csr_matrix(W > 0, dtype=np.float32)
