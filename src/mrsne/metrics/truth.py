"""What counts as a true link: the observed relation across domains, and what it implies within one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.data import RelationalData
from mrsne.parameters import ParameterError, describe

WITHIN = ("shared", "identical")
Truth: TypeAlias = Callable[[NDArray[np.int64]], NDArray[np.bool_]]


def across_truth(data: RelationalData, query: str, target: str) -> Truth:
    """Return a function that gives, for some items of ``query``, which items of ``target`` they are linked to."""
    try:
        W = data.relation(query, target)
    except KeyError as error:
        raise ParameterError(f"target must be a domain that {query!r} has a relation with: {error.args[0]}") from None
    return lambda items: np.asarray(W[items].toarray() > 0)


def within_truth(data: RelationalData, query: str, within: Any) -> Truth:
    """Return a function that gives, for some items of a domain, which items of the same domain they belong to.

    Never itself. ``"shared"``: those with at least one common neighbour. ``"identical"``: those with the same weights
    to everything, unless there are none. A matrix: where it is not zero.
    """
    if isinstance(within, str) and within in WITHIN:
        W = _all_links(data, query)
        belongs = _shared(W) if within == "shared" else _identical(W)
    elif isinstance(within, str) or within is None or np.ndim(within) not in (0, 2):
        raise ParameterError(f"within must be 'shared', 'identical' or a matrix, got {describe(within)}")
    else:
        belongs = _given(within, data.sizes[query], query)

    def others(items: NDArray[np.int64]) -> NDArray[np.bool_]:
        found = belongs(items)
        found[np.arange(len(items)), items] = False
        return found

    return others


def _all_links(data: RelationalData, query: str) -> sparse.csr_matrix:
    """Return the weights from a domain to everything it is related to, side by side."""
    blocks = []
    for a, b in data.relations:
        if a == b == query:
            W = data.relations[a, b].copy()
            W.setdiag(0)
            blocks.append(W + W.T)
        elif query in (a, b):
            blocks.append(data.relation(query, b if a == query else a))
    if not blocks:
        raise ParameterError(f"within needs a relation of {query!r} to something, or a matrix; there is none")
    W = sparse.csr_matrix(sparse.hstack(blocks))
    W.eliminate_zeros()
    W.sort_indices()
    return W


def _shared(W: sparse.csr_matrix) -> Truth:
    linked = (W > 0).astype(np.float32)
    back = linked.T.tocsc()
    return lambda items: np.asarray((linked[items] @ back).toarray() > 0)


def _identical(W: sparse.csr_matrix) -> Truth:
    groups: dict[tuple[bytes, bytes], int] = {}
    group = np.full(W.shape[0], -1, dtype=np.int64)
    for item, (start, stop) in enumerate(zip(W.indptr[:-1], W.indptr[1:], strict=True)):
        if stop > start:
            row = W.indices[start:stop].tobytes(), W.data[start:stop].tobytes()
            group[item] = groups.setdefault(row, len(groups))
    return lambda items: (group[items, None] == group[None, :]) & (group[items, None] >= 0)


def _given(within: Any, size: int, query: str) -> Truth:
    matrix = sparse.csr_matrix(within)
    if matrix.shape != (size, size):
        raise ParameterError(
            f"within must be a matrix of shape ({size}, {size}), as {query!r} has {size} items, got {matrix.shape}"
        )
    return lambda items: np.asarray(matrix[items].toarray() != 0)
