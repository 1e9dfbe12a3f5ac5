"""What items share: the things that several of them are linked to, directly or through what they are linked to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

MULTIPLICATIONS = 10_000_000  # at a time, of the links of items with those of what they are linked to
MOST_LINKS = 100  # of an item over two relations; the strongest are kept
SCARCE = 0.5  # share of the linked items below which too few share a thing directly


def weighted_links(data: Any, domain: str, items: Any = slice(None)) -> sparse.csr_matrix:
    """Return a row for each item: its links in all relations, weighted by TF-IDF, each relation's part of length 1."""
    parts = [tf_idf(links_to(data, domain, other), items) for other, _ in _relations_of(data, domain)]
    return sparse.csr_matrix(sparse.hstack(parts, format="csr"))


def shared_links(data: Any, domain: str) -> sparse.csr_matrix:
    """Return a row of length 1 for each item: its links to things that another item is linked to; or an empty row.

    Where these are scarce, the links of what an item is linked to are beside them: of an artist, the subjects of works.
    """
    shared, scarce = _shared_directly(data, domain)
    if scarce:
        parts = [shared, *(_shared_columns(_over_two_relations(data, domain, *way)) for way in _ways(data, domain))]
        shared = sparse.csr_matrix(sparse.hstack(parts, format="csr"))
    shared = unit_rows(shared)
    shared.sort_indices()
    return shared


def what_is_shared(data: Any, domain: str, pair: tuple[int, int] | None = None) -> str:
    """Return what makes items of a domain neighbours, or two of them: "shared links", or "shared subject of work"."""
    ways = list(_ways(data, domain))
    if pair is None:
        ways = ways if ways and _shared_directly(data, domain)[1] else []
    elif any(_overlap(links_to(data, domain, other)[list(pair)]) for other, _ in _relations_of(data, domain)):
        ways = []
    else:
        two = list(pair)
        ways = [way for way in ways if _overlap(links_to(data, domain, way[0])[two] @ links_to(data, *way))]
    return ", ".join(f"shared {end} of {between}" for between, end in ways) or "shared links"


def _overlap(two: sparse.csr_matrix) -> bool:
    """Return whether two rows have an entry in the same column."""
    return len(np.unique(two.indices)) < len(two.indices)


def links_to(data: Any, domain: str, other: str) -> sparse.csr_matrix:
    """Return the links of the items of a domain, which inside it go both ways."""
    W = data.relation(domain, other)
    return sparse.csr_matrix(W + W.T if domain == other else W)


def tf_idf(links: sparse.csr_matrix, items: Any = slice(None)) -> sparse.csr_matrix:
    """Return w_ij (1 + ln((1 + n)/(1 + f_j))), with f_j of all n items linked to j, in rows of length 1."""
    linked = np.bincount(links.indices, minlength=links.shape[1])
    largest = links.data.max(initial=0) or 1.0  # no overflow of squares
    rarity = (1 + np.log((1 + links.shape[0]) / (1 + linked))) / largest
    return unit_rows(links[items].astype(np.float64) @ sparse.diags_array(rarity))


def unit_rows(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return rows of length 1, and those that are empty."""
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags_array(1 / np.where(length > 0, length, 1)) @ matrix)


def _relations_of(data: Any, domain: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the other domain of each relation of a domain, and the relation."""
    for a, b in data.relations:
        if domain in (a, b):
            yield (b if domain == a else a), (a, b)


def _ways(data: Any, domain: str) -> Iterator[tuple[str, str]]:
    """Yield the domains in the middle and at the end of each way over two relations."""
    for between, first in _relations_of(data, domain):
        for end, second in _relations_of(data, between):
            if second != first:
                yield between, end


def _shared_directly(data: Any, domain: str) -> tuple[sparse.csr_matrix, bool]:
    """Return the links to things that are shared, and whether few of the items have any."""
    direct = weighted_links(data, domain)
    shared = _shared_columns(direct)
    return shared, bool((np.diff(shared.indptr) > 0).sum() < SCARCE * (np.diff(direct.indptr) > 0).sum())


def _shared_columns(links: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return the links to what at least two items are linked to."""
    counts = np.bincount(links.indices, minlength=links.shape[1])
    return links[:, np.flatnonzero(counts >= 2)]


def _over_two_relations(data: Any, domain: str, between: str, end: str) -> sparse.csr_matrix:
    """Return, by TF-IDF, the mean of the rows that the things of an item have by TF-IDF."""
    links = links_to(data, domain, between)
    sums = np.asarray(links.sum(axis=1)).ravel()
    shares = sparse.csr_matrix(sparse.diags_array(1 / np.where(sums > 0, sums, 1)) @ links)
    return tf_idf(_product(shares, tf_idf(links_to(data, between, end))))


def _product(A: sparse.csr_matrix, B: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return the largest numbers of each row of A B, computed some rows at a time."""
    cost = np.concatenate([[0], np.cumsum(np.diff(B.indptr)[A.indices])])[A.indptr]
    ends = np.searchsorted(cost, np.arange(MULTIPLICATIONS, cost[-1], MULTIPLICATIONS))
    parts = [_largest(A[start:stop] @ B) for start, stop in pairwise(np.unique([0, *ends, A.shape[0]]).tolist())]
    return sparse.csr_matrix(sparse.vstack(parts, format="csr"))


def _largest(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return the largest numbers of each row; of equal ones those of the first columns."""
    counts = np.diff(matrix.indptr)
    rows = np.repeat(np.arange(matrix.shape[0]), counts)
    order = np.lexsort((matrix.indices, -matrix.data, rows))
    kept = order[np.arange(len(rows)) - np.repeat(matrix.indptr[:-1], counts) < MOST_LINKS]
    return sparse.csr_matrix((matrix.data[kept], (rows[kept], matrix.indices[kept])), shape=matrix.shape)
