"""Writing files so that a crash, a full disk or a kill never costs the older one.

Everything is written to ``.NAME.xxxxxxxx.partial`` beside the file, which takes its place when it is complete, or all
that belong together are (``generation.py``). What a killed process leaves is removed by a later write of that file.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mrsne.data.files.generation import LONGEST_NAME, Generation, JournalError, finish, partial_pattern, sync_folder
from mrsne.regular_files import check_regular

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABANDONED = 3600  # seconds without a write, after which the writer of a partial file is taken for dead
OTHER_SURROGATES = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # all but those that stand for bytes of a file name

_complete: ContextVar[dict[Path, Path] | None] = ContextVar("complete", default=None)  # partial files, by target


class OutputError(OSError):
    """A file cannot be written where it should be."""


def write_atomically(path: str | os.PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """Let ``write`` fill a temporary file beside ``path``, then put it in place in one step, with the same permissions.

    Where ``path`` is a link, the file that it leads to is replaced; a folder, pipe or device is an IrregularFileError.
    """
    target = Path(os.path.realpath(path) if os.path.islink(path) else path)
    mode = _mode_of(target)
    try:
        for generation in _generations_in(target.parent):
            if target.name in (name for _, name, _ in generation.renamed) and finish(generation.journal) is not None:
                raise OutputError(f"an interrupted write of {target.name!r} cannot be completed")
        remove_abandoned(target)
        with _partial_file(target, write, mode) as partial:
            complete = _complete.get()
            if complete is None:
                os.replace(partial, target)
            else:
                complete[target] = partial
    except OSError as error:  # it names the partial file, or comes from a full disk and names none
        if error.errno is None:
            raise OSError(f"{os.fspath(path)!r} cannot be written ({error})") from error
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


@contextmanager
def _partial_file(target: Path, write: Callable[[IO[bytes]], object], mode: int | None = None) -> Iterator[Path]:
    """Yield a file that is filled and flushed; remove it where what follows fails."""
    partial = partial_of(target)
    try:
        with open(partial, "xb") as file:
            if mode is not None:
                os.chmod(partial, mode)
            write(file)
            file.flush()
            os.fsync(file.fileno())
        yield partial
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


@contextmanager
def one_generation(removed: Sequence[Path] = ()) -> Iterator[None]:
    """Put all files that are written meanwhile in place at the end, folder by folder, or none where one fails."""
    if _complete.get() is not None:  # a part of a larger one
        yield
        return
    complete: dict[Path, Path] = {}
    generations: list[Generation] = []
    token = _complete.set(complete)
    try:
        try:
            yield
        finally:
            _complete.reset(token)
        for folder in dict.fromkeys(target.parent for target in complete):
            partials = [(partial, target) for target, partial in complete.items() if target.parent == folder]
            generations.append(Generation.of(partials, [path for path in removed if path.parent == folder]))
        for generation in generations:
            _commit(generation)
        for generation in generations:
            generation.put_in_place()
    except BaseException:
        decided = {name for generation in generations if generation.is_current() for name, *_ in generation.renamed}
        for partial in complete.values():
            if partial.name not in decided:  # the others are put in place by whoever opens one of the files
                partial.unlink(missing_ok=True)
        raise


def _commit(generation: Generation) -> None:
    """Put the journal of a generation in place, unless a single rename does the same."""
    journal = generation.journal
    if len(generation.renamed) + len(generation.removed) == 1 or not generation.is_nameable():
        return
    sync_folder(journal.parent)
    remove_abandoned(journal)
    with _partial_file(journal, lambda file: file.write(generation.content())) as partial:
        try:
            os.link(partial, journal)  # unlike a rename, never over the journal of another writer
        except OSError:  # there is one, or there are no links on this disk
            if finish(journal) is not None:
                raise OutputError(f"an interrupted write of {journal.name!r} cannot be completed") from None
            os.replace(partial, journal)
        partial.unlink(missing_ok=True)
    sync_folder(journal.parent)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text as UTF-8, in one step; names of files that are not UTF-8 keep their bytes."""
    content = OTHER_SURROGATES.sub("\ufffd", text).encode("utf-8", "surrogateescape")
    write_atomically(path, lambda file: file.write(content))


def write_figure(path: str | os.PathLike[str], figure: Figure, **options: Any) -> None:
    """Write a figure of matplotlib, in one step, as .png, .svg or .pdf; options are those of ``Figure.savefig``."""
    kind = Path(path).suffix.lower().removeprefix(".")
    write_atomically(path, lambda file: figure.savefig(file, format=kind, **options))


def check_outputs(files: Iterable[Path], inputs: Sequence[Path] = (), option: str = "--output") -> None:
    """Raise, before anything is done, unless all these files can be written and none is an input."""
    for path in files:
        for other in inputs:
            if os.path.realpath(path) == os.path.realpath(other):
                raise OutputError(f"{option}: {str(path)!r} would overwrite what the command reads; give another name")
        try:
            if is_in_the_way(path):
                raise OutputError("there is something else than a file in its place")
            if path.exists() and not os.access(path, os.W_OK):
                raise OutputError("it is write-protected")
            folder = next(folder for folder in path.parents if folder.exists())
            if not folder.is_dir():
                raise OutputError(f"{str(folder)!r} is not a folder")
            for name in path.relative_to(folder).parts:
                with suppress(FileNotFoundError):
                    (folder / name).lstat()  # a name may be too long
            remove_abandoned(path)  # also where nothing will be written
            trial = partial_of(folder / path.name)
            trial.touch(exist_ok=False)
            trial.unlink()
        except OSError as error:
            raise OutputError(f"{option}: {str(path)!r} cannot be written ({reason_of(error)})") from error


def is_in_the_way(path: Path) -> bool:
    return path.exists() and not path.is_file()


def reason_of(error: Exception) -> str:
    """Return why something could not be written, without the name of the file."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


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


def partial_of(target: Path) -> Path:
    return target.with_name(f".{target.name[:LONGEST_NAME]}.{secrets.token_hex(4)}.partial")


def remove_abandoned(target: Path, folder: bool = False) -> None:
    """Remove partial files, or folders, whose writers are no longer alive, but for those of a journal."""
    ours = re.compile(partial_pattern(target.name))
    named = {partial for generation in _generations_in(target.parent) for partial, *_ in generation.renamed}
    with suppress(OSError):  # a folder that can be written to, but not listed
        for entry in os.scandir(target.parent):
            is_kind = entry.is_dir if folder else entry.is_file
            if entry.name not in named and ours.fullmatch(entry.name) and is_kind(follow_symlinks=False):
                with suppress(OSError):
                    if entry.stat().st_mtime < time.time() - ABANDONED:
                        shutil.rmtree(entry.path) if folder else os.unlink(entry.path)


def _generations_in(folder: Path) -> list[Generation]:
    found = []
    for journal in folder.glob("*.generation"):
        with suppress(JournalError):
            found.append(Generation.read(journal))
    return [generation for generation in found if generation is not None]
