"""Links across two domains predicted from nearness: Figure 1 of the paper, and links the map has never seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from mrsne.data import DataError, Pair, RelationalData
from mrsne.data.relations import read_relation
from mrsne.embedding import SIMILARITIES, Embedding
from mrsne.metrics.arguments import check_map, positions
from mrsne.metrics.ordering import squared_distances, sum_over_queries
from mrsne.parameters import ParameterError, check_number, check_option, describe


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
        Links that were taken out before the map was made, as :func:`hold_out_links` gives them: they are the true ones
        then, and the links that the map was made from are left out.
    similarity : {"euclidean", "inner"}, optional
        What nearness is: a small distance, or a large inner product; by default what the embedding was made for.

    Returns
    -------
    score : float
        1 is perfect, 0.5 is chance.

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
    known = _relation(data, pair)
    a, b = pair
    true = known if held_out is None else _held_out(data, pair, held_out, known.shape)
    linked_somehow = known if held_out is None else sparse.csr_matrix(known + true)
    if a == b:  # a link has no direction there, and an item is no pair with itself
        true = _undirected(true)
        linked_somehow = sparse.csr_matrix(_undirected(linked_somehow) + sparse.identity(len(embedding[a])))
    A, B = positions(embedding, a), positions(embedding, b)

    def farness(left: NDArray[np.float64]) -> NDArray[np.float64]:
        return squared_distances(left, B) if similarity == "euclidean" else -(left @ B.T)

    rows = np.repeat(np.arange(len(A)), np.diff(true.indptr))
    linked = np.sort(np.concatenate([farness(A[i : i + 1])[0, true[i].indices] for i in np.unique(rows)]))
    pairs_without = len(A) * len(B) - linked_somehow.nnz
    if pairs_without == 0:
        raise ParameterError(f"every pair of {a!r} and {b!r} is linked: there is nothing to tell links from")

    def block(part: slice) -> NDArray[np.float64]:
        without = np.asarray(linked_somehow[part].toarray() == 0)
        far = np.sort(farness(A[part])[without])
        nearer = np.searchsorted(linked, far, "left").sum() + np.searchsorted(linked, far, "right").sum()
        return np.array([nearer / 2])

    return float(sum_over_queries(len(A), len(B), block)[0] / (len(linked) * pairs_without))


def hold_out_links(
    data: RelationalData, pair: Pair, fraction: float = 0.1, random_state: Any = None
) -> tuple[RelationalData, sparse.csr_matrix]:
    """Take some links out of a relation, to see whether a map made from the others finds them.

    Every item keeps at least one of its links.

    Parameters
    ----------
    data : RelationalData
    pair : tuple of str
        Two different domains with a relation.
    fraction : float, default=0.1
        Share of the links to take out.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    rest : RelationalData
        The data without those links.
    held_out : CSR matrix
        The links that were taken out, with their weights.

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
    kept = np.zeros(W.nnz, dtype=bool)
    for ends in (W.row, W.col):
        kept[order[np.unique(ends[order], return_index=True)[1]]] = True
    count = round(fraction * W.nnz)
    if count == 0:
        raise ParameterError(f"fraction must take out at least one of {W.nnz} links, got {fraction!r}")
    free = order[~kept[order]]
    if count > len(free):
        raise ParameterError(
            f"fraction must leave a link to every item: of {W.nnz} links {len(free)} can be taken out, not {count}"
        )
    taken = np.zeros(W.nnz, dtype=bool)
    taken[free[:count]] = True
    rest, held_out = (
        sparse.csr_matrix((W.data[part], (W.row[part], W.col[part])), shape=W.shape) for part in (~taken, taken)
    )
    stored = pair if pair in data.relations else pair[::-1]
    return (
        RelationalData(
            {name: data.sizes[name] if X is None else X for name, X in data.vectors.items()},
            {**data.relations, stored: rest if stored == pair else rest.T},
            names=data.names,
            missing={name: mask for name, mask in data.missing.items() if data.vectors[name] is not None},
        ),
        held_out,
    )


def _held_out(data: RelationalData, pair: Pair, held_out: Any, shape: tuple[int, int]) -> sparse.csr_matrix:
    try:
        return read_relation(pair, held_out, shape, (data.names.get(pair[0]), data.names.get(pair[1])))
    except DataError as error:
        raise ParameterError(str(error).replace(f"relations[{pair!r}]", "held_out")) from error


def _undirected(W: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return links in both directions, none of an item to itself."""
    both = sparse.csr_matrix(W + W.T)
    both.setdiag(0)
    both.eliminate_zeros()
    return both


def _relation(data: RelationalData, pair: Any) -> sparse.csr_matrix:
    if not (isinstance(pair, tuple) and len(pair) == 2):
        raise ParameterError(f"pair must be two domain names, such as ('image', 'tag'), got {describe(pair)}")
    try:
        return data.relation(*pair)
    except KeyError as error:
        raise ParameterError(f"pair must be two domains with a relation: {error.args[0]}") from None
