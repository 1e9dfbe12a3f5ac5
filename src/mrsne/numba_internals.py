"""All that needs LLVM or private parts of numba: work handed over in compiled code, registers, machine code on disk.

Where one of these parts is missing, importing this module fails, and :mod:`mrsne.loops` and :mod:`mrsne.lanes` do the
same in numba's own ways: to the same affinities, and in iterations up to rounding.
"""

import hashlib
import inspect
import operator
import os
import pickle
import platform
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from llvmlite.binding import Linkage
from numba import types
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.cgutils import gep, get_or_insert_function
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.targetconfig import ConfigStack
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable
from numba.np.arrayobj import populate_array

from mrsne.parameters import is_switched_off
from mrsne.threads import Board, held_while_forking

if is_switched_off("instructions"):
    raise ImportError("MRSNE_WITHOUT names instructions")
TRIED = (0, 68)  # the newest numba that all tests have passed with; with a newer one, a loop is tried at import
USED = (JITCodeLibrary._optimize_final_module, ir.IRBuilder.load_atomic, ir.IRBuilder.store_atomic)
held_while_forking(global_compiler_lock)

_WORD, _STATUS, _INDEX = ir.IntType(64), ir.IntType(32), ir.IntType(32)
_LOOP = ir.FunctionType(_STATUS, (_WORD, _WORD, _WORD))  # of start, stop and the address of the arguments
i8, u8 = types.int64, types.uint64


def _instruction(signature_of: Callable[..., Any]) -> Any:
    """Return a decorator that makes a function for loops from one that builds its code.

    ``signature_of`` returns its signature from the types of its arguments. What builds the code takes the context, the
    builder, these types, and the values.
    """

    def defined(build: Callable[..., Any]) -> Any:
        def typed(typing, *kinds):
            def lowered(context, builder, signature, values):
                result = build(context, builder, signature.args, *values)
                return context.get_dummy_value() if result is None else result

            return signature_of(*kinds), lowered

        first, *_ = inspect.signature(typed).parameters.values()
        others = list(inspect.signature(build).parameters.values())[3:]
        typed.__signature__ = inspect.Signature([first, *others])  # type: ignore[attr-defined]
        typed.__name__ = typed.__qualname__ = build.__name__
        return intrinsic(typed)

    return defined


# Words of the board, which threads read and write without a lock.


def _address(context, builder, kind, array, position):
    return gep(builder, context.make_array(kind)(context, builder, array).data, position)


@_instruction(lambda board, position: i8(board, u8))
def read(context, builder, kinds, board, position):
    """Return a word of the board, and see everything written before it was."""
    return builder.load_atomic(_address(context, builder, kinds[0], board, position), "acquire", 8)


@_instruction(lambda board, position, number: types.void(board, u8, i8))
def write(context, builder, kinds, board, position, number):
    """Write a word of the board, after everything else was written."""
    builder.store_atomic(number, _address(context, builder, kinds[0], board, position), "release", 8)


@_instruction(lambda board, position, number: i8(board, u8, i8))
def add(context, builder, kinds, board, position, number):
    """Add to a word of the board in one step, and return what it was before."""
    return builder.atomic_rmw("add", _address(context, builder, kinds[0], board, position), number, "acq_rel")


_X86, _ARM = ("llvm.x86.sse2.pause",), ("llvm.aarch64.hint", 1)  # the instructions pause and yield
PAUSES: dict[str, Any] = {"x86_64": _X86, "AMD64": _X86, "aarch64": _ARM, "arm64": _ARM}


@_instruction(types.void)
def pause(context, builder, kinds):
    """Tell the core that it is waiting: the other thread on it gets more of it."""
    if hint := PAUSES.get(platform.machine()):
        values = [_STATUS(number) for number in hint[1:]]
        kind = ir.FunctionType(ir.VoidType(), [value.type for value in values])
        builder.call(get_or_insert_function(builder.module, kind, hint[0]), values)


@_instruction(types.void)
def give_way(context, builder, kinds):
    """Let another thread have this core, where more threads than cores want to run."""
    if hasattr(os, "sched_yield"):
        builder.call(get_or_insert_function(builder.module, ir.FunctionType(_STATUS, ()), "sched_yield"), ())


@_instruction(lambda loop, start, stop, arguments: i8(i8, i8, i8, i8))
def call_loop(context, builder, kinds, loop, start, stop, arguments):
    """Call a loop at an address for a range; return 0, or another number where it raised an error."""
    status = builder.call(builder.inttoptr(loop, _LOOP.as_pointer()), (start, stop, arguments))
    return builder.sext(status, _WORD)


# How a loop is entered: at an address, with its arguments in memory.

_HEAD = object.__basicsize__  # bytes of a Python object before an array's address; 16 more before that of its shape


def entry_of(function: Callable[..., None], kinds: tuple[Any, ...]) -> Any:
    """Return a function that compiles a loop and returns its address; numbers and ids of arrays are its arguments."""
    kinds = (i8, i8, *kinds)

    @_instruction(i8)
    def entry(context, builder, _):
        flags = ConfigStack().top().copy()  # a loop rounds with the settings of its entry
        loop = context.compile_subroutine(builder, function, types.void(*kinds), flags=flags, caching=False)
        _keep_own_copies(context.active_code_library)
        return builder.ptrtoint(_entry(context, builder.module, loop.fndesc, kinds), _WORD)

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


def _entry(context, module, described, kinds):
    """Build the function at which threads enter a loop, which is not inlined, so that its bits stay the same."""
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


def _argument(context, builder, kind, word):
    """Read an argument: a number, or what a numpy array says of itself."""
    if isinstance(kind, types.Float):
        return builder.load(builder.bitcast(word, context.get_value_type(kind).as_pointer()))
    if not isinstance(kind, types.Array):
        return context.cast(builder, builder.load(word), i8, kind)
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


def _pointer(context, builder, kind, array, position, width):
    """Return the address of some numbers in a one-dimensional array."""
    vector = ir.VectorType(ir.FloatType(), width)
    return builder.bitcast(_address(context, builder, kind, array, position), vector.as_pointer())


def _shuffled(builder, first, second, places: list[int]):
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(_INDEX, len(places)), places))


def _reading(width: int) -> Any:
    @_instruction(lambda array, position: Lanes(width)(array, u8))
    def take(context, builder, kinds, array, position):
        """Return some numbers of a one-dimensional array from a position on."""
        return builder.load(_pointer(context, builder, kinds[0], array, position, width), align=4)

    return take


def _repeating(width: int) -> Any:
    @_instruction(lambda number: Lanes(width)(types.float32))
    def spread_out(context, builder, kinds, number):
        """Return one number several times."""
        vector = ir.Constant(ir.VectorType(ir.FloatType(), width), ir.Undefined)
        single = builder.insert_element(vector, number, _INDEX(0))
        return _shuffled(builder, single, single, [0] * width)

    return spread_out


take, take8 = _reading(WIDTH), _reading(8)
spread_out, spread_out8 = _repeating(WIDTH), _repeating(8)


@_instruction(lambda array, position, lanes: types.void(array, u8, lanes))
def put(context, builder, kinds, array, position, lanes):
    """Write numbers to a one-dimensional array from a position on."""
    builder.store(lanes, _pointer(context, builder, kinds[0], array, position, kinds[2].width), align=4)


@_instruction(lambda lanes, number: types.float32(lanes, u8))
def lane(context, builder, kinds, lanes, number):
    """Return one of the numbers."""
    return builder.extract_element(lanes, builder.trunc(number, _INDEX))


@_instruction(types.float32)
def total(context, builder, kinds, lanes):
    """Return the sum of the numbers."""
    width = kinds[0].width
    while width > 1:
        width //= 2
        other = _shuffled(builder, lanes, lanes, list(range(width, 2 * width)))
        lanes = builder.fadd(_shuffled(builder, lanes, lanes, list(range(width))), other)
    return builder.extract_element(lanes, _INDEX(0))


@_instruction(lambda source, start, stride, target, new_start, new_stride: types.void(source, u8, u8, target, u8, u8))
def transpose(context, builder, kinds, source, start, stride, target, new_start, new_stride):
    """Copy sixteen rows of sixteen numbers, ``stride`` apart, to the columns of rows ``new_stride`` apart."""

    def row(kind, array, first, step, number):
        position = builder.add(first, builder.mul(step, start.type(number)))
        return _pointer(context, builder, kind, array, position, WIDTH)

    rows = [builder.load(row(kinds[0], source, start, stride, number), align=4) for number in range(WIDTH)]
    half = WIDTH // 2
    shuffles = [[i // 2 + part + WIDTH * (i % 2) for i in range(WIDTH)] for part in (0, half)]
    for _ in range(WIDTH.bit_length() - 1):  # interleaving the two halves of the rows, four times, turns them
        rows = [
            _shuffled(builder, rows[number // 2], rows[number // 2 + half], shuffles[number % 2])
            for number in range(WIDTH)
        ]
    for number, values in enumerate(rows):
        builder.store(values, row(kinds[3], target, new_start, new_stride, number), align=4)


def _define(symbol: Any, method: str) -> None:

    @type_callable(symbol)
    def typed(context) -> Callable[[Any, Any], Any]:
        return lambda a, b: a if isinstance(a, Lanes) and a == b else None

    @lower_builtin(symbol, Lanes, Lanes)
    def lowered(context, builder, signature, arguments):
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


# Machine code on disk: checked before it is used, compiled again where it is damaged, done without where it cannot be.
# The files are numba's, but begin with a hash of the rest: a flipped bit could otherwise be run, or make ``pickle`` ask
# for any amount of memory.


class _CheckedFiles(IndexDataCacheFile):
    """The index of a function's machine code, and the code."""

    def _dump(self, obj: Any) -> bytes:
        content: bytes = super()._dump(obj)
        return hashlib.sha256(content).digest() + content

    def _load_index(self) -> dict[Any, str]:
        try:
            stamp, names = _checked(self._index_path, pickle.dumps(self._version, protocol=-1))
        except (OSError, ValueError):  # not there, of another version, or damaged
            return {}
        return names if stamp == self._source_stamp else {}

    def load(self, key: Any) -> Any:
        """Return an entry, or None where there is none that can be used."""
        try:
            return _checked(self._data_path(self._load_index()[key]))
        except (KeyError, OSError, ValueError):
            return None


def _checked(path: str, head: bytes = b"") -> Any:
    content = Path(path).read_bytes()
    digest, body = content[len(head) : len(head) + 32], content[len(head) + 32 :]
    if not content.startswith(head) or hashlib.sha256(body).digest() != digest:
        raise ValueError(f"{path} is damaged or of another version")
    return pickle.loads(body)


class _CodeOnDisk(FunctionCache):
    """What numba asks for machine code before it compiles, and gives it to afterwards."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return compiled code, or None where it has to be compiled."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever it is, the compiler can do without
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code, where there is room."""
        try:
            super().save_overload(sig, data)
        except Exception as reason:
            _warn(self._cache_path, getattr(reason, "strerror", None) or f"{type(reason).__name__}: {reason}")
            self._cache_path = None  # which is how statistics say that nothing was kept


@cache
def _warn(folder: str, reason: str) -> None:
    """Say once for each reason why the next process has to compile again."""
    warnings.warn(
        f"machine code cannot be kept in {folder} ({reason}), so every process compiles again what it needs; "
        "set NUMBA_CACHE_DIR to another folder",
        RuntimeWarning,
        stacklevel=2,
    )


def compile_or_find(function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> Any:
    """Return a compiled function, from disk where it is there."""
    dispatcher: Any = numba.njit(**options)(function)
    if not is_switched_off("cache"):
        with suppress(RuntimeError):  # no place to keep it: a read-only installation, no home directory
            dispatcher._cache = _CodeOnDisk(function)
    dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher


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
        self._count(1)

    def on_end(self, event: Any) -> None:
        self._count(-1)


def listening(notify: Callable[[bool], object]) -> Any:
    """Return a context in which ``notify`` is called with True and False, where compiling begins and ends."""
    return event.install_listener("numba:compile", _Compilations(notify))
