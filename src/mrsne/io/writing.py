"""Writing files so that a crash, a full disk or a kill never costs the older one.

Everything is written to ``.NAME.xxxxxxxx.partial`` beside the file, which takes the place of the older one when it is
complete. What a killed process leaves behind is removed by the next one that writes the same file. That one knows by
a lock, which the system gives up when a process ends, however it ends: a file that is locked has a living writer and
stays. Where a file system has no locks, nothing is removed. On Windows, a file that a process has open cannot be.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mrsne.io.regular_files import check_regular

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_NAME = 50  # characters of a file's name that its partial one repeats; names have at most 255 bytes
OTHER_SURROGATES = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # all but those that stand for bytes of a file name
NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
OLD = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def write_atomically(path: str | os.PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """Let ``write`` fill a temporary file beside ``path``, then put it in place in one step.

    Where ``path`` is a link, the file that it leads to is replaced; a file that is replaced keeps its permissions.

    Raises
    ------
    IrregularFileError
        If there is something else than a file in that place: a folder, a pipe, a device.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = pathlib.Path(folder, "greeting.txt")
    ...     write_atomically(target, lambda file: file.write(b"hello"))
    ...     target.read_text()
    'hello'
    """
    target = Path(os.path.realpath(path) if os.path.islink(path) else path)
    mode = _mode_of(target)
    _remove_leftovers(target)
    try:
        _write_partial(target, mode, write)
    except OSError as error:  # of a partial file that nobody knows, or of a disk that is full without saying which
        if error.errno is None:
            raise OSError(f"{os.fspath(path)!r} cannot be written ({error})") from error
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _write_partial(target: Path, mode: int | None, write: Callable[[IO[bytes]], object]) -> None:
    descriptor, partial = _create(target, 0o666 if mode is None else mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if mode is not None:
                os.chmod(partial, mode)
            write(file)
            file.flush()
            os.fsync(file.fileno())
            if sys.platform != "win32":
                os.replace(partial, target)  # as long as it is locked, or the next writer might take it for a leftover
        if sys.platform == "win32":
            os.replace(partial, target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text as UTF-8, in one step; names of files that are not UTF-8 keep their bytes."""
    content = OTHER_SURROGATES.sub("\ufffd", text).encode("utf-8", "surrogateescape")
    write_atomically(path, lambda file: file.write(content))


def write_figure(path: str | os.PathLike[str], figure: Figure, **options: Any) -> None:
    """Write a figure of matplotlib, in one step, in the format of the path's ending.

    Parameters
    ----------
    path : path
        Ends in .png, .svg or .pdf.
    figure : matplotlib.figure.Figure
    **options
        Of :meth:`matplotlib.figure.Figure.savefig`, such as ``dpi``.
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    write_atomically(path, lambda file: figure.savefig(file, format=kind, **options))


def _mode_of(target: Path) -> int | None:
    """Return the permissions of the file that is to be replaced, or None if there is none."""
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    check_regular(target, found.st_mode)
    if not os.access(target, os.W_OK):
        raise PermissionError(f"{str(target)!r} is write-protected")
    return stat.S_IMODE(found.st_mode)


def _create(target: Path, mode: int) -> tuple[int, Path]:
    """Open a new partial file and lock it."""
    while True:
        partial = target.with_name(f".{target.name[:LONGEST_NAME]}.{secrets.token_hex(4)}.partial")
        descriptor = os.open(partial, NEW, mode)
        if _lock(descriptor) is not False and os.fstat(descriptor).st_nlink:
            return descriptor, partial
        os.close(descriptor)  # another writer saw it before it was locked, and removes it


def _remove_leftovers(target: Path) -> None:
    """Remove the partial files of writers of ``target`` that are no longer alive."""
    ours = re.compile(rf"\.{re.escape(target.name[:LONGEST_NAME])}\.[0-9a-f]{{8}}\.partial")
    try:
        leftovers = [entry.path for entry in os.scandir(target.parent) if ours.fullmatch(entry.name)]
    except OSError:
        return  # a folder that can be written to, but not listed
    for leftover in leftovers:
        with suppress(OSError):
            if sys.platform == "win32":
                os.unlink(leftover)
                continue
            descriptor = os.open(leftover, OLD)
            try:
                if stat.S_ISREG(os.fstat(descriptor).st_mode) and _lock(descriptor):
                    os.unlink(leftover)
            finally:
                os.close(descriptor)


def _lock(descriptor: int) -> bool | None:
    """Lock an open file: whether that was possible, or None where there are no locks."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
