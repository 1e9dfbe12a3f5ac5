"""How every numeric loop of mrsne is compiled, kept on disk and run on threads.

Every loop names the types of its arguments, so it is compiled once, when it is first needed, whatever arrays come: an
array that cannot be written to or another width of index never means another compilation.

Loops are compiled without numba's own threads, whose code rounds differently when fresh from the compiler and when read
from the cache. A loop works on a range instead, and :meth:`Kernel.over` gives parts of it to threads: inside compiled
code, by :mod:`mrsne.numba_internals`, or, where numba lacks something for that, by numba's ``prange``.
"""

from __future__ import annotations

import hashlib
import struct
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from importlib.resources import files
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numba
import numpy as np

from mrsne.arrays import Array as Array
from mrsne.parameters import is_switched_off
from mrsne.threads import Board, ThreadTeam, current_team, held_while_forking, one_for_each_process


def _warn_of_prange(reason: Exception) -> None:
    warnings.warn(
        f"numba {numba.__version__} lacks something that mrsne uses ({type(reason).__name__}: {reason}). Maps are as "
        "good, but loops run by numba's own prange, and take longer to compile and to start. Please report this on the "
        "issue tracker of mrsne",
        RuntimeWarning,
        stacklevel=3,
    )


numba_internals: ModuleType | None = None
try:
    from mrsne import numba_internals
except Exception as reason:
    if not is_switched_off("instructions"):
        _warn_of_prange(reason)

Loop = Callable[..., None]  # of the first and the last index of a range, and of arrays and numbers

SETTINGS: dict[str, Any] = {
    # sums may be reordered and fused, so that loops vectorise; NaN and infinity keep their meaning, so that errors show
    "fastmath": {"reassoc", "contract", "arcp", "nsz", "afn"},
    "nogil": True,
    "error_model": "numpy",
}
BARE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # of what only compiled code calls
PIECES = 4  # of a range for each thread: the first to finish takes the next
WORTH_SHARING = 5_000  # items from which a few operations for each take longer than handing them to other threads
WORTH_COMPILING = 200_000  # numbers that pass through Python in some 60 ms; to compile a loop takes 200 ms and more
COMPILING = "compiling (first use)"
SOURCES = ("numba_internals.py", "loops.py", "threads.py")  # of which every compiled loop has a part
_compiling = threading.RLock()  # numba compiles one loop at a time anyway
held_while_forking(_compiling)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a small function that only loops call."""
    settings: dict[str, Any] = {"no_cfunc_wrapper": True, **SETTINGS}
    return numba.njit(**settings)(function)


def kernel(types: str, exact: bool = False) -> Callable[[Loop], Kernel]:
    """Compile a loop over a range: a function of its first and last index and of arrays that it fills.

    ``types`` are those of its other arguments, such as ``"f4 i8[:] f4[:,:]!"``: kind and bytes as in numpy, colons for
    the axes of an array in C order, and an exclamation mark where the loop writes to it. The function itself needs no
    annotations. A loop is ``exact`` if it adds no numbers but whole ones: Python gives the same result, and what is
    small need not wait for the compiler.
    """
    return lambda function: Kernel(function, types, exact)


class _Kind(NamedTuple):
    dtype: np.dtype[Any]
    ndim: int
    written: bool

    @classmethod
    def named(cls, name: str) -> _Kind:
        """Return the type that a name such as ``f4[:,:]!`` stands for."""
        scalar, _, axes = name.partition("[")
        return cls(np.dtype(scalar), axes.count(":"), name.endswith("!"))

    def numba_type(self) -> Any:
        number = numba.from_dtype(self.dtype)
        return numba.types.Array(number, self.ndim, "C", readonly=not self.written) if self.ndim else number

    def word(self) -> str:
        """Return how :mod:`struct` writes it into eight bytes: an array as its address."""
        return "q" if self.ndim else {"f4": "f4x", "f8": "d", "b1": "?7x"}.get(self.dtype.str[1:], "q")

    def aligned(self, argument: Any) -> Any:
        """Return an argument; an array that is only read is copied where it is not aligned, as from a network."""
        unaligned = isinstance(argument, np.ndarray) and not (self.written or argument.flags.aligned)
        return argument.copy() if unaligned else argument

    def accepts(self, array: Any) -> bool:
        """Return whether something is an array that compiled code can work on in place."""
        if not isinstance(array, np.ndarray) or array.ndim != self.ndim or array.dtype != self.dtype:
            return False
        return array.flags.carray or (not self.written and array.flags.c_contiguous and array.flags.aligned)


class Kernel:
    """A loop, with its machine code kept on disk; without a place for it, compiled anew in each process."""

    def __init__(self, function: Loop, types: str, exact: bool = False) -> None:
        self.function = function
        self.kinds = tuple(map(_Kind.named, types.split()))
        if function.__code__.co_argcount != len(self.kinds) + 2:
            raise TypeError(f"{function.__name__} takes a range and {len(self.kinds)} arguments, by their types")
        self.exact = exact
        self.machine_code: _Entered | _Shared | None = None  # when it has been needed
        self._interpreted = 0  # numbers that passed through Python

    def compiled(self) -> _Entered | _Shared:
        """Return the machine code, from disk or from the compiler when it is first asked for."""
        with _compiling:
            if self.machine_code is None:
                self.machine_code = _machine_code(self.function, self.kinds)
            return self.machine_code

    def alone(self, count: int, *arguments: Any) -> None:
        """Run the loop over ``range(count)`` on this thread."""
        self._run(None, count, arguments)

    def over(self, count: int, *arguments: Any) -> None:
        """Run the loop over ``range(count)``, on the threads of the surrounding :func:`mrsne.threads.threads` block."""
        team = current_team()
        self._run(team if team is not None and team.active > 1 and count > 1 else None, count, arguments)

    def _run(self, team: ThreadTeam | None, count: int, arguments: Sequence[Any]) -> None:
        if self.exact and self._interpreted < WORTH_COMPILING:
            self._interpreted += sum(argument.size for argument in arguments if isinstance(argument, np.ndarray))
            if self._interpreted < WORTH_COMPILING:  # in the precision that numbers have in compiled code
                pairs = zip(arguments, self.kinds, strict=True)
                self.function(0, count, *(value if kind.ndim else kind.dtype.type(value) for value, kind in pairs))
                return
        if not (self.machine_code or self.compiled())(team, count, arguments):
            numba.njit(**SETTINGS)(self.function)(0, count, *arguments)  # which raises the error where it can be seen
            raise RuntimeError(f"the compiled loop {self.function.__name__} failed")


def _machine_code(function: Callable[..., None], kinds: Sequence[_Kind]) -> _Entered | _Shared:
    global numba_internals
    if numba_internals is None:
        return _Shared(function, kinds)
    try:
        return _Entered(function, kinds)
    except Exception as reason:
        try:
            code = _Shared(function, kinds)
        except Exception:  # then it is the loop that is wrong
            raise reason from None
        _warn_of_prange(reason)
        numba_internals = None
        return code


class _Entered:
    """Machine code with an address at which threads enter it, from one loop that hands over all others."""

    def __init__(self, function: Callable[..., None], kinds: Sequence[_Kind]) -> None:
        from mrsne.numba_internals import entry_of

        self.name = function.__name__
        self.arrays = [(place, kind) for place, kind in enumerate(kinds) if kind.ndim]
        self.words = struct.Struct("=" + "".join(kind.word() for kind in kinds))
        entry = entry_of(function, tuple(kind.numba_type() for kind in kinds))
        ask = _named(_ask_for_address, {"entry": entry}, function, kinds)
        self.code = _compiled(ask, numba.int64(), no_cfunc_wrapper=True, **SETTINGS)
        self.address = self.code()
        self.run = handover("run_job")

    def __call__(self, team: ThreadTeam | None, count: int, arguments: Sequence[Any]) -> bool:
        """Run the loop; return whether it did without an error."""
        values = list(arguments)
        copies = []  # of arrays that are not aligned, until the loop is done
        for place, kind in self.arrays:
            array = kind.aligned(arguments[place])
            if not kind.accepts(array):
                raise TypeError(f"argument {place} of the compiled loop {self.name} must be of {kind}")
            values[place] = id(array)
            copies.append(array)
        words = np.frombuffer(self.words.pack(*values), np.uint8)
        if team is None:
            board = np.zeros(Board.SIZE, np.int64)
            self.run(board, self.address, words, count, 1)
        else:
            board = team.board
            with team.gathered(handover("serve")):
                self.run(board, self.address, words, count, min(count, PIECES * team.active))
        failed = board[Board.FAILED] != 0
        board[Board.FAILED] = 0
        return not failed


def _ask_for_address() -> int:
    return entry()  # type: ignore[name-defined, no-any-return]  # noqa: F821  which each copy of this function has among its globals


_PART_AND_WHOLE = """
def part(start, stop, {0}):
    try:
        loop(start, stop, {0})
    except Exception:
        return False
    return True

def whole(loop, done, count, {0}):
    pieces = done.size
    for piece in prange(pieces):
        done[piece] = loop(piece * count // pieces, (piece + 1) * count // pieces, {0})
"""


class _Shared:
    """Machine code whose range numba's own threads share; every thread calls the same code, at its address."""

    # some of numba's threading layers end the process where two threads use them at a time
    _lock = staticmethod(one_for_each_process(threading.Lock))

    def __init__(self, function: Callable[..., None], kinds: Sequence[_Kind]) -> None:
        self.kinds = kinds
        types = tuple(kind.numba_type() for kind in kinds)
        loop = numba.njit(**BARE, **SETTINGS)(function)
        names = ", ".join(f"a{number}" for number in range(len(kinds)))
        scope: dict[str, Any] = {"loop": loop, "prange": numba.prange}
        exec(_PART_AND_WHOLE.format(names), scope)
        signature = numba.boolean(numba.int64, numba.int64, *types)
        self.code = _compiled(_named(scope["part"], scope, function, kinds, "-part"), signature, **SETTINGS)
        self.whole = _named(scope["whole"], scope, function, kinds, "-shared")
        self.signature = numba.void(numba.types.FunctionType(signature), numba.boolean[::1], numba.int64, *types)
        self._compiled_whole: Any = None

    def __call__(self, team: ThreadTeam | None, count: int, arguments: Sequence[Any]) -> bool:
        """Run the loop; return whether it did without an error."""
        arguments = [kind.aligned(argument) for kind, argument in zip(self.kinds, arguments, strict=True)]
        if team is None:
            return bool(self.code(0, count, *arguments))
        done = np.empty(min(count, PIECES * team.active), np.bool_)
        with self._lock():
            self._compiled_whole = self._compiled_whole or _compiled(self.whole, self.signature, parallel=True)
            numba.set_num_threads(min(team.active, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
            self._compiled_whole(self.code, done, count, *arguments)
        return bool(done.all())


def _named(
    function: Callable[..., Any], scope: dict[str, Any], loop: Loop, kinds: Sequence[_Kind], ending: str = ""
) -> Any:
    """Return a function that stands where a loop is defined, so that its machine code is found by the loop's name.

    Machine code on disk is found by file, line and name. Loops that differ in their types or in the values of variables
    around them therefore differ in name, as do those of another version of the code that all loops share.
    """
    around = [str(cell.cell_contents) for cell in loop.__closure__ or ()]
    version = hashlib.sha256(f"{code_version()} {[kind.numba_type() for kind in kinds]}".encode()).hexdigest()[:12]
    code = function.__code__.replace(co_filename=loop.__code__.co_filename, co_firstlineno=loop.__code__.co_firstlineno)
    copy = FunctionType(code, {**scope, "__name__": loop.__module__}, loop.__name__)
    copy.__qualname__ = "-".join([loop.__qualname__, *around, version]) + ending
    return copy


def _compiled(function: Callable[..., Any], signature: Any, **options: Any) -> Any:
    """Return machine code from disk or, where there is none, from the compiler: the one place where that is decided."""
    options.setdefault("nogil", True)
    if numba_internals is not None:
        return numba_internals.compile_or_find(function, signature, options)
    if not is_switched_off("cache"):
        with suppress(Exception):  # no place to keep it, or what is there is damaged
            return numba.njit(signature, cache=True, **options)(function)
    return numba.njit(signature, **options)(function)


@cache
def handover(name: str) -> Any:
    """Return a compiled function of :mod:`mrsne.numba_internals` by which threads share loops."""
    from mrsne.numba_internals import HANDOVER

    function: Any
    function, signature = HANDOVER[name]
    function.__qualname__ = f"{name}-{code_version()}"
    return _compiled(function, signature)


@cache
def code_version() -> str:
    """Return a short hash of the files whose code is compiled into every loop.

    With this in its name, a loop that has the layout of an earlier board is not found any more: a thread that looks for
    jobs elsewhere than they are written would never see one, or would call whatever address is there.
    """
    digest = hashlib.sha256()
    for name in SOURCES:
        try:
            digest.update(files("mrsne").joinpath(name).read_bytes())
        except OSError:  # an installation without sources, for which numba keeps no machine code either
            continue
    return digest.hexdigest()[:12]


@contextmanager
def notify_of_compiling(notify: Callable[[bool], object]) -> Iterator[None]:
    """Call ``notify(True)`` when a loop begins to be compiled, in any thread, and ``notify(False)`` when it is done."""
    with nullcontext() if numba_internals is None else numba_internals.listening(notify):
        yield
