"""Neighbours and links into entries of P̃, and these into blocks of rows, on the workers of a cluster."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.arrays import Float64, Int64
from mrsne.backends.base import Exponents, LinkFactors, LinkNorm, LinkTotals
from mrsne.backends.cpu.probabilities import neighbor_probabilities
from mrsne.backends.dask.connection import Capacity
from mrsne.backends.dask.lists import Found, rows_with_neighbors
from mrsne.backends.dask.matrix import ClusterMatrix
from mrsne.backends.dask.tasks import compute, reduced, shuffled
from mrsne.backends.links import link_values, totals_of
from mrsne.data.lazy import Triples
from mrsne.matrices import matrix_of
from mrsne.parameters import ParameterError

SUMS = 8  # of parts of a table, that one task adds up
SHARES = 4  # blocks that the rows of a worker are put together in
SMALLEST = np.finfo(np.float32).tiny


class NeighborBlock(NamedTuple):
    """The neighbours of all rows of a domain, and what their probabilities are; see ``Backend.neighbor_graph``."""

    domain: str
    parts: list[Any]  # futures of Found
    k: int
    perplexity: float | None
    masses: Any  # a future of m, by row; None where all are 1
    total: float  # Σm

    def entries(self, beta: float, offsets: Mapping[str, int], submit: Any) -> list[Any]:
        """Return the entries of β P^(d) in P̃, as futures."""
        place = (offsets[self.domain], beta / (2 * self.total))
        return [submit(neighbor_links, found, self.perplexity, *place, self.masses) for found in self.parts]


def neighbor_links(
    found: Found, perplexity: float | None, offset: int, scale: float, masses: Float64 | None = None
) -> Triples:
    """Return the entries of β (m_i p_{j|i} + m_j p_{i|j}) / 2Σm in P̃ that the neighbours of some rows give."""
    triples = conditional(found, perplexity)
    if masses is not None:
        triples = triples._replace(weights=triples.weights * masses[triples.rows])
    return Triples.joined([triples.placed(offset, offset, scale, transposed) for transposed in (False, True)])


def conditional(found: Found, perplexity: float | None) -> Triples:
    """Return the triples (i, j, p_{j|i}) of some rows; uniform ones without a perplexity."""
    numbers, indices, squared = found
    lacking = indices < 0
    if perplexity is None:
        p = np.full(indices.shape, 1 / indices.shape[1], np.float32)
    else:
        farthest = np.where(lacking, 0, squared).max(axis=1, keepdims=True)
        p = neighbor_probabilities(np.where(lacking, farthest, squared), perplexity)
    p = np.where(lacking, 0, p)
    p = p / p.sum(axis=1, keepdims=True, dtype=np.float64)
    i = np.repeat(numbers, indices.shape[1])
    kept = ~lacking.ravel()
    return Triples(i[kept], indices.ravel()[kept], p.ravel()[kept].astype(np.float64))


class Sums(NamedTuple):
    """Sums at those items that have any."""

    items: Int64
    values: Float64

    @classmethod
    def of(cls, items: NDArray[Any], values: Float64) -> Sums:
        present, which = np.unique(items, return_inverse=True)
        return cls(present, np.asarray(np.bincount(which, values, minlength=len(present)), np.float64))


class RelationBlock(NamedTuple):
    """The normalised links between two domains, and their sum; see ``Backend.relation_graph``."""

    pair: tuple[str, str]
    triples: list[Any]
    total: Any

    def entries(self, beta: float, offsets: Mapping[str, int], submit: Any) -> list[Any]:
        """Return the entries of (β/2) R and its transpose in P̃, or of β R inside one domain, as futures."""
        a, b = self.pair
        scale = submit(operator.truediv, beta if a == b else beta / 2, self.total)
        sides = (False,) if a == b else (False, True)
        where = (offsets[a], offsets[b], scale)
        return [submit(Triples.placed, part, *where, transposed) for transposed in sides for part in self.triples]

    @classmethod
    def of(
        cls, pair: tuple[str, str], triples: list[Any], norm: LinkNorm, sizes: Mapping[str, int], client: Any
    ) -> RelationBlock:
        """Normalise the links of one relation, which are futures of triples."""
        submit = partial(client.submit, pure=False)
        if isinstance(norm, LinkFactors):
            factors = [submit(np.asarray, part) for part in norm]  # each travels once
            triples = [submit(normalized, part, *factors, None) for part in triples]
        elif norm != (0.0, 0.0):
            sums = [_total(submit, triples, end, sizes[name]) for end, name in enumerate(pair)]
            triples = [submit(normalized, part, *sums, norm) for part in triples]
        return cls(pair, triples, submit(total_weight, [submit(weight_of, part) for part in triples], pair))


def link_totals(
    pair: tuple[str, str], triples: list[Any], sizes: Mapping[str, int], client: Any
) -> tuple[LinkTotals, LinkTotals]:
    submit = partial(client.submit, pure=False)
    wanted = [[_total(submit, triples, end, sizes[name], power) for power in (1, 2)] for end, name in enumerate(pair)]
    rows, columns = client.gather(wanted)
    return totals_of(*rows), totals_of(*columns)


def read_links(pair: tuple[str, str], parts: list[Any], client: Any) -> list[Any]:
    """Return the links of a relation, which are delayed triples: both ways inside one domain, weights of at most 1."""
    submit = partial(client.submit, pure=False)
    triples = compute(client, parts)
    if pair[0] == pair[1]:
        triples = [submit(both_ways, part) for part in triples]
    largest = submit(max, [submit(largest_weight, part) for part in triples])
    return [submit(scaled, part, largest) for part in triples]


def _total(submit: Any, triples: list[Any], end: int, size: int, power: int = 1) -> Any:
    """Add up powers of the weights of all parts in a tree, and return their sums for all items."""
    sums = [submit(link_sums, part, end, power) for part in triples]
    return submit(for_all, reduced(sums, lambda group: submit(add_sums, group), SUMS), size)


def both_ways(triples: Triples) -> Triples:
    """Return half of every link in each direction, without links of items to themselves."""
    i, j, w = triples
    kept = i != j
    i, j, w = i[kept], j[kept], w[kept] / 2
    return Triples(np.concatenate([i, j]), np.concatenate([j, i]), np.concatenate([w, w]))


def largest_weight(triples: Triples) -> float:
    return float(triples.weights.max(initial=0))


def scaled(triples: Triples, largest: float) -> Triples:
    """Return links with weights of at most 1, so that products of their sums neither overflow nor vanish."""
    return triples._replace(weights=triples.weights / largest) if largest > 0 else triples


def link_sums(triples: Triples, end: int, power: int) -> Sums:
    """Return the sums of powers of the weights of every row (end 0) that has a link, or of every column (end 1)."""
    return Sums.of(triples[end], triples.weights if power == 1 else triples.weights**power)


def add_sums(parts: list[Sums]) -> Sums:
    return Sums.of(np.concatenate([part.items for part in parts]), np.concatenate([part.values for part in parts]))


def for_all(sums: Sums, size: int) -> Float64:
    whole = np.zeros(size)
    whole[sums.items] = sums.values
    return whole


def normalized(triples: Triples, rows: Float64, columns: Float64, exponents: Exponents | None) -> Triples:
    """Return w_ij / (r_i^a c_j^b) with sums r and c over all parts, or without exponents w_ij (u_i + v_j)."""
    ends = LinkFactors(rows[triples.rows], columns[triples.columns])
    return triples._replace(weights=link_values(triples.weights, *ends, ends if exponents is None else exponents))


def weight_of(triples: Triples) -> float:
    return float(triples.weights.sum())


def total_weight(parts: list[float], pair: tuple[str, str]) -> float:
    """Return the sum of all weights of a relation, which must not be zero."""
    total = sum(parts)
    if not total > 0:
        raise ParameterError(f"relations[{pair!r}] has no link: it is empty, or every weight is zero")
    return total


def assemble(entries: list[Any], n: int, k: int, capacity: Capacity, client: Any) -> ClusterMatrix:
    """Put the entries of an n × n matrix, futures of :class:`Triples`, together; k is how many a row has, about."""
    submit = partial(client.submit, pure=False)
    starts = row_starts(n, capacity, k)
    pieces = shuffled(entries, starts, submit)
    ranges = pairwise(starts.tolist())
    blocks = [
        submit(row_block, inside, first, last - first, n) for inside, (first, last) in zip(pieces, ranges, strict=True)
    ]
    return ClusterMatrix(client, blocks, starts).coalesced(capacity.workers)  # whose cores share a block


def row_starts(n: int, capacity: Capacity, k: int) -> Int64:
    """Return where blocks of rows begin while they are put together, and n: some for each worker, none too large."""
    most = rows_with_neighbors(capacity.block_bytes, k)
    count = min(n, capacity.workers * max(SHARES, -(-n // (most * capacity.workers))))
    return np.linspace(0, n, count + 1).astype(np.int64)


def row_block(pieces: list[Triples], first: int, height: int, width: int) -> sparse.csr_matrix:
    """Return a block of rows of a matrix, from the row ``first`` on; entries at the same place add up."""
    i, j, w = Triples.joined([Triples(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)), *pieces])
    total = sparse.coo_matrix((w, (i - first, j)), shape=(height, width)).tocsr()
    total.sum_duplicates()
    total.data = total.data.astype(np.float32)
    total.data[total.data < SMALLEST] = 0
    total.eliminate_zeros()
    return matrix_of(total.indptr.astype(np.int64), total.indices.astype(np.int32), total.data, width)
