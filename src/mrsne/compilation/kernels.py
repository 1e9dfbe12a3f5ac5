"""Compiled loops over a range, with their machine code on disk.

Every kernel names the types of its arguments, so it is compiled once, when it is first needed, whatever arrays come: an
array that cannot be written to or another width of index never means another compilation.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any, Concatenate, Generic, ParamSpec

import numba
import numpy as np

from mrsne.compilation.code_version import code_version
from mrsne.compilation.instructions import Board, describe_job
from mrsne.compilation.settings import SETTINGS
from mrsne.compilation.team import PIECES, current_team, do_job

Rest = ParamSpec("Rest")
Loop = Callable[Concatenate[int, int, Rest], None]
WORTH_SHARING = 5_000  # items from which a few operations for each take longer than handing them to other threads


def kernel(types: str) -> Callable[[Loop[Rest]], Kernel[Rest]]:
    """Compile a loop over a range: a function of its first and last index and of arrays that it fills.

    ``types`` are those of its other arguments, such as ``"f4 i8[:] f4[:,:]!"``: kind and bytes as in numpy, colons for
    the axes of an array in C order, and an exclamation mark where the kernel writes to it.
    """
    return lambda function: Kernel(function, types)


def _numba_type(name: str) -> Any:
    scalar, _, axes = name.rstrip("!").partition("[")
    number = numba.from_dtype(np.dtype(scalar))
    return numba.types.Array(number, axes.count(":"), "C", readonly=not name.endswith("!")) if axes else number


class Kernel(Generic[Rest]):
    """A compiled loop, with its machine code cached on disk.

    Where there can be no cache (a read-only installation, no home directory), it is compiled anew in each process.
    """

    def __init__(self, function: Loop[Rest], types: str) -> None:
        self.function = function
        self.kinds = tuple(map(_numba_type, types.split()))
        self._compiled: Callable[..., None] | None = None
        self._lock = threading.Lock()

    @property
    def compiled(self) -> Callable[..., None]:
        """The machine code, from the compiler when it is first asked for.

        A function of a board, the length of the range, the number of pieces, and the loop's own arguments.
        """
        with self._lock:
            if self._compiled is None:
                signature = numba.void(numba.int64[::1], numba.int64, numba.int64, *self.kinds)
                launch = _launcher(self.function, len(self.kinds))
                try:
                    self._compiled = numba.njit(signature, cache=True, **SETTINGS)(launch)
                except RuntimeError:
                    self._compiled = numba.njit(signature, **SETTINGS)(launch)
            return self._compiled

    def alone(self, count: int, *arguments: Rest.args, **nothing: Rest.kwargs) -> None:
        """Run the loop over ``range(count)`` on this thread."""
        self._run(np.zeros(Board.SIZE, np.int64), count, 1, arguments)

    def over(self, count: int, *arguments: Rest.args, **nothing: Rest.kwargs) -> None:
        """Run the loop over ``range(count)``, on the threads of the surrounding :func:`threads` block."""
        team = current_team()
        if team is None or count < 2 or team.active == 1:
            self._run(np.zeros(Board.SIZE, np.int64), count, 1, arguments)
            return
        _ = self._compiled or self.compiled  # first: helpers would not wait until it is
        try:
            team.gather()
            self._run(team.board, count, min(count, PIECES * team.active), arguments)
        finally:
            team.dismiss()

    def _run(self, board: Any, count: int, pieces: int, arguments: Any) -> None:
        (self._compiled or self.compiled)(board, count, pieces, *arguments)
        if board[Board.FAILED]:
            board[Board.FAILED] = 0
            numba.njit(**SETTINGS)(self.function)(0, count, *arguments)  # which raises the error where it can be seen
            raise RuntimeError(f"the compiled loop {self.function.__name__} failed")


def _launcher(function: Callable[..., None], n_arguments: int) -> Any:
    """Return a function that offers the loop to a team, to be compiled and cached under the loop's own name.

    Machine code on disk is found by file, line and name, and is current while the file is not younger. Loops that
    differ in the values of variables around them therefore differ in name, as do those of another version of the code
    that all loops share.
    """
    names = ", ".join(f"a{number}" for number in range(n_arguments))
    text = f"def launch(board, count, pieces, {names}):\n    describe_job(loop, board, ({names},))\n"
    code = compile(text + "    do_job(board, count, pieces)\n", function.__code__.co_filename, "exec").co_consts[0]
    around = [str(cell.cell_contents) for cell in function.__closure__ or ()]
    bare: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # only the launcher calls it
    loop = numba.njit(**bare, **SETTINGS)(function)
    scope = {"describe_job": describe_job, "do_job": do_job, "loop": loop, "__name__": function.__module__}
    launch = FunctionType(code.replace(co_firstlineno=function.__code__.co_firstlineno), scope, function.__name__)
    launch.__qualname__ = "-".join([function.__qualname__, *around, code_version()])
    return launch
