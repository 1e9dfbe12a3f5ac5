"""Instructions by which threads agree on who does what, without Python and without a lock.

A *job* is a compiled loop over a range, cut into pieces. It is described by a few words of shared memory, the *board*
(see :class:`Board`); whoever takes a piece from it calls the loop through its address.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from llvmlite import ir
from llvmlite.binding import Linkage
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_WORD = ir.IntType(64)
_STATUS = ir.IntType(32)


class Board(IntEnum):
    """Where things stand on the board; what different threads write is on different cache lines."""

    OPEN = 0  # pieces that nobody has taken yet; below zero where threads asked in vain
    DONE = 16  # pieces that are finished
    LOOP = 32  # address of the job's loop
    ARGUMENTS = 33  # address of its arguments
    COUNT = 34  # length of its range
    PIECES = 35
    FAILED = 48  # not zero: the loop raised an error
    CLOSED = 64  # not zero: threads go home
    ACTIVE = 65  # threads that take part, the calling one among them
    SIZE = 80


def instruction(function: Callable[..., Any]) -> Any:
    """Make a function that kernels can call from one that returns its type and how to build its code."""
    return intrinsic(function)


def _place(context: Any, builder: Any, kind: Any, board: Any, position: Any) -> Any:
    data = context.make_array(kind)(context, builder, board).data
    return cgutils.gep(builder, data, position)


@instruction
def read(typing: Any, board: Any, position: Any) -> Any:
    """Return a word of the board, and see everything written before it was."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_place(context, builder, signature.args[0], *arguments), "acquire", 8)

    return types.int64(board, types.uint64), build


@instruction
def write(typing: Any, board: Any, position: Any, number: Any) -> Any:
    """Write a word of the board, after everything else was written."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature.args[0], *arguments[:2])
        builder.store_atomic(arguments[2], place, "release", 8)
        return context.get_dummy_value()

    return types.void(board, types.uint64, types.int64), build


@instruction
def add(typing: Any, board: Any, position: Any, number: Any) -> Any:
    """Add to a word of the board in one step, and return what it was before."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature.args[0], *arguments[:2])
        return builder.atomic_rmw("add", place, arguments[2], "acq_rel")

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
            builder.call(cgutils.get_or_insert_function(builder.module, kind, hint[0]), values)
        return context.get_dummy_value()

    return types.void(), build


@instruction
def give_way(typing: Any) -> Any:
    """Let another thread have this core, where more threads than cores want to run."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if hasattr(os, "sched_yield"):
            kind = ir.FunctionType(ir.IntType(32), ())
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), ())
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


_LOOP = ir.FunctionType(_STATUS, (_WORD, _WORD, _WORD))  # of start, stop and the address of the arguments


@instruction
def describe_job(typing: Any, loop: Any, board: Any, arguments: Any) -> Any:
    """Write to the board how a compiled loop is called with some arguments.

    The arguments lie in the frame of the caller, which has to stay until the job is done.
    """
    kinds = (types.int64, types.int64, *arguments.types)
    loop.dispatcher.compile(kinds)
    overload = loop.dispatcher.overloads[kinds]

    def build(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        context.active_code_library.add_linking_library(overload.library)
        _keep_own_copies(context.active_code_library)
        _, board, arguments = values
        fields = cgutils.unpack_tuple(builder, arguments)
        frame = cgutils.alloca_once(builder, ir.LiteralStructType([field.type for field in fields]))
        for number, field in enumerate(fields):
            builder.store(field, cgutils.gep_inbounds(builder, frame, 0, number))
        entry = _entry(context, builder.module, overload.fndesc, kinds, frame.type)
        for place, pointer in ((Board.LOOP, entry), (Board.ARGUMENTS, frame)):
            word = _place(context, builder, signature.args[1], board, _WORD(int(place)))
            builder.store(builder.ptrtoint(pointer, _WORD), word)
        return context.get_dummy_value()

    return types.void(loop, board, arguments), build


def _keep_own_copies(library: Any) -> None:
    """Have the functions that are linked into a library called there, whatever else is in memory under their names.

    A loop is compiled once for itself and once more as a part of its launcher, where it is optimised again and may
    round differently. The launcher alone is kept on disk: in the process that compiled both, numba would call the
    first, and in all later ones the second.
    """
    optimize = library._optimize_final_module

    def optimize_own_copies() -> None:
        for function in library._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        optimize()

    library._optimize_final_module = optimize_own_copies


def _entry(context: Any, module: Any, described: Any, kinds: Any, frame: Any) -> Any:
    """Build the function at which threads enter a loop: it takes the arguments from memory.

    The loop is not inlined there, so it has the same machine code, and the same bits, wherever it is called from.
    """
    entry = ir.Function(module, _LOOP, module.get_unique_name("enter"))
    entry.linkage = "internal"
    builder = ir.IRBuilder(entry.append_basic_block())
    start, stop, address = entry.args
    pointer = builder.inttoptr(address, frame)
    fields = [
        builder.load(cgutils.gep_inbounds(builder, pointer, 0, number)) for number in range(len(frame.pointee.elements))
    ]
    loop = context.declare_function(module, described)
    results = [builder.alloca(kind.pointee) for kind in loop.function_type.args[:2]]
    flat = context.get_arg_packer(kinds).as_arguments(builder, [start, stop, *fields])
    builder.ret(builder.call(loop, [*results, *flat], attrs=("noinline",)))
    return entry
