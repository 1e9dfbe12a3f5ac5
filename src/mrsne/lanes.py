"""Sixteen (or eight) single-precision numbers at a time, in one register.

The compiler turns a loop into such code by itself only where it is long enough, and where the arrays can be proved not
to overlap. In an FFT they cannot, so its kernels say what they mean: ``put(y, k, take(x, i) + take(x, j))``. On
processors with narrower registers the compiler uses several.

Internal: see ``docs/architecture.md`` for what is public.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

WIDTH = 16
_INDEX = ir.IntType(32)


class Lanes(types.Type):
    """The type of several numbers in one register, inside a kernel."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Lanes({width})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.VectorType(ir.FloatType(), kind.width))


def instruction(function: Callable[..., Any]) -> Any:
    """Make a function that kernels can call from one that returns its type and how to build its code."""
    return intrinsic(function)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, position: Any, width: int) -> Any:
    """Return the address of some numbers in a one-dimensional array."""
    data = context.make_array(kind)(context, builder, array).data
    vector = ir.VectorType(ir.FloatType(), width)
    return builder.bitcast(cgutils.gep(builder, data, position), vector.as_pointer())


def _shuffled(builder: Any, first: Any, second: Any, places: list[int]) -> Any:
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(_INDEX, len(places)), places))


def _taking(width: int) -> Any:
    @instruction
    def taking(typing: Any, array: Any, position: Any) -> Any:
        """Return some numbers of a one-dimensional array from a position on."""

        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, position = arguments
            return builder.load(_pointer(context, builder, signature.args[0], array, position, width), align=4)

        return Lanes(width)(array, types.uint64), build

    return taking


def _spreading(width: int) -> Any:
    @instruction
    def spreading(typing: Any, number: Any) -> Any:
        """Return one number several times."""

        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            vector = ir.VectorType(ir.FloatType(), width)
            single = builder.insert_element(ir.Constant(vector, ir.Undefined), arguments[0], _INDEX(0))
            return _shuffled(builder, single, single, [0] * width)

        return Lanes(width)(types.float32), build

    return spreading


take, take8 = _taking(WIDTH), _taking(8)
spread_out, spread_out8 = _spreading(WIDTH), _spreading(8)


@instruction
def put(typing: Any, array: Any, position: Any, lanes: Any) -> Any:
    """Write numbers to a one-dimensional array from a position on."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, width = signature.args[0], signature.args[2].width
        array, position, lanes = arguments
        builder.store(lanes, _pointer(context, builder, kind, array, position, width), align=4)
        return context.get_dummy_value()

    return types.void(array, types.uint64, lanes), build


@instruction
def lane(typing: Any, lanes: Any, number: Any) -> Any:
    """Return one of the numbers."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.extract_element(arguments[0], builder.trunc(arguments[1], _INDEX))

    return types.float32(lanes, types.uint64), build


@instruction
def total(typing: Any, lanes: Any) -> Any:
    """Return the sum of the numbers."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, width = arguments[0], signature.args[0].width
        while width > 1:
            width //= 2
            other = _shuffled(builder, value, value, list(range(width, 2 * width)))
            value = builder.fadd(_shuffled(builder, value, value, list(range(width))), other)
        return builder.extract_element(value, _INDEX(0))

    return types.float32(lanes), build


@instruction
def transpose(
    typing: Any, source: Any, start: Any, stride: Any, target: Any, target_start: Any, target_stride: Any
) -> Any:
    """Copy sixteen rows of sixteen numbers, ``stride`` apart, to the columns of rows ``target_stride`` apart."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, start, stride, target, target_start, target_stride = arguments
        word = start.type

        def address(kind: Any, array: Any, first: Any, step: Any, number: int) -> Any:
            position = builder.add(first, builder.mul(step, word(number)))
            return _pointer(context, builder, kind, array, position, WIDTH)

        rows = [
            builder.load(address(signature.args[0], source, start, stride, number), align=4) for number in range(WIDTH)
        ]
        half = WIDTH // 2
        shuffles = [[i // 2 + part + WIDTH * (i % 2) for i in range(WIDTH)] for part in (0, half)]
        for _ in range(WIDTH.bit_length() - 1):  # interleaving the two halves of the rows, four times, turns them
            rows = [
                _shuffled(builder, rows[number // 2], rows[number // 2 + half], shuffles[number % 2])
                for number in range(WIDTH)
            ]
        for number, row in enumerate(rows):
            place = address(signature.args[3], target, target_start, target_stride, number)
            builder.store(row, place, align=4)
        return context.get_dummy_value()

    u8 = types.uint64
    return types.void(source, u8, u8, target, u8, u8), build


def _define(symbol: Any, method: str) -> None:
    """Define an operation on lanes by an instruction."""

    @type_callable(symbol)
    def typed(context: Any) -> Callable[[Any, Any], Any]:
        return lambda a, b: a if isinstance(a, Lanes) and a == b else None

    @lower_builtin(symbol, Lanes, Lanes)
    def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return getattr(builder, method)(*arguments, flags=("contract", "reassoc", "nsz"))


for _symbol, _method in ((operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul")):
    _define(_symbol, _method)


def aligned(n: int) -> int:
    """Return n rounded up to whole registers.

    Examples
    --------
    >>> aligned(17), aligned(32)
    (32, 32)
    """
    return -(-n // WIDTH) * WIDTH
