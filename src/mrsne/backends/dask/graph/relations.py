"""Links between items on a cluster, normalised by sums over all parts of their table."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.dask.connection import compute
from mrsne.data.triples import Triples
from mrsne.parameters import ParameterError

ADDED = 8  # parts whose sums one task adds up


class Sums(NamedTuple):
    """Sums of the weights at some items."""

    items: NDArray[np.int64]
    weights: NDArray[np.float64]


def relation_links(
    pair: tuple[str, str],
    parts: list[Any],
    norm: str,
    weight: float,
    sizes: Mapping[str, int],
    offsets: Mapping[str, int],
    client: Any,
) -> list[Any]:
    """Return the entries of (β/2) R and its transpose in P̃, or of β R inside one domain, as futures."""
    submit = partial(client.submit, pure=False)
    a, b = pair
    within = a == b
    triples = compute(client, parts)
    if within:
        triples = [submit(both_ways, part) for part in triples]
    largest = submit(max, [submit(largest_weight, part) for part in triples])
    triples = [submit(scaled, part, largest) for part in triples]
    if norm != "unnorm":
        sums = [_total(submit, strengths, triples, end, size) for end, size in enumerate((sizes[a], sizes[b]))]
        triples = [submit(normalized, part, *sums, norm) for part in triples]
    total = submit(total_weight, [submit(weight_of, part) for part in triples], pair)
    scale = submit(operator.truediv, weight if within else weight / 2, total)
    where = (offsets[a], offsets[b])
    links = [submit(Triples.placed, part, *where, scale, False) for part in triples]
    return links if within else links + [submit(Triples.placed, part, *where, scale, True) for part in triples]


def _total(submit: Any, function: Any, triples: list[Any], end: int, size: int) -> Any:
    """Add up the sums of all parts in a tree, and return them for all items."""
    sums = [submit(function, part, end) for part in triples]
    while len(sums) > 1:
        sums = [submit(added, sums[at : at + ADDED]) for at in range(0, len(sums), ADDED)]
    return submit(for_all, sums[0], size)


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


def added(parts: list[Sums]) -> Sums:
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


def normalized(triples: Triples, of_rows: NDArray[np.float64], of_columns: NDArray[np.float64], norm: str) -> Triples:
    """Normalise weights as in Section 4 of the paper; see :func:`mrsne.affinity.relations.normalize`."""
    scale = of_rows[triples.rows] * of_columns[triples.columns]
    return triples._replace(weights=triples.weights / (np.sqrt(scale) if norm == "norm" else scale))


def weight_of(triples: Triples) -> float:
    """Return the sum of some weights."""
    return float(triples.weights.sum())


def total_weight(parts: list[float], pair: tuple[str, str]) -> float:
    """Return the sum of all weights of a relation, which must not be zero."""
    total = sum(parts)
    if not total > 0:
        raise ParameterError(f"relations[{pair!r}] has no link: it is empty, or every weight is zero")
    return total
