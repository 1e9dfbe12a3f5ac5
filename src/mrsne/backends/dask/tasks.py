"""How work is handed out on a cluster: sent, joined in trees, and shuffled to the tasks it belongs to."""

import math
import operator
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Int64

MOST_PIECES = 4_096  # that are cut in one round; two rounds are fewer, and move everything twice


def compute(client: Any, delayed: Any) -> Any:
    """Start what is delayed, and return futures; that arrays in memory travel needs no warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
        return client.compute(delayed)


def send(client: Any, array: NDArray[Any]) -> Any:
    """Send an array to the workers as the result of a task, which can be done again where its worker is lost."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
        return client.submit(np.asarray, array, pure=False)


def cores_here() -> int:
    """Return how many threads the worker has that runs the task this is called in."""
    from distributed import get_worker

    try:
        return int(get_worker().state.nthreads)
    except ValueError:  # no task
        return 1


def reduced(parts: list[Any], join: Callable[[list[Any]], Any], width: int) -> Any:
    """Join parts in groups of ``width``, then the results, until one is left: always in the same order."""
    while len(parts) > 1:
        parts = [join(parts[at : at + width]) for at in range(0, len(parts), width)]
    return parts[0]


def shuffled(parts: list[Any], edges: Int64, submit: Any) -> list[list[Any]]:
    """Return, for each range of keys, futures of what all parts have in it; ``edges`` begin and end the ranges.

    Parts are futures of sequences with ``keys``, ``take(which)`` and a class method ``joined(parts)``.
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


def _round(parts: list[Any], edges: Int64, submit: Any) -> list[list[Any]]:
    cuts = [submit(cut, part, edges) for part in parts]
    return [[submit(operator.getitem, pieces, number) for pieces in cuts] for number in range(len(edges) - 1)]


def cut(part: Any, edges: Int64) -> list[Any]:
    where = np.searchsorted(edges, part.keys, side="right") - 1
    order = np.argsort(where, kind="stable")
    ends = np.searchsorted(where[order], np.arange(len(edges)))
    return [part.take(order[first:last]) for first, last in pairwise(ends)]


def joined(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else type(parts[0]).joined(parts)
