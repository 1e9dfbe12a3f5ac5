"""What :mod:`mrsne.numba_internals` does with registers, number by number: for a numba that has no room for those.

numba cannot loop over the numbers of a tuple, so functions that name every one of them are written out here.
"""

import operator
from collections import namedtuple
from typing import Any

import numba
import numpy as np
from numba.extending import overload

ROUNDING = {"contract", "reassoc", "nsz"}  # the freedom that instructions on registers have
PLACES = {f"u{place}": np.uint64(place) for place in range(16)}


def _written_out(arguments: str, body: str, **scope: Any) -> Any:
    """Return a function for loops, of a text of Python."""
    return numba.njit(eval(f"lambda {arguments}: {body}", {**PLACES, **scope}))


def _each(width: int, pattern: str) -> str:
    """Return a pattern for each of the numbers, with their places in it, separated by commas."""
    return ", ".join(pattern.format(place) for place in range(width))


def _defined(width: int) -> tuple[Any, Any]:
    """Define tuples of ``width`` numbers; return the functions that read one from an array and that repeat a number."""
    kind: Any = namedtuple(f"Lanes{width}", [f"x{place}" for place in range(width)])  # type: ignore[misc]
    for symbol, sign in ((operator.add, "+"), (operator.sub, "-"), (operator.mul, "*")):
        _define(symbol, kind, eval(f"lambda a, b: kind({_each(width, f'a.x{{0}} {sign} b.x{{0}}')})", {"kind": kind}))
    taking = _written_out("array, start", f"kind({_each(width, 'array[start + u{}]')})", kind=kind)
    return taking, _written_out("number", f"kind({_each(width, 'number')})", kind=kind)


def _define(symbol: Any, kind: Any, function: Any) -> None:

    def is_one(lanes: Any) -> bool:
        return getattr(lanes, "instance_class", None) is kind

    overload(symbol, jit_options={"fastmath": ROUNDING})(lambda a, b: function if is_one(a) and is_one(b) else None)


take, spread_out = _defined(16)
take8, spread_out8 = _defined(8)


@numba.njit
def put(array: Any, start: Any, lanes: Any) -> None:
    """Write numbers to a one-dimensional array from a position on."""
    for place, number in enumerate(lanes):
        array[start + np.uint64(place)] = number


@numba.njit
def lane(lanes: Any, place: Any) -> Any:
    """Return one of the numbers."""
    return lanes[np.int64(place)]


@numba.njit
def total(lanes: Any) -> Any:
    """Return the sum of the numbers: of the two halves, until one is left."""
    x = lanes
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))


@numba.njit
def transpose(source: Any, start: Any, stride: Any, target: Any, target_start: Any, target_stride: Any) -> None:
    """Copy sixteen rows of sixteen numbers, ``stride`` apart, to the columns of rows ``target_stride`` apart."""
    for row in range(np.uint64(16)):
        for column in range(np.uint64(16)):
            target[target_start + column * target_stride + row] = source[start + row * stride + column]
