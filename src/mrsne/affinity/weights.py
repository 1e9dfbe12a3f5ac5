"""The weights β of the blocks of P̃."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

from mrsne.backends.base import Block
from mrsne.parameters import ParameterError, check_number, describe

SCHEMES = ("auto", "size", "equal", "balanced")


def block_weights(weights: Any, blocks: Sequence[Block], sizes: Mapping[str, int]) -> dict[Block, float]:
    """Return β for every block, summing to 1.

    Parameters
    ----------
    weights : {"size", "equal"}, float or mapping
        "size": β_d ∝ n_d² and β_de ∝ n_d n_e; "equal": all the same; a number: the share of all relations together,
        with "size" among them and among the domains; or explicit, for every block.
    blocks : sequence
        Domains with a neighbour graph, and pairs of domains with a relation.
    sizes : mapping of str to int

    Examples
    --------
    >>> block_weights("size", ["image", ("image", "tag")], {"image": 3, "tag": 1})
    {'image': 0.75, ('image', 'tag'): 0.25}
    >>> block_weights(0.6, ["image", ("image", "tag")], {"image": 3, "tag": 1})
    {'image': 0.4, ('image', 'tag'): 0.6}
    """
    if not blocks:
        raise ParameterError("data has nothing to embed: no domain has at least two vectors and there is no relation")
    if isinstance(weights, Mapping):
        raw = _explicit(weights, blocks, sizes)
    elif isinstance(weights, str) and weights == "size":
        raw = {block: float(_first(block, sizes) * _second(block, sizes)) for block in blocks}
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


def _first(block: Block, sizes: Mapping[str, int]) -> int:
    return sizes[block if isinstance(block, str) else block[0]]


def _second(block: Block, sizes: Mapping[str, int]) -> int:
    return sizes[block if isinstance(block, str) else block[1]]


def _shared_out(share: float, blocks: Sequence[Block], sizes: Mapping[str, int]) -> dict[Block, float]:
    """Give the relations their share and the domains the rest; all of it where there is only one kind."""
    pairs = {block: float(_first(block, sizes) * _second(block, sizes)) for block in blocks}
    totals = {
        kind: sum(size for block, size in pairs.items() if isinstance(block, str) == kind) for kind in (True, False)
    }
    parts = {True: 1 - share, False: share}
    if not all(totals.values()):
        return pairs
    return {
        block: parts[kind] * size / totals[kind] for block, size in pairs.items() for kind in [isinstance(block, str)]
    }


def _explicit(weights: Mapping[Any, Any], blocks: Sequence[Block], sizes: Mapping[str, int]) -> dict[Block, float]:
    given: dict[Block, float] = {}
    for key, value in weights.items():
        block = (
            key if isinstance(key, str) or key in blocks else tuple(reversed(key)) if isinstance(key, tuple) else key
        )
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
