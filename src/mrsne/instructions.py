"""What numba has no words for: work handed over inside compiled code, and sixteen numbers in one register.

The one module that uses LLVM and private parts of numba. Where one of them is missing, importing it fails, and
:mod:`mrsne.loops` and :mod:`mrsne.lanes` do the same in numba's own ways, to the same bits.

Internal: see ``docs/architecture.md`` for what is public.
"""

from __future__ import annotations

import operator
import os
import platform
import threading
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from llvmlite.binding import Linkage
from numba import types
from numba.core import event
from numba.core.cgutils import gep, get_or_insert_function
from numba.core.codegen import JITCodeLibrary
from numba.core.targetconfig import ConfigStack
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable
from numba.np.arrayobj import populate_array

from mrsne.parameters import is_switched_off
from mrsne.threads import Board

if is_switched_off("instructions"):
    raise ImportError("MRSNE_WITHOUT names instructions")
TRIED = (0, 68)  # the newest numba that all tests have passed with; with a newer one, a loop is tried at import
USED = (JITCodeLibrary._optimize_final_module, ir.IRBuilder.load_atomic, ir.IRBuilder.store_atomic)

_WORD, _STATUS, _INDEX = ir.IntType(64), ir.IntType(32), ir.IntType(32)
_LOOP = ir.FunctionType(_STATUS, (_WORD, _WORD, _WORD))  # of start, stop and the address of the arguments

instruction: Any = intrinsic  # a function that loops can call, from one that returns its type and how to build its code

# Words of the board, which threads read and write without a lock.


def _address(context: Any, builder: Any, kind: Any, array: Any, position: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return gep(builder, data, position)


@instruction
def read(typing: Any, board: Any, position: Any) -> Any:
    """Return a word of the board, and see everything written before it was."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_address(context, builder, signature.args[0], *arguments), "acquire", 8)

    return types.int64(board, types.uint64), build


@instruction
def write(typing: Any, board: Any, position: Any, number: Any) -> Any:
    """Write a word of the board, after everything else was written."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[0], *arguments[:2])
        builder.store_atomic(arguments[2], address, "release", 8)
        return context.get_dummy_value()

    return types.void(board, types.uint64, types.int64), build


@instruction
def add(typing: Any, board: Any, position: Any, number: Any) -> Any:
    """Add to a word of the board in one step, and return what it was before."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[0], *arguments[:2])
        return builder.atomic_rmw("add", address, arguments[2], "acq_rel")

    return types.int64(board, types.uint64, types.int64), build


_X86, _ARM = ("llvm.x86.sse2.pause",), ("llvm.aarch64.hint", 1)  # the instructions pause and yield
PAUSES: dict[str, Any] = {"x86_64": _X86, "AMD64": _X86, "aarch64": _ARM, "arm64": _ARM}


@instruction
def pause(typing: Any) -> Any:
    """Tell the core that it is waiting: the other thread on it gets more of it."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if hint := PAUSES.get(platform.machine()):
            values = [_STATUS(number) for number in hint[1:]]
            kind = ir.FunctionType(ir.VoidType(), [value.type for value in values])
            builder.call(get_or_insert_function(builder.module, kind, hint[0]), values)
        return context.get_dummy_value()

    return types.void(), build


@instruction
def give_way(typing: Any) -> Any:
    """Let another thread have this core, where more threads than cores want to run."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if hasattr(os, "sched_yield"):
            kind = ir.FunctionType(_STATUS, ())
            builder.call(get_or_insert_function(builder.module, kind, "sched_yield"), ())
        return context.get_dummy_value()

    return types.void(), build


@instruction
def call_loop(typing: Any, loop: Any, start: Any, stop: Any, arguments: Any) -> Any:
    """Call a loop at an address for a range; return 0, or another number where it raised an error."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        loop = builder.inttoptr(arguments[0], _LOOP.as_pointer())
        return builder.sext(builder.call(loop, arguments[1:]), _WORD)

    i8 = types.int64
    return i8(i8, i8, i8, i8), build


# How a loop is entered: at an address, with its arguments in memory.

_HEAD = object.__basicsize__  # bytes of a Python object before an array's address; 16 more before that of its shape


def entry_of(function: Callable[..., None], kinds: tuple[Any, ...]) -> Any:
    """Return a function for compiled code that compiles a loop and returns the address where threads enter it.

    The loop's arguments are words in memory: numbers, and the addresses of numpy's arrays, as ``id`` gives them.
    """
    kinds = (types.int64, types.int64, *kinds)

    @instruction
    def entry(typing: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            flags = ConfigStack().top().copy()  # a loop rounds with the settings of its entry
            loop = context.compile_subroutine(builder, function, types.void(*kinds), flags=flags, caching=False)
            _keep_own_copies(context.active_code_library)
            return builder.ptrtoint(_entry(context, builder.module, loop.fndesc, kinds), _WORD)

        return types.int64(), build

    return entry


def _keep_own_copies(library: Any) -> None:
    """Have the functions that are linked into a library called there, whatever else is in memory under their names.

    A loop is compiled once for itself and once more as a part of its entry, where it is optimised again and may round
    differently. The entry alone is kept on disk: in the process that compiled both, numba would call the first, and in
    all later ones the second.
    """
    optimize = library._optimize_final_module

    def optimize_own_copies() -> None:
        for function in library._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        optimize()

    library._optimize_final_module = optimize_own_copies


def _entry(context: Any, module: Any, described: Any, kinds: Any) -> Any:
    """Build the function at which threads enter a loop.

    The loop is not inlined there, so it has the same machine code, and the same bits, wherever it is called from.
    """
    entry = ir.Function(module, _LOOP, module.get_unique_name("enter"))
    entry.linkage = "internal"
    builder = ir.IRBuilder(entry.append_basic_block())
    start, stop, address = entry.args
    words = builder.inttoptr(address, _WORD.as_pointer())
    values = [_argument(context, builder, kind, gep(builder, words, place)) for place, kind in enumerate(kinds[2:])]
    loop = context.declare_function(module, described)
    results = [builder.alloca(kind.pointee) for kind in loop.function_type.args[:2]]
    flat = context.get_arg_packer(kinds).as_arguments(builder, [start, stop, *values])
    builder.ret(builder.call(loop, [*results, *flat], attrs=("noinline",)))
    return entry


def _argument(context: Any, builder: Any, kind: Any, word: Any) -> Any:
    """Read an argument: a number, or what a numpy array says of itself."""
    if isinstance(kind, types.Float):
        return builder.load(builder.bitcast(word, context.get_value_type(kind).as_pointer()))
    if not isinstance(kind, types.Array):
        return context.cast(builder, builder.load(word), types.int64, kind)
    head = builder.add(builder.load(word), _WORD(_HEAD))
    array = context.make_array(kind)(context, builder)
    data = builder.load(builder.inttoptr(head, array.data.type.as_pointer()))
    lengths = builder.load(builder.inttoptr(builder.add(head, _WORD(16)), _WORD.as_pointer().as_pointer()))
    shape = [builder.load(gep(builder, lengths, axis)) for axis in range(kind.ndim)]
    itemsize = _WORD(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [itemsize]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=itemsize, meminfo=None)
    return array._getvalue()


# How threads share a loop.

OPEN, DONE, FAILED = (np.uint64(place) for place in (Board.OPEN, Board.DONE, Board.FAILED))
CLOSED, ACTIVE = (np.uint64(place) for place in (Board.CLOSED, Board.ACTIVE))
LOOP, ARGUMENTS, COUNT, PIECES = (int(p) for p in (Board.LOOP, Board.ARGUMENTS, Board.COUNT, Board.PIECES))
BARE: dict[str, Any] = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # only loops call it
BETWEEN = 64  # looks at the board before a waiting thread gives way to others


@numba.njit(**BARE)
def take_pieces(board: Any) -> bool:
    """Do pieces of the job until none is open; return whether there was one."""
    found = False
    while True:
        piece = add(board, OPEN, -1) - 1
        if piece < 0:
            return found
        found = True
        count, pieces = board[COUNT], board[PIECES]
        if call_loop(board[LOOP], piece * count // pieces, (piece + 1) * count // pieces, board[ARGUMENTS]) != 0:
            write(board, FAILED, 1)
        add(board, DONE, 1)


def run_job(board: Any, entry: int, arguments: Any, count: int, pieces: int) -> None:
    """Offer a loop over a range, take part in it, and wait until all of it is done."""
    board[LOOP] = entry
    board[ARGUMENTS] = arguments.ctypes.data
    board[COUNT] = count
    board[PIECES] = pieces
    write(board, DONE, 0)
    write(board, OPEN, pieces)
    take_pieces(board)
    looks = 0
    while read(board, DONE) < pieces:
        looks += 1
        pause()
        if looks % BETWEEN == 0:
            give_way()


def serve(board: Any, number: int, patience: int) -> bool:
    """Work until the board is closed; return False where there was nothing to do for too long."""
    looks = 0
    while looks < patience:
        if read(board, CLOSED) != 0:
            return True
        if read(board, OPEN) > 0 and number < read(board, ACTIVE) and take_pieces(board):
            looks = 0
        looks += 1
        pause()
        if looks % BETWEEN == 0:
            give_way()
    return False


WORDS = types.Array(types.uint8, 1, "C", readonly=True)
HANDOVER = {
    "run_job": (run_job, numba.void(numba.int64[::1], numba.int64, WORDS, numba.int64, numba.int64)),
    "serve": (serve, numba.boolean(numba.int64[::1], numba.int64, numba.int64)),
}

# Registers: see mrsne.lanes.

WIDTH = 16


class Lanes(types.Type):
    """The type of several numbers in one register, inside a loop."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Lanes({width})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.VectorType(ir.FloatType(), kind.width))


def _pointer(context: Any, builder: Any, kind: Any, array: Any, position: Any, width: int) -> Any:
    """Return the address of some numbers in a one-dimensional array."""
    data = context.make_array(kind)(context, builder, array).data
    vector = ir.VectorType(ir.FloatType(), width)
    return builder.bitcast(gep(builder, data, position), vector.as_pointer())


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


if numba.version_info.short > TRIED:

    @numba.njit
    def _try(x: Any) -> Any:
        put(x, np.uint64(8), take(x, np.uint64(0)) * spread_out(x[1]))
        return total(take8(x, np.uint64(8)))

    if _try(np.arange(32, dtype=np.float32)) != 28:
        raise ImportError("registers do not compute as they should")


# Notices of compiling.


class _Compilations(event.Listener):
    """Counts what numba is compiling; what it reads from its cache does not count."""

    def __init__(self, notify: Callable[[bool], object]) -> None:
        self._notify, self._depth, self._lock = notify, 0, threading.Lock()

    def _count(self, change: int) -> None:
        with self._lock:  # functions that a loop calls are compiled inside of it
            before, self._depth = self._depth, self._depth + change
            changed = (before == 0) != (self._depth == 0)
        if changed:
            self._notify(self._depth > 0)

    def on_start(self, event: Any) -> None:
        """Count a compilation that begins."""
        self._count(1)

    def on_end(self, event: Any) -> None:
        """Count one that ends."""
        self._count(-1)


def listening(notify: Callable[[bool], object]) -> Any:
    """Return a context in which ``notify`` is called with True and False, where compiling begins and ends."""
    return event.install_listener("numba:compile", _Compilations(notify))
