"""Weights that follow from the data: how every item shares out its mass among its links and its neighbours.

As in t-SNE, P̃ comes from conditional probabilities. Item i carries a mass m_i. It gives a share s_i of it to its links,
the same to each of its relations and in each in proportion to the weights w_ij, and the rest to its neighbours, in
proportion to p_{j|i}. An item without a vector gives everything to its links, one without links everything to its
neighbours. The masses are

    m_i = log2(1 + n_i),    n_i = Σ over relations of (Σ_j w_ij)² / Σ_j w_ij²

with the effective number n_i of its links (where all weigh the same, their number): a tag that was used once says
nothing about other pictures and weighs little, and the most frequent tag does not outweigh all others. The matrix is
made symmetric and divided by its sum. docs/algorithm.md has the reasons and docs/experiments.md the measurements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.base import Block, LinkFactors, LinkTotals
from mrsne.data.outline import Pair

SMALLEST_SHARE, LARGEST_SHARE = 2 / 3, 0.9  # of its mass, that an item with a vector gives to its links
DERIVED_SHARE = 0.8  # where neighbours were themselves found by links

Masses = NDArray[np.float64]


@dataclass(frozen=True)
class Shares:
    """What every item gives to its links and to its neighbours."""

    beta: dict[Block, float]  # mass of each block of P̃, summing to 1
    neighbors: dict[str, Masses]  # by domain with a neighbour graph, what each item gives to its neighbours
    links: dict[Pair, LinkFactors]  # u and v of R_ij ∝ w_ij (u_i + v_j)


def share_of_links(agreement: float) -> float:
    """Return the share of their mass that items give to links, where their vectors agree with the links so well.

    Examples
    --------
    >>> [round(share_of_links(agreement), 2) for agreement in (0.9, 0.3, 0.2, 0.0)]
    [0.67, 0.7, 0.8, 0.9]
    """
    return float(np.clip(1 - agreement, SMALLEST_SHARE, LARGEST_SHARE))


def share_out(
    sizes: Mapping[str, int],
    has_neighbors: Mapping[str, NDArray[np.bool_]],
    totals: Mapping[Pair, tuple[LinkTotals, LinkTotals]],
    shares: Mapping[str, float],
) -> Shares:
    """Share out the mass of every item.

    Parameters
    ----------
    sizes : mapping of str to int
    has_neighbors : mapping of str to array of bool
        For each domain with a neighbour graph, the items that take part in it.
    totals : mapping of pair to two LinkTotals
        Of the first domain's items and of the second's; the same twice inside one domain.
    shares : mapping of str to float
        By domain, the share of the links of an item that has both links and neighbours.

    Examples
    --------
    >>> two = LinkTotals(np.array([2.0, 0.0]), np.array([2.0, 0.0]))
    >>> one = LinkTotals(np.array([1.0, 1.0]), np.array([1.0, 1.0]))
    >>> found = share_out({"a": 2, "b": 2}, {"a": np.array([True, True])}, {("a", "b"): (two, one)}, {"a": 0.7})
    >>> {block: round(value, 3) for block, value in found.beta.items()}
    {'a': 0.322, ('a', 'b'): 0.678}
    >>> found.neighbors["a"].round(3)
    array([0.475, 1.   ])
    """
    numbers = {name: np.zeros(size) for name, size in sizes.items()}
    relations = {name: np.zeros(size) for name, size in sizes.items()}
    for pair, ends in totals.items():
        for name, total in _ends(pair, ends):
            numbers[name] += total.effective
            relations[name] += total.sums > 0
    to_links, to_neighbors = {}, {}
    for name, size in sizes.items():
        mass = np.log2(1 + np.maximum(numbers[name], 1))
        neighbors = has_neighbors.get(name, np.zeros(size, dtype=bool))
        share = np.where(neighbors, shares.get(name, SMALLEST_SHARE), 1.0) * (relations[name] > 0)
        to_links[name] = mass * share / np.maximum(relations[name], 1)  # for each of its relations
        to_neighbors[name] = mass * (1 - share) * neighbors
    factors: dict[Pair, LinkFactors] = {}
    masses: dict[Block, float] = {name: float(to_neighbors[name].sum()) for name in has_neighbors}
    for pair, ends in totals.items():
        u, v = (
            np.divide(to_links[name], total.sums, out=np.zeros(sizes[name]), where=total.sums > 0)
            for name, total in zip(pair, ends, strict=True)
        )
        factors[pair] = LinkFactors(u, v)
        masses[pair] = float(sum(to_links[name][total.sums > 0].sum() for name, total in _ends(pair, ends)))
    whole = sum(masses.values())
    beta = {block: value / whole for block, value in masses.items()} if whole > 0 else {}
    return Shares(beta, {name: to_neighbors[name] for name in has_neighbors}, factors)


def _ends(pair: Pair, ends: tuple[LinkTotals, LinkTotals]) -> list[tuple[str, LinkTotals]]:
    """Return the domains of a relation with what its links add up to there, once inside one domain."""
    return list(zip(pair, ends, strict=True))[: 1 if pair[0] == pair[1] else 2]
