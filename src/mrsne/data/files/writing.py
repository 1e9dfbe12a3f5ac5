"""Writing files so that a crash, a full disk or a kill never costs the older one.

Everything is written to ``.NAME.xxxxxxxx.partial`` beside the file, which takes the place of the older one when it is
complete. What a killed process leaves behind is removed by the next one that writes the same file an hour later.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mrsne.regular_files import check_regular

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_NAME = 50  # characters of a file's name that its partial one repeats; names have at most 255 bytes
ABANDONED = 3600  # seconds without a write, after which the writer of a partial file is taken for dead
OTHER_SURROGATES = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # all but those that stand for bytes of a file name


class OutputError(OSError):
    """A file cannot be written where it should be."""


def write_atomically(path: str | os.PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """Let ``write`` fill a temporary file beside ``path``, then put it in place in one step.

    Where ``path`` is a link, the file that it leads to is replaced; a file that is replaced keeps its permissions.
    Anything else than a file in that place, a folder, a pipe or a device, is an IrregularFileError.
    """
    target = Path(os.path.realpath(path) if os.path.islink(path) else path)
    mode = _mode_of(target)
    _remove_abandoned(target)
    try:
        _write_and_replace(target, mode, write)
    except OSError as error:  # it names the partial file, or comes from a full disk and names none
        if error.errno is None:
            raise OSError(f"{os.fspath(path)!r} cannot be written ({error})") from error
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _write_and_replace(target: Path, mode: int | None, write: Callable[[IO[bytes]], object]) -> None:
    partial = _partial(target)
    try:
        with open(partial, "xb") as file:
            if mode is not None:
                os.chmod(partial, mode)
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text as UTF-8, in one step; names of files that are not UTF-8 keep their bytes."""
    content = OTHER_SURROGATES.sub("\ufffd", text).encode("utf-8", "surrogateescape")
    write_atomically(path, lambda file: file.write(content))


def write_figure(path: str | os.PathLike[str], figure: Figure, **options: Any) -> None:
    """Write a figure of matplotlib, in one step, as .png, .svg or .pdf; options are those of ``Figure.savefig``."""
    kind = Path(path).suffix.lower().removeprefix(".")
    write_atomically(path, lambda file: figure.savefig(file, format=kind, **options))


def check_outputs(files: Iterable[Path], inputs: Sequence[Path] = (), option: str = "--output") -> None:
    """Raise, before anything is done, unless all these files can be written; leave nothing behind.

    Folders that are not there will be made. What is read (``inputs``) must not be overwritten; ``option`` is the one
    that names these files.
    """
    for path in files:
        for other in inputs:
            if os.path.realpath(path) == os.path.realpath(other):
                raise OutputError(f"{option}: {str(path)!r} would overwrite what the command reads; give another name")
        try:
            if is_in_the_way(path):
                raise OutputError("there is something else than a file in its place")
            if path.exists() and not os.access(path, os.W_OK):
                raise OutputError("it is write-protected")
            with _folders_above(path):
                with suppress(FileNotFoundError):
                    path.lstat()  # a name may be too long
                trial = _partial(path)
                trial.touch(exist_ok=False)
                trial.unlink()
        except OSError as error:
            raise OutputError(f"{option}: {str(path)!r} cannot be written ({reason_of(error)})") from error


def is_in_the_way(path: Path) -> bool:
    """Return whether there is something at a path that is not a file: a folder, a pipe, a device."""
    return path.exists() and not path.is_file()


def reason_of(error: Exception) -> str:
    """Return why something could not be written, without the name of the file."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


@contextmanager
def _folders_above(path: Path) -> Iterator[None]:
    """Make the folders of a file that are not there, and remove them again."""
    missing = []
    folder = path.parent
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    if not folder.is_dir():
        raise OutputError(f"{str(folder)!r} is not a folder")
    made: list[Path] = []
    try:
        for folder in reversed(missing):
            folder.mkdir()
            made.append(folder)
        yield
    finally:
        for folder in reversed(made):
            with suppress(OSError):  # another program has put something there
                folder.rmdir()


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


def _partial(target: Path) -> Path:
    """Return a new name for a partial file."""
    return target.with_name(f".{target.name[:LONGEST_NAME]}.{secrets.token_hex(4)}.partial")


def _remove_abandoned(target: Path) -> None:
    """Remove the partial files of writers of ``target`` that are no longer alive."""
    ours = re.compile(rf"\.{re.escape(target.name[:LONGEST_NAME])}\.[0-9a-f]{{8}}\.partial")
    with suppress(OSError):  # a folder that can be written to, but not listed
        for entry in os.scandir(target.parent):
            if ours.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    if entry.stat().st_mtime < time.time() - ABANDONED:
                        os.unlink(entry.path)
