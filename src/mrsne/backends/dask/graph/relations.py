"""Links between items on a cluster, normalised by sums over all parts of their table."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import Exponents, LinkFactors, LinkNorm, LinkTotals
from mrsne.backends.dask.connection import compute
from mrsne.backends.dask.trees import reduced
from mrsne.backends.links import link_scale, totals_of
from mrsne.data.triples import Triples
from mrsne.parameters import ParameterError

SUMS = 8  # of parts, that one task adds up


class Sums(NamedTuple):
    """Sums of the weights at some items."""

    items: NDArray[np.int64]
    weights: NDArray[np.float64]


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


def relation_block(
    pair: tuple[str, str], triples: list[Any], norm: LinkNorm, sizes: Mapping[str, int], client: Any
) -> RelationBlock:
    """Normalise the links of one relation, which are futures of triples."""
    submit = partial(client.submit, pure=False)
    if isinstance(norm, LinkFactors):
        factors = [submit(np.asarray, part) for part in norm]  # each travels once
        triples = [submit(shared_out, part, *factors) for part in triples]
    elif norm != (0.0, 0.0):
        sums = [_total(submit, strengths, triples, end, sizes[name]) for end, name in enumerate(pair)]
        triples = [submit(normalized, part, *sums, norm) for part in triples]
    total = submit(total_weight, [submit(weight_of, part) for part in triples], pair)
    return RelationBlock(pair, triples, total)


def link_totals(
    pair: tuple[str, str], triples: list[Any], sizes: Mapping[str, int], client: Any
) -> tuple[LinkTotals, LinkTotals]:
    """Return what the links of a relation add up to, brought to the client."""
    submit = partial(client.submit, pure=False)
    functions = (strengths, squared_strengths)
    wanted = [[_total(submit, f, triples, end, sizes[name]) for f in functions] for end, name in enumerate(pair)]
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


def _total(submit: Any, function: Any, triples: list[Any], end: int, size: int) -> Any:
    """Add up the sums of all parts in a tree, and return them for all items."""
    sums = [submit(function, part, end) for part in triples]
    return submit(for_all, reduced(sums, lambda group: submit(add_sums, group), SUMS), size)


def both_ways(triples: Triples) -> Triples:
    """Return half of every link in each direction, without those of items to themselves."""
    i, j, w = triples
    kept = i != j
    i, j, w = i[kept], j[kept], w[kept] / 2
    return Triples(np.concatenate([i, j]), np.concatenate([j, i]), np.concatenate([w, w]))


def largest_weight(triples: Triples) -> float:
    """Return the largest weight of some links."""
    return float(triples.weights.max(initial=0))


def scaled(triples: Triples, largest: float) -> Triples:
    """Return links with weights of at most 1, so that products of their sums neither overflow nor vanish."""
    return triples._replace(weights=triples.weights / largest) if largest > 0 else triples


def strengths(triples: Triples, end: int) -> Sums:
    """Return the sums of the weights of every row that has a link, or of every column."""
    items, which = np.unique(triples[end], return_inverse=True)
    return Sums(items, summed(which, triples.weights, len(items)))


def squared_strengths(triples: Triples, end: int) -> Sums:
    """Return the sums of the squares of the weights of every row that has a link, or of every column."""
    return strengths(triples._replace(weights=triples.weights**2), end)


def add_sums(parts: list[Sums]) -> Sums:
    """Add up the sums of several parts."""
    items, which = np.unique(np.concatenate([part.items for part in parts]), return_inverse=True)
    return Sums(items, summed(which, np.concatenate([part.weights for part in parts]), len(items)))


def summed(which: NDArray[np.int64], weights: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Add up weights by number."""
    return np.asarray(np.bincount(which, weights, minlength=count), np.float64)


def for_all(sums: Sums, size: int) -> NDArray[np.float64]:
    """Return the sums of all items, zero where there is none."""
    whole = np.zeros(size)
    whole[sums.items] = sums.weights
    return whole


def normalized(
    triples: Triples, row_sums: NDArray[np.float64], column_sums: NDArray[np.float64], exponents: Exponents
) -> Triples:
    """Return w_ij / (r_i^a c_j^b), with sums r and c over all parts."""
    scale = link_scale(row_sums[triples.rows], column_sums[triples.columns], exponents)
    return triples._replace(weights=triples.weights / scale)


def shared_out(triples: Triples, rows: NDArray[np.float64], columns: NDArray[np.float64]) -> Triples:
    """Return w_ij (u_i + v_j)."""
    return triples._replace(weights=triples.weights * (rows[triples.rows] + columns[triples.columns]))


def weight_of(triples: Triples) -> float:
    """Return the sum of some weights."""
    return float(triples.weights.sum())


def total_weight(parts: list[float], pair: tuple[str, str]) -> float:
    """Return the sum of all weights of a relation, which must not be zero."""
    total = sum(parts)
    if not total > 0:
        raise ParameterError(f"relations[{pair!r}] has no link: it is empty, or every weight is zero")
    return total
