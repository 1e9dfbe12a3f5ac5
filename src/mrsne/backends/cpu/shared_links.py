"""What items share: the things that several of them are linked to, directly or through what they are linked to."""

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

MULTIPLICATIONS = 10_000_000  # at a time, of the links of items with those of what they are linked to
MOST_LINKS = 100  # of an item over two relations; the strongest are kept
SCARCE = 0.5  # share of the linked items below which too few share a thing directly


def weighted_links(data: Any, domain: str) -> sparse.csr_matrix:
    """Return a row for each item: its links in all relations, weighted by TF-IDF, each relation's part of length 1."""
    parts = [tf_idf(_links(data, domain, _other(pair, domain))) for pair in data.relations if domain in pair]
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


def what_is_shared(data: Any, domain: str, two: list[int] | None = None) -> str:
    """Return what makes items of a domain neighbours, or two of them: "shared links", or "shared subject of work"."""
    ways = _ways(data, domain)
    if two is None:
        directly = not ways or not _shared_directly(data, domain)[1]
    else:
        links = [_links(data, domain, _other(pair, domain))[two] for pair in data.relations if domain in pair]
        directly = any(len(np.unique(part.indices)) < part.nnz for part in links)
    return "shared links" if directly else ", ".join(f"shared {end} of {between}" for between, end in ways)


def tf_idf(links: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return w_ij (1 + ln((1 + n)/(1 + f_j))), with f_j of all n items linked to j, in rows of length 1."""
    linked = np.bincount(links.indices, minlength=links.shape[1])
    largest = links.data.max(initial=0) or 1.0  # no overflow of squares
    rarity = (1 + np.log((1 + links.shape[0]) / (1 + linked))) / largest
    return unit_rows(links.astype(np.float64) @ sparse.diags_array(rarity))


def unit_rows(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return rows of length 1, and those that are empty."""
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags_array(1 / np.where(length > 0, length, 1)) @ matrix)


def _other(pair: tuple[str, str], domain: str) -> str:
    return pair[pair[0] == domain]


def _links(data: Any, domain: str, other: str) -> sparse.csr_matrix:
    """Return the links of the items of a domain, which inside it go both ways."""
    W = data.relation(domain, other)
    return sparse.csr_matrix(W + W.T if domain == other else W)


def _ways(data: Any, domain: str) -> list[tuple[str, str]]:
    """Return the domains in the middle and at the end of each way over two relations."""
    middles = [(_other(pair, domain), pair) for pair in data.relations if domain in pair]
    return [(a, _other(pair, a)) for a, first in middles for pair in data.relations if a in pair and pair != first]


def _shared_directly(data: Any, domain: str) -> tuple[sparse.csr_matrix, bool]:
    """Return the links to things that are shared, and whether few of the items have any."""
    links = weighted_links(data, domain)
    shared = _shared_columns(links)
    return shared, bool((np.diff(shared.indptr) > 0).sum() < SCARCE * (np.diff(links.indptr) > 0).sum())


def _shared_columns(links: sparse.csr_matrix) -> sparse.csr_matrix:
    return links[:, np.flatnonzero(np.bincount(links.indices, minlength=links.shape[1]) >= 2)]


def _over_two_relations(data: Any, domain: str, between: str, end: str) -> sparse.csr_matrix:
    """Return, by TF-IDF, the mean of the rows that the things of an item have by TF-IDF; the largest numbers of each.

    Some rows are computed at a time. Of equal numbers those of the first columns are kept.
    """
    links, things = _links(data, domain, between), tf_idf(_links(data, between, end))
    cost = np.concatenate([[0], np.cumsum(np.diff(things.indptr)[links.indices])])[links.indptr]
    ends = np.searchsorted(cost, np.arange(MULTIPLICATIONS, cost[-1], MULTIPLICATIONS))
    parts = []
    for start, stop in pairwise(np.unique([0, *ends, links.shape[0]]).tolist()):
        block = links[np.arange(start, stop)]  # scipy's slices crash where memory runs out
        sums = sparse.csr_matrix(block @ things)  # length 1 comes last, so these are as good as means
        rows = np.repeat(np.arange(stop - start), np.diff(sums.indptr))
        order = np.lexsort((sums.indices, -sums.data, rows))
        kept = order[np.arange(len(rows)) - sums.indptr[rows] < MOST_LINKS]
        parts.append(sparse.csr_matrix((sums.data[kept], (rows[kept], sums.indices[kept])), shape=sums.shape))
    return tf_idf(sparse.csr_matrix(sparse.vstack(parts, format="csr")))
