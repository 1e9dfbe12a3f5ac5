"""Links predicted from nearness: Figure 1 of the paper, and the places of links that the map has not seen."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from scipy.special import digamma

from mrsne.arrays import Float64, Int64
from mrsne.backends.links import within_graph
from mrsne.data.outline import Pair
from mrsne.data.relational import RelationalData
from mrsne.metrics.arguments import SIMILARITIES, Map, check_map, positions, sample_of
from mrsne.metrics.distances import exclude_self, for_each_query, squared_distances, sum_over_queries
from mrsne.metrics.holding_out import HeldOut, read_held_out, relation_of
from mrsne.parameters import ParameterError, check_option

TOP = 10
LINKS_PER_ITEM = 10  # held-out links in the sample for each item in it: they take no vectors
Scores: TypeAlias = dict[str, dict[Any, float]]  # by score, and by domain or pair of domains


def link_auc(
    embedding: Map, data: RelationalData, pair: Pair, *, held_out: Any = None, similarity: str | None = None
) -> float:
    """Return how well nearness in the map separates linked pairs of two domains from pairs that are not linked.

    The probability that a linked pair is nearer than a pair without a link, both drawn at random from all pairs of the
    two domains; a tie counts half. The scores in Figure 1 of the paper.

    Parameters
    ----------
    embedding : Embedding
    data : RelationalData
        The data the map was made from.
    pair : tuple of str
        Two domains with a relation.
    held_out : matrix or edge table, optional
        Links that were removed before the map was made, as :func:`hold_out_links` returns them: they are then the true
        ones, and the links that the map was made from are ignored.
    similarity : {"euclidean", "inner"}, optional
        What counts as near: a small distance, or a large inner product; by default what the embedding was made for.

    Returns
    -------
    score : float
        1 is perfect, 0.5 is chance.

    See Also
    --------
    mrsne.metrics.hold_out_links : Links that the map has not seen.
    mrsne.metrics.reconstruction_auc : The same over all kinds of items.

    Examples
    --------
    >>> import mrsne
    >>> data = mrsne.RelationalData({"image": 3, "tag": 2}, {("image", "tag"): [(0, 0), (1, 0), (2, 1)]})
    >>> embedding = mrsne.Embedding({"image": [[0], [1], [4]], "tag": [[0.5], [3]]})
    >>> mrsne.metrics.link_auc(embedding, data, ("image", "tag"))
    1.0
    """
    check_map(embedding, data)
    made_for = getattr(embedding, "similarity", SIMILARITIES[0])
    similarity = made_for if similarity is None else check_option("similarity", similarity, SIMILARITIES)
    observed = relation_of(data, pair)
    a, b = pair
    true = observed if held_out is None else read_held_out(data, pair, held_out)
    not_false = observed if held_out is None else sparse.csr_matrix(observed + true)
    if a == b:  # a link has no direction there, and an item is no pair with itself
        true = within_graph(true)
        not_false = sparse.csr_matrix(within_graph(not_false) + sparse.identity(len(embedding[a])))
    A, B = positions(embedding, a), positions(embedding, b)

    def dissimilarities(left: Float64) -> Float64:
        return squared_distances(left, B) if similarity == "euclidean" else -(left @ B.T)

    rows = np.flatnonzero(np.diff(true.indptr))
    of_linked = np.sort(np.concatenate([dissimilarities(A[i : i + 1])[0, true[i].indices] for i in rows]))
    n_unlinked = len(A) * len(B) - not_false.nnz
    if n_unlinked == 0:
        raise ParameterError(f"every pair of {a!r} and {b!r} is linked, so there is no other pair to compare with")

    def block(part: slice) -> Float64:
        is_unlinked = np.asarray(not_false[part].toarray() == 0)
        of_unlinked = np.sort(dissimilarities(A[part])[is_unlinked])
        nearer, not_farther = (np.searchsorted(of_linked, of_unlinked, side).sum() for side in ("left", "right"))
        return np.array([(nearer + not_farther) / 2])

    return float(sum_over_queries(len(A), len(B), block)[0] / (len(of_linked) * n_unlinked))


def predict_links(
    A: Float64, B: Float64, known: sparse.csr_matrix, links: Int64, same_domain: bool = False
) -> list[float]:
    """Return recall and mean reciprocal rank of held-out links, an array of shape (m, 2), and both by chance.

    For a link from i to j, the items of B that i is not linked to are put in the order of their distance to i: is j
    among the first ten, and at which place? Ties come in random order, and both are the mean over those orders.
    """

    def by_link(rows: slice) -> Float64:
        sources, targets = links[rows].T
        distances = squared_distances(A[sources], B)
        to_target = np.take_along_axis(distances, targets[:, None], axis=1)
        linked = known[sources].tocoo()
        distances[linked.row, linked.col] = np.inf
        if same_domain:
            exclude_self(distances, sources, np.inf)
        nearer, tied = (distances < to_target).sum(axis=1), (distances == to_target).sum(axis=1)
        recall = np.clip((TOP - nearer) / tied, 0, 1)
        reciprocal = (digamma(nearer + tied + 1) - digamma(nearer + 1)) / tied
        candidates = np.isfinite(distances).sum(axis=1)
        by_chance = (digamma(candidates + 1) - digamma(1)) / candidates
        return np.stack([recall, reciprocal, np.minimum(TOP / candidates, 1), by_chance], axis=1)

    return [float(mean) for mean in for_each_query(len(links), len(B), by_link).mean(axis=0)]


def score_held_out(
    embedding: Map, data: RelationalData, held_out: HeldOut, *, sample: int | None, random: np.random.RandomState
) -> tuple[Scores, Scores]:
    """Return how well held-out links are predicted, and how well by chance, by score and pair of domains."""
    scores: Scores = {"held_out_recall_10": {}, "held_out_mrr": {}}
    chances: Scores = {"held_out_recall_10": {}, "held_out_mrr": {}}
    most = None if sample is None else LINKS_PER_ITEM * sample
    for (a, b), links in held_out.items():
        known = data.relation(a, b)
        if a == b:
            known, links = within_graph(known), within_graph(links)
        ends = np.stack(links.nonzero(), axis=1).astype(np.int64)
        chosen = ends[sample_of(np.arange(len(ends)), most, random)]
        if not len(chosen):
            continue
        A, B = positions(embedding, a), positions(embedding, b)
        recall, rank, chance_of_recall, chance_of_rank = predict_links(A, B, known, chosen, same_domain=a == b)
        scores["held_out_mrr"][a, b], chances["held_out_mrr"][a, b] = rank, chance_of_rank
        if data.sizes[b] > TOP:  # otherwise all are among the ten nearest
            scores["held_out_recall_10"][a, b], chances["held_out_recall_10"][a, b] = recall, chance_of_recall
    return scores, chances
