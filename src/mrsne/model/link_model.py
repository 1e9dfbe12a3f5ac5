"""Scores of the links of one relation: a regression on links, one on vectors, and what neighbours in P̃ are linked to.

For an item i of the first kind with links x_i, vector f_i and neighbours p_i, and an item j of the second:

    s_ij = (x_i B_j + g (f_i C_j + 0.3 Σ_n p_in w_nj) + 0.1 Σ_l w_il p_lj) n_j^−d

docs/suggest.md has the reasons.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Float32
from mrsne.backends.cpu.sparse_products import add_sparse
from mrsne.model.closed_form import Exact, LowRank, columns_of, feature_weights, link_weights, new_link_weights

VOTES = (
    0.3  # of neighbours of an item, beside the regressions: the best of .1, .3 and 1 for emoji and Debian's packages
)
SIMILAR = 0.1  # of items like those that an item is linked to
SIMILAR_ALONE = 1.0  # where an item of the second kind has no link, so that nothing else speaks for it


@dataclass(frozen=True)
class LinkSettings:
    """What is chosen for each relation by links held out."""

    ridge: float = 1.0  # λ beside the mean number of links of a column
    damping: float = 0.0  # d: scores are divided by the number of links to this power
    vectors: float = 1.0  # g


@dataclass(frozen=True)
class Inputs:
    """What is known of items of the first kind, a row for each."""

    links: sparse.csr_matrix  # to the second kind, and beside them those to all others
    features: Float32  # principal components of their vectors; of an item without one, 0
    neighbors: sparse.csr_matrix  # p_n|i over the items of the first kind

    def __getitem__(self, rows: Any) -> Inputs:
        return Inputs(self.links[rows], self.features[rows], self.neighbors[rows])

    def informed(self) -> Bool:
        """Return of which items anything is known."""
        parts = (np.diff(self.links.indptr) > 0, self.features.any(axis=1), np.diff(self.neighbors.indptr) > 0)
        return np.asarray(np.logical_or.reduce(parts))


@dataclass(frozen=True)
class LinkModel:
    """The scores of all pairs of two kinds."""

    W: sparse.csr_matrix  # 1 for each link
    known: Inputs
    similar: sparse.csr_matrix  # p_j|l over the items of the second kind, times what it weighs
    links: Exact | LowRank  # B
    features: Float32  # C
    scale: Float32  # n_j^−d
    settings: LinkSettings

    @classmethod
    def fit(cls, known: Inputs, similar: sparse.csr_matrix, n_columns: int, settings: LinkSettings) -> Self:
        """Solve both regressions; neighbours without links have no vote."""
        W = sparse.csr_matrix(known.links[:, :n_columns])
        linked = np.diff(W.indptr) > 0
        votes = _shares(known.neighbors @ sparse.diags_array(linked.astype(np.float32)))
        counts = np.bincount(W.indices, minlength=n_columns)
        weight = np.where(counts > 0, SIMILAR, SIMILAR_ALONE).astype(np.float32)
        return cls(
            W,
            Inputs(known.links, known.features, votes),
            sparse.csr_matrix(similar @ sparse.diags_array(weight)),
            link_weights(known.links, n_columns, settings.ridge),
            feature_weights(known.features[linked], W[linked]),
            (np.maximum(counts, 1) ** -settings.damping).astype(np.float32),
            settings,
        )

    def link_scores(self, items: Inputs, columns: Any = None, result: Float32 | None = None) -> Float32:
        """Return the part of scores that links have, of some items and all or some columns, or add it to a result."""
        if result is None:
            result = np.zeros((items.links.shape[0], len(columns_of(self.scale[None], columns)[0])), np.float32)
        self.links.add(items.links, columns, result)
        own = sparse.csr_matrix(items.links[:, : self.W.shape[1]])
        add_sparse(own, sparse.csr_matrix(columns_of(self.similar, columns)), 1.0, result)
        return result

    def vector_scores(self, items: Inputs, columns: Any = None, factor: float = 1.0) -> Float32:
        """Return the part that vectors have, times a factor."""
        result = (np.float32(factor) * items.features) @ columns_of(self.features, columns)
        add_sparse(items.neighbors, sparse.csr_matrix(columns_of(self.W, columns)), factor * VOTES, result)
        return np.asarray(result)

    def scores(self, items: Inputs, columns: Any = None) -> Float32:
        """Return s_ij, before it is calibrated."""
        result = self.link_scores(items, columns, self.vector_scores(items, columns, self.settings.vectors))
        if self.settings.damping:
            result *= columns_of(self.scale[None], columns)[0]
        return result

    def new_column_scores(self, W: sparse.csc_matrix, similar: sparse.csr_matrix) -> Float32:
        """Return the scores of all rows for new columns with these links and p_j|l, rows of the first kind first."""
        columns, known = W.toarray().astype(np.float64), self.known
        linked = np.diff(self.W.indptr) > 0
        result = np.asarray(known.links @ new_link_weights(known.links, self.settings.ridge, columns))
        features = known.features @ feature_weights(known.features[linked], columns[linked])
        result += np.float32(self.settings.vectors) * (features + VOTES * (known.neighbors @ columns))
        counts = np.diff(W.indptr)
        weight = np.where(counts > 0, SIMILAR, SIMILAR_ALONE)
        result += (self.W @ similar.T).toarray() * weight
        return np.asarray(result * np.maximum(counts, 1) ** -self.settings.damping, dtype=np.float32)


def _shares(matrix: Any) -> sparse.csr_matrix:
    """Return rows that sum to 1, or are empty."""
    totals = np.asarray(matrix.sum(axis=1)).ravel()
    shares = sparse.csr_matrix(sparse.diags_array(1 / np.where(totals > 0, totals, 1)) @ matrix, dtype=np.float32)
    shares.eliminate_zeros()
    shares.sort_indices()
    return shares


def votes_of(neighbors: sparse.csr_matrix, model: LinkModel) -> sparse.csr_matrix:
    """Return the neighbours of new items that have links, in rows that sum to 1."""
    linked = np.diff(model.W.indptr) > 0
    return _shares(neighbors @ sparse.diags_array(linked.astype(np.float32)))


def without_links(known: Inputs, n_columns: int, W: sparse.csr_matrix) -> Inputs:
    """Return inputs with other links to the second kind."""
    return Inputs(
        sparse.csr_matrix(sparse.hstack([W, known.links[:, n_columns:]], format="csr", dtype=np.float32)),
        known.features,
        known.neighbors,
    )
