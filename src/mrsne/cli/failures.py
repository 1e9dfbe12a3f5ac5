"""What is said when a command fails, and its exit code: a message, never a bare traceback.

``docs/commands.md`` lists the codes.
"""

import errno
import functools
import platform
import shlex
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec

from mrsne import __version__
from mrsne.cli.reporter import clipped
from mrsne.parameters import MrsneError

Options = ParamSpec("Options")

FAILED, OUT_OF_MEMORY, BUG, INTERRUPTED = 1, 3, 70, 130  # 2 is Typer's, for options that are wrong
LONGEST_COMMAND = 400  # characters
PACKAGE = str(Path(__file__).parents[1])


@dataclass(frozen=True)
class Failure:
    """What to say, and the exit code."""

    message: str
    code: int


class UnexpectedEndError(MrsneError):
    """A file ended where more was expected."""


def guarded(command: Callable[Options, None]) -> Callable[Options, None]:
    """Return a command that raises no EOFError: Typer would take it for the end of input, and say nothing."""

    @functools.wraps(command)
    def run(*given: Options.args, **options: Options.kwargs) -> None:
        try:
            command(*given, **options)
        except EOFError as error:
            raise UnexpectedEndError from error

    return run


def failure(error: BaseException, arguments: Sequence[str]) -> Failure:
    if isinstance(error, UnexpectedEndError) and error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, KeyboardInterrupt):
        return Failure("interrupted", INTERRUPTED)
    cause: BaseException | None = error
    while cause is not None:  # a file that cannot be read may be too large, and not damaged
        is_torchs = type(cause).__name__ == "OutOfMemoryError"  # of a GPU
        if isinstance(cause, MemoryError) or is_torchs or getattr(cause, "errno", None) == errno.ENOMEM:
            return Failure(clipped(f"not enough memory: {cause}".removesuffix(": ")), OUT_OF_MEMORY)
        cause = cause.__cause__
    if is_expected(error):
        return Failure(clipped(_own_words(error)), FAILED)
    return Failure(_bug_report(error, arguments), BUG)


def is_expected(error: BaseException) -> bool:
    """Return whether an error says what is wrong with what was given, as those of files and those of mrsne do.

    A ValueError or TypeError that comes from elsewhere, numpy for example, means that mrsne did not check something.
    """
    if isinstance(error, ImportError):
        return not (error.name or "").startswith("mrsne")  # otherwise a package that is not installed
    return isinstance(error, (MrsneError, OSError))


def _own_words(error: BaseException) -> str:
    """Return an error's own words, without the number that the system has for it."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{str(error.filename)!r}: {error.strerror}"
    return str(error) or type(error).__name__


def _bug_report(error: BaseException, arguments: Sequence[str]) -> str:
    """Return all that is needed to report a bug, but for the data."""
    command = clipped(shlex.join(["mrsne", *arguments]), LONGEST_COMMAND)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(PACKAGE)]
    last = own[-1:] + [frame for frame in frames[-1:] if frame not in own]  # reached in mrsne, and in all
    where = "; then ".join(f"{_short(frame.filename)}, line {frame.lineno}, in {frame.name}" for frame in last)
    return (
        f"this is a bug: {clipped(f'{type(error).__name__}: {error}')}\n"
        f"  version: mrsne {__version__}, Python {platform.python_version()} on {platform.system()}\n"
        f"  command: {command}\n"
        f"  where:   {where or 'unknown'}\n"
        "Please report it on the issue tracker of mrsne, with these lines; the same command with --debug shows the "
        "traceback."
    )


def _short(path: str) -> str:
    """Return a path that begins with the package: where it is installed does not belong in a report."""
    if path.startswith(PACKAGE):
        return "mrsne" + path.removeprefix(PACKAGE).replace("\\", "/")
    *_, inside = path.replace("\\", "/").split("/site-packages/")
    return inside if inside != path else inside.rpartition("/")[2]
