"""Links across two domains predicted from nearness: Figure 1 of the paper, and links that were held out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from mrsne.data import DataError, Pair, RelationalData
from mrsne.data.relations import read_relation
from mrsne.metrics.arguments import check_map, positions
from mrsne.metrics.holding_out import with_relations
from mrsne.model.embedding import SIMILARITIES, Embedding
from mrsne.parameters import ParameterError, check_number, check_option, describe
from mrsne.quality.links import undirected
from mrsne.quality.ordering import squared_distances, sum_over_queries


def link_auc(
    embedding: Embedding, data: RelationalData, pair: Pair, *, held_out: Any = None, similarity: str | None = None
) -> float:
    """Return how well nearness in the map tells linked pairs of two domains from pairs that are not linked.

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
    similarity = embedding.similarity if similarity is None else check_option("similarity", similarity, SIMILARITIES)
    observed = _relation(data, pair)
    a, b = pair
    true = observed if held_out is None else read_held_out(data, pair, held_out)
    not_false = observed if held_out is None else sparse.csr_matrix(observed + true)
    if a == b:  # a link has no direction there, and an item is no pair with itself
        true = undirected(true)
        not_false = sparse.csr_matrix(undirected(not_false) + sparse.identity(len(embedding[a])))
    A, B = positions(embedding, a), positions(embedding, b)

    def dissimilarities(left: NDArray[np.float64]) -> NDArray[np.float64]:
        return squared_distances(left, B) if similarity == "euclidean" else -(left @ B.T)

    rows = np.flatnonzero(np.diff(true.indptr))
    of_linked = np.sort(np.concatenate([dissimilarities(A[i : i + 1])[0, true[i].indices] for i in rows]))
    n_unlinked = len(A) * len(B) - not_false.nnz
    if n_unlinked == 0:
        raise ParameterError(f"every pair of {a!r} and {b!r} is linked, so there is no other pair to compare with")

    def block(part: slice) -> NDArray[np.float64]:
        is_unlinked = np.asarray(not_false[part].toarray() == 0)
        of_unlinked = np.sort(dissimilarities(A[part])[is_unlinked])
        nearer, not_farther = (np.searchsorted(of_linked, of_unlinked, side).sum() for side in ("left", "right"))
        return np.array([(nearer + not_farther) / 2])

    return float(sum_over_queries(len(A), len(B), block)[0] / (len(of_linked) * n_unlinked))


def hold_out_links(
    data: RelationalData, pair: Pair, fraction: float = 0.1, random_state: Any = None
) -> tuple[RelationalData, sparse.csr_matrix]:
    """Hold out some links of a relation, to see whether a map made from the others predicts them.

    Every item keeps at least one of its links.

    Parameters
    ----------
    data : RelationalData
    pair : tuple of str
        Two different domains with a relation.
    fraction : float, default=0.1
        Share of the links to hold out.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    rest : RelationalData
        The data without those links.
    held_out : CSR matrix
        The links that were held out, with their weights.

    See Also
    --------
    mrsne.metrics.hold_out : For all relations, where an item keeps a link.
    mrsne.metrics.link_auc : Scores a map with what was held out.

    Examples
    --------
    >>> import mrsne
    >>> data, _ = mrsne.datasets.make_shapes(100, random_state=0)
    >>> rest, held_out = mrsne.metrics.hold_out_links(data, ("picture", "tag"), 0.2, random_state=0)
    >>> rest.relations["picture", "tag"].nnz, held_out.nnz
    (232, 58)
    """
    if not 0 < check_number("fraction", fraction, above=0) < 1:
        raise ParameterError(f"fraction must be greater than 0 and less than 1, got {fraction!r}")
    W = sparse.coo_matrix(_relation(data, pair))
    if pair[0] == pair[1]:
        raise ParameterError(f"pair must be two different domains, got {pair!r}")
    order = check_random_state(random_state).permutation(W.nnz)
    stays = np.zeros(W.nnz, dtype=bool)
    for ends in (W.row, W.col):  # the first link of every item, in random order
        stays[order[np.unique(ends[order], return_index=True)[1]]] = True
    count = round(fraction * W.nnz)
    if count == 0:
        raise ParameterError(f"fraction must hold out at least one of {W.nnz} links, got {fraction!r}")
    removable = order[~stays[order]]
    if count > len(removable):
        raise ParameterError(
            f"fraction must leave a link to every item: of {W.nnz} links {len(removable)} can be held out, not {count}"
        )
    is_held_out = np.zeros(W.nnz, dtype=bool)
    is_held_out[removable[:count]] = True
    rest, held_out = (
        sparse.csr_matrix((W.data[part], (W.row[part], W.col[part])), shape=W.shape)
        for part in (~is_held_out, is_held_out)
    )
    stored_pair = pair if pair in data.relations else pair[::-1]
    relations = {**data.relations, stored_pair: rest if stored_pair == pair else rest.T}
    return with_relations(data, relations), held_out


def read_held_out(data: RelationalData, pair: Pair, held_out: Any) -> sparse.csr_matrix:
    """Return links that were held out as a matrix of the shape of their relation."""
    shape = _relation(data, pair).shape
    try:
        return read_relation(pair, held_out, shape, (data.names.get(pair[0]), data.names.get(pair[1])))
    except DataError as error:
        raise ParameterError(str(error).replace(f"relations[{pair!r}]", "held_out")) from error


def _relation(data: RelationalData, pair: Any) -> sparse.csr_matrix:
    if not (isinstance(pair, tuple) and len(pair) == 2):
        raise ParameterError(f"pair must be two domain names, such as ('image', 'tag'), got {describe(pair)}")
    try:
        return data.relation(*pair)
    except KeyError as error:
        raise ParameterError(f"pair must be two domains with a relation: {error.args[0]}") from None
