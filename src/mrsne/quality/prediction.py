"""Links that the map has not seen, predicted from nearness."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import digamma

from mrsne.quality.ordering import exclude_self, for_each_query, squared_distances

TOP = 10


class Prediction(NamedTuple):
    """How well held-out links are predicted, and how well by chance."""

    recall: float
    reciprocal_rank: float
    chance_of_recall: float
    chance_of_reciprocal_rank: float


def predict_links(
    A: NDArray[np.float64],
    B: NDArray[np.float64],
    known: sparse.csr_matrix,
    links: NDArray[np.int64],
    same_domain: bool = False,
) -> Prediction:
    """Return recall and mean reciprocal rank of held-out links.

    For a link from i to j, the items of B that i is not linked to already are put in the order of their distance to i.
    The recall is the share of links whose j is among the first ten, the reciprocal rank one over its place; ties come
    in random order, and both are the mean over those orders.

    Parameters
    ----------
    A, B : arrays of shape (n, K)
        Coordinates of the two domains.
    known : CSR matrix of shape (n_a, n_b)
        The links that the map was made from.
    links : array of shape (m, 2)
        The links that were held out.
    same_domain : bool, default=False
        Whether both domains are one, in which no item is its own neighbour.

    Examples
    --------
    >>> A, B = np.array([[0.0]]), np.arange(30.0)[:, None]
    >>> known = sparse.csr_matrix(([1.0], ([0], [0])), (1, 30))
    >>> found = predict_links(A, B, known, np.array([[0, 2], [0, 20]]))
    >>> found.recall, round(found.reciprocal_rank, 3)
    (0.5, 0.275)
    """

    def by_link(rows: slice) -> NDArray[np.float64]:
        sources, targets = links[rows].T
        distances = squared_distances(A[sources], B)
        to_target = np.take_along_axis(distances, targets[:, None], axis=1)
        taken = known[sources].tocoo()
        distances[taken.row, taken.col] = np.inf
        if same_domain:
            exclude_self(distances, sources, np.inf)
        nearer, tied = (distances < to_target).sum(axis=1), (distances == to_target).sum(axis=1)
        recall = np.clip((TOP - nearer) / tied, 0, 1)
        reciprocal = (digamma(nearer + tied + 1) - digamma(nearer + 1)) / tied
        candidates = np.isfinite(distances).sum(axis=1)
        by_chance = (digamma(candidates + 1) - digamma(1)) / candidates
        return np.stack([recall, reciprocal, np.minimum(TOP / candidates, 1), by_chance], axis=1)

    return Prediction(*(float(mean) for mean in for_each_query(len(links), len(B), by_link).mean(axis=0)))
