"""The weights β of the blocks of P̃: by a scheme, or as every item shares out its mass among links and neighbours.

As in t-SNE, P̃ comes from conditional probabilities. Item i carries a mass m_i. It gives a share s_i of it to its links,
the same to each of its relations and in each in proportion to the weights w_ij, and the rest to its neighbours, in
proportion to p_{j|i}. An item without a vector gives everything to its links, one without links everything to its
neighbours. The masses are

    m_i = log2(1 + n_i),    n_i = Σ over relations of (Σ_j w_ij)² / Σ_j w_ij²

with the effective number n_i of its links (where all weigh the same, their number): a tag that was used once says
nothing about other pictures and weighs little, and the most frequent tag does not outweigh all others. The matrix is
made symmetric and divided by its sum. docs/algorithm.md has the reasons and docs/experiments.md the measurements.
"""

import logging
import numbers
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mrsne.arrays import Bool, Float64
from mrsne.backends.base import Backend, Block, LinkFactors, LinkTotals
from mrsne.data.outline import Outline, Pair
from mrsne.parameters import ParameterError, check_number, describe

SCHEMES = ("auto", "size", "equal", "balanced")
SMALLEST_SHARE, LARGEST_SHARE = 2 / 3, 0.9  # of its mass, that an item with a vector gives to its links
DERIVED_SHARE = 0.8  # where neighbours were themselves found by links

logger = logging.getLogger("mrsne")


def block_weights(weights: Any, blocks: Sequence[Block], sizes: Mapping[str, int]) -> dict[Block, float]:
    """Return β for every block (a domain with a neighbour graph, or a pair with a relation), summing to 1.

    "size": β_d ∝ n_d² and β_de ∝ n_d n_e; "equal": all equal; a number: the share of all relations together, with
    "size" among them and among the domains; or explicit, for every block.
    """
    if not blocks:
        raise ParameterError("data has nothing to embed: no domain has at least two vectors and there is no relation")
    if isinstance(weights, Mapping):
        raw = _explicit(weights, blocks, sizes)
    elif isinstance(weights, str) and weights == "size":
        raw = _numbers_of_pairs(blocks, sizes)
    elif isinstance(weights, str) and weights == "equal":
        raw = dict.fromkeys(blocks, 1.0)
    elif isinstance(weights, numbers.Real) and not isinstance(weights, bool) and weights <= 1 and not weights < 0:
        raw = _shared_out(float(weights), blocks, sizes)
    else:
        raise ParameterError(
            f"weights must be one of {', '.join(map(repr, SCHEMES))}, a number from 0 to 1 or a mapping, "
            f"got {describe(weights)}"
        )
    total = sum(raw.values())
    if total <= 0:
        raise ParameterError("weights must have a positive value, got only zeros")
    return {block: value / total for block, value in raw.items()}


def _numbers_of_pairs(blocks: Sequence[Block], sizes: Mapping[str, int]) -> dict[Block, float]:
    ends = {block: (block, block) if isinstance(block, str) else block for block in blocks}
    return {block: float(sizes[a] * sizes[b]) for block, (a, b) in ends.items()}


def _shared_out(share: float, blocks: Sequence[Block], sizes: Mapping[str, int]) -> dict[Block, float]:
    """Give the relations their share and the domains the rest; all of it where there is only one kind."""
    pairs = _numbers_of_pairs(blocks, sizes)
    within = sum(size for block, size in pairs.items() if isinstance(block, str))
    across = sum(size for block, size in pairs.items() if not isinstance(block, str))
    if not within or not across:
        return pairs
    return {
        block: (1 - share) * size / within if isinstance(block, str) else share * size / across
        for block, size in pairs.items()
    }


def _explicit(weights: Mapping[Any, Any], blocks: Sequence[Block], sizes: Mapping[str, int]) -> dict[Block, float]:
    given: dict[Block, float] = {}
    for key, value in weights.items():
        block = key[::-1] if isinstance(key, tuple) and key not in blocks else key
        amount = check_number(f"weights[{key!r}]", value, minimum=0)
        if block in blocks:
            given[block] = amount
        elif not (isinstance(key, str) and key in sizes and amount == 0):
            raise ParameterError(
                f"weights names {key!r}, but it can weight {', '.join(map(repr, blocks))} "
                "(domains with vectors, and relations)"
            )
    lacking = [block for block in blocks if block not in given]
    if lacking:
        raise ParameterError(
            f"weights has no value for {lacking[0]!r}; give one for each of {', '.join(map(repr, blocks))}"
        )
    return given


@dataclass(frozen=True)
class Shares:
    """What every item gives to its links and to its neighbours."""

    beta: dict[Block, float]  # mass of each block of P̃, summing to 1
    neighbors: dict[str, Float64]  # by domain with a neighbour graph, what each item gives to its neighbours
    links: dict[Pair, LinkFactors]  # u and v of R_ij ∝ w_ij (u_i + v_j)


def share_of_links(agreement: float) -> float:
    """Return the share of their mass that items give to links, from how well their vectors agree with the links."""
    return float(np.clip(1 - agreement, SMALLEST_SHARE, LARGEST_SHARE))


def share_out(
    sizes: Mapping[str, int],
    has_neighbors: Mapping[str, Bool],
    totals: Mapping[Pair, tuple[LinkTotals, LinkTotals]],
    shares: Mapping[str, float],
) -> Shares:
    """Share out the mass of every item.

    ``has_neighbors`` says which items take part in the neighbour graph of a domain, ``totals`` what the links of a pair
    add up to at the items of both ends (the same twice inside one domain), ``shares`` what an item of a domain with
    both links and neighbours gives to its links.
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


def shares_of(
    data: Outline, items: Mapping[str, Bool], derived: Collection[str], metrics: Mapping[str, str], backend: Backend
) -> Shares:
    """Return how items share out their mass: more to links where vectors agree with them less.

    ``derived`` are the domains whose neighbours were found by links; agreement is measured where a metric is given.
    """
    totals = {pair: backend.link_totals(data, pair) for pair in data.pairs}
    linked = {name for pair in data.pairs for name in pair}
    shares: dict[str, float] = {}
    for name in items:
        if name in derived:
            shares[name] = DERIVED_SHARE
        elif name in linked and name in metrics:
            known = backend.agreement(data, name, metrics[name])
            shares[name] = SMALLEST_SHARE if known is None else share_of_links(known)
            if known is not None:
                logger.info("%s: vectors agree with links to %.0f %%", name, 100 * known)
    return share_out(data.sizes, items, totals, shares)
