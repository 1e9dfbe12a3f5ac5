"""The links of a domain's items, whichever way round a relation was given, and what counts as a true link."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Int64
from mrsne.backends.links import within_graph
from mrsne.data.relational import RelationalData
from mrsne.parameters import ParameterError, describe
from mrsne.sparse_structure import check_structure

WITHIN = ("shared", "identical")
Truth: TypeAlias = Callable[[Int64], Bool]  # query items -> which candidates are true


def relations_of(data: RelationalData, domain: str) -> Iterator[tuple[str, sparse.csr_matrix]]:
    """Yield every domain that items of this one are linked to, perhaps itself, and the links to it."""
    for a, b in data.relations:
        if a == b == domain:
            yield domain, within_graph(data.relations[a, b])
        elif domain in (a, b):
            other = b if a == domain else a
            yield other, data.relation(domain, other)


def linked_domains(query: str, data: RelationalData) -> list[str]:
    """Return the other domains that have a relation with this one."""
    return [name for name in data.sizes if name != query and any({name, query} == set(pair) for pair in data.relations)]


def has_place(data: RelationalData, domain: str) -> Bool:
    """Return which items have a vector or a link; nothing determines the place of the others."""
    has_links = [np.diff(W.indptr) > 0 for _, W in relations_of(data, domain)]
    return np.logical_or.reduce([~data.missing[domain], *has_links])  # type: ignore[no-any-return]


def across_truth(data: RelationalData, query: str, target: str) -> Truth:
    """Return a function that gives the items of ``target`` that items of ``query`` are linked to."""
    try:
        W = data.relation(query, target)
    except KeyError as error:
        raise ParameterError(f"target must be a domain that {query!r} has a relation with: {error.args[0]}") from None
    return lambda items: np.asarray(W[items].toarray() > 0)


def within_truth(data: RelationalData, query: str, within: Any) -> Truth:
    """Return a function that gives the other items of a domain that count as linked; see :func:`hit_rate`."""
    if isinstance(within, str) and within in WITHIN:
        W = _all_links(data, query)
        linked = _shared(W) if within == "shared" else _identical(W)
    elif isinstance(within, str) or within is None or np.ndim(within) not in (0, 2):
        raise ParameterError(f"within must be 'shared', 'identical' or a matrix, got {describe(within)}")
    else:
        linked = _from_matrix(within, data.sizes[query], query)

    def linked_to_others(items: Int64) -> Bool:
        truth = linked(items)
        truth[np.arange(len(items)), items] = False
        return truth

    return linked_to_others


def _all_links(data: RelationalData, query: str) -> sparse.csr_matrix:
    """Return the weights of a domain's links to all domains it has a relation with, side by side."""
    blocks = [W for _, W in relations_of(data, query)]
    if not blocks:
        raise ParameterError(f"within must be a matrix, since {query!r} has no relation to derive true links from")
    W = sparse.csr_matrix(sparse.hstack(blocks))
    W.eliminate_zeros()
    W.sort_indices()
    return W


def _shared(W: sparse.csr_matrix) -> Truth:
    adjacency = (W > 0).astype(np.float32)
    transposed = adjacency.T.tocsc()
    return lambda items: np.asarray((adjacency[items] @ transposed).toarray() > 0)


def _identical(W: sparse.csr_matrix) -> Truth:
    groups: dict[tuple[bytes, bytes], int] = {}
    group = np.full(W.shape[0], -1, dtype=np.int64)
    for item, (start, stop) in enumerate(zip(W.indptr[:-1], W.indptr[1:], strict=True)):
        if stop > start:
            row = W.indices[start:stop].tobytes(), W.data[start:stop].tobytes()
            group[item] = groups.setdefault(row, len(groups))
    return lambda items: (group[items, None] == group[None, :]) & (group[items, None] >= 0)


def _from_matrix(within: Any, size: int, query: str) -> Truth:
    if sparse.issparse(within):
        check_structure("within", within)
    matrix = sparse.csr_matrix(within)
    if matrix.shape != (size, size):
        wanted = f"a matrix of shape ({size}, {size}), as {query!r} has {size} items"
        raise ParameterError(f"within must be {wanted}, got {matrix.shape}")
    return lambda items: np.asarray(matrix[items].toarray() != 0)
