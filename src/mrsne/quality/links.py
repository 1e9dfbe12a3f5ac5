"""The links of a domain's items, whichever way round a relation was given."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data import RelationalData


def undirected(W: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return W + Wᵀ without its diagonal: the links inside a domain in both directions, none of an item to itself.

    Examples
    --------
    >>> undirected(sparse.csr_matrix([[1, 2], [0, 0]])).toarray()
    array([[0, 2],
           [2, 0]])
    """
    both_directions = sparse.csr_matrix(W + W.T)
    both_directions.setdiag(0)
    both_directions.eliminate_zeros()
    return both_directions


def relations_of(data: RelationalData, domain: str) -> Iterator[tuple[str, sparse.csr_matrix]]:
    """Yield every domain that items of this one are linked to, perhaps itself, and the links to it.

    Examples
    --------
    >>> import mrsne
    >>> data = mrsne.RelationalData({"photo": 3, "tag": 2}, {("photo", "tag"): [(0, 0), (1, 0), (2, 1)]})
    >>> [(other, W.shape) for other, W in relations_of(data, "tag")]
    [('photo', (2, 3))]
    """
    for a, b in data.relations:
        if a == b == domain:
            yield domain, undirected(data.relations[a, b])
        elif domain in (a, b):
            other = b if a == domain else a
            yield other, data.relation(domain, other)


def has_place(data: RelationalData, domain: str) -> NDArray[np.bool_]:
    """Return which items have a vector or a link; nothing determines the place of the others.

    Examples
    --------
    >>> import mrsne
    >>> has_place(mrsne.RelationalData({"photo": 1, "tag": 2}, {("photo", "tag"): [(0, 1)]}), "tag")
    array([False,  True])
    """
    known: NDArray[np.bool_] = ~data.missing[domain]
    for _, W in relations_of(data, domain):
        known = known | (np.diff(W.indptr) > 0)
    return known
