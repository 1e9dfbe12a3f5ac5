"""Everything to where it belongs: what many tasks made, cut and put together for many others."""

from __future__ import annotations

import math
import operator
from itertools import pairwise
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

MOST_PIECES = 4_096  # that are cut in one round; two rounds are fewer, and move everything twice


class Keyed(Protocol):
    """Things in a row, each with a key that tells where it belongs."""

    @property
    def keys(self) -> NDArray[Any]:
        """The key of each."""

    def take(self, which: Any) -> Self:
        """Return some of them."""

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        """Return those of several parts, one after the other."""


def shuffled(parts: list[Any], edges: NDArray[np.int64], submit: Any) -> list[list[Any]]:
    """Return, for each range of keys, futures of what is in it; together they hold what all parts hold.

    Parameters
    ----------
    parts : list of futures of Keyed
    edges : array
        The first key of each range, and the end of the last.
    submit : callable
        Of a Dask client.
    """
    count = len(edges) - 1
    if len(parts) * count <= MOST_PIECES:
        return _round(parts, edges, submit)
    width = math.isqrt(count - 1) + 1
    coarse = np.append(edges[:-1:width], edges[-1])
    result = []
    for number, pieces in enumerate(_round(parts, coarse, submit)):
        together = [submit(joined, pieces[at : at + width]) for at in range(0, len(pieces), width)]
        result += _round(together, edges[number * width : (number + 1) * width + 1], submit)
    return result


def _round(parts: list[Any], edges: NDArray[np.int64], submit: Any) -> list[list[Any]]:
    cuts = [submit(cut, part, edges) for part in parts]
    return [[submit(operator.getitem, pieces, number) for pieces in cuts] for number in range(len(edges) - 1)]


def cut(part: Keyed, edges: NDArray[np.int64]) -> list[Keyed]:
    """Cut a part by the ranges that its keys are in."""
    where = np.searchsorted(edges, part.keys, side="right") - 1
    order = np.argsort(where, kind="stable")
    ends = np.searchsorted(where[order], np.arange(len(edges)))
    return [part.take(order[first:last]) for first, last in pairwise(ends)]


def joined(parts: list[Any]) -> Any:
    """Put parts together."""
    return parts[0] if len(parts) == 1 else type(parts[0]).joined(parts)
