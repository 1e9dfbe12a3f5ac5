"""The files that a command writes: tried before the work, and never lost after it."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

Writers = Mapping[Path, Callable[[Path], object]]


class OutputError(OSError):
    """A file cannot be written where it should be."""


def check_outputs(files: Iterable[Path], inputs: Sequence[Path] = (), option: str = "--output") -> None:
    """Raise, before anything is done, unless all these files can be written; leave nothing behind.

    Parameters
    ----------
    files : paths
        What the command will write; folders that are not there will be made.
    inputs : list of paths
        What it reads, and must not overwrite.
    option : str
        The one that names these files.
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
                with contextlib.suppress(FileNotFoundError):
                    path.lstat()  # a name may be too long
                trial = path.with_name(f".{path.name[:50]}.{secrets.token_hex(4)}.partial")
                with open(trial, "xb"):
                    pass
                trial.unlink()
        except OSError as error:
            raise OutputError(f"{option}: {str(path)!r} cannot be written ({_reason(error)})") from error


def is_in_the_way(path: Path) -> bool:
    """Return whether there is something at a path that is not a file: a folder, a pipe, a device."""
    return path.exists() and not path.is_file()


def check_map_output(path: Path, option: str = "--output") -> None:
    """Raise if there is something else where a map will be kept."""
    from mrsne.model.embedding import Embedding, EmbeddingFileError

    if path.is_file():
        try:
            Embedding.load(path)
        except EmbeddingFileError:
            raise OutputError(
                f"the map would be kept in {str(path)!r}, which is something else or damaged; "
                f"give another {option}, or delete it"
            ) from None


def write_outputs(writers: Writers) -> None:
    """Write files that belong together; where one cannot be written, write all of them elsewhere and say where.

    Parameters
    ----------
    writers : mapping of path to callable
        What writes each file when it is called with a path; the most important one first.
    """
    for path, write in writers.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path)
        except (OSError, ValueError) as error:
            if isinstance(error, ValueError) and not is_in_the_way(path):
                raise  # of what is written, not of where
            where = _written_elsewhere(writers)
            raise OutputError(f"{str(path)!r} cannot be written ({_reason(error)}); {where}") from error


def _written_elsewhere(writers: Writers) -> str:
    """Write files into a temporary folder, or else into one here or at home, and say what came of it."""
    for place in dict.fromkeys((tempfile.gettempdir(), os.getcwd(), os.path.expanduser("~"))):
        try:
            folder = Path(tempfile.mkdtemp(prefix="mrsne-", dir=place))
        except OSError:
            continue
        written = []
        for path, write in writers.items():
            with contextlib.suppress(OSError):
                write(folder / path.name)
                written.append(path.name)
        if len(written) == len(writers):
            return f"everything is in {str(folder)!r} instead"
        if written:
            return f"of {len(writers)} files, {', '.join(written)} could be written to {str(folder)!r} instead"
        folder.rmdir()
    return "and there is no other place to write it to"


@contextlib.contextmanager
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
            with contextlib.suppress(OSError):  # another program has put something there
                folder.rmdir()


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
