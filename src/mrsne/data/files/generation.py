"""Files that belong together change together: a map, its data, its table of coordinates and its page.

Every file of a generation is written under a partial name first. Then one small journal is put in place,
``.map.generation``, which says which partial file becomes which file, with its digest: that moment decides. What is
left to do is to rename; what opens one of the files next does that where the writer was stopped.

A journal can come from a stranger, with a folder: it names only files beside itself, with the names of a map's files,
renames only partial files whose digest it knows, follows no link, and removes only the list of what was left out.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mrsne.regular_files import open_regular

FORMAT = 1
LARGEST = 2**20  # bytes of a journal
LONGEST_NAME = 50  # characters of a file's name that its partial one repeats; names have at most 255 bytes
BESIDE = DATA, COORDINATES, LEFT_OUT = (".data.npz", ".coordinates.csv", ".left-out.csv")  # what lies beside a map
TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
ENDINGS = ("", ".npz", *TABLES, ".json", ".html", ".htm", ".png", ".svg", ".pdf")


class JournalError(ValueError):
    """A journal is damaged, or what it names is not there."""


def data_beside(path: str | os.PathLike[str]) -> Path:
    return Path(path).with_suffix(DATA)


def coordinates_beside(path: Path) -> Path:
    return path.with_suffix(COORDINATES)


def left_out_beside(path: Path) -> Path:
    return path.with_suffix(LEFT_OUT)


def journal_of(path: Path) -> Path:
    """Return where the journal of a file's generation is: the same for a map and for all that lies beside it."""
    known = next((end for end in BESIDE if path.name.endswith(end) and path.name != end), path.suffix)
    stem = path.name.removesuffix(known)
    name = stem if len(os.fsencode(stem)) <= 200 else hashlib.sha256(os.fsencode(stem)).hexdigest()
    return path.with_name(f".{name}.generation")


def partial_pattern(target: str) -> str:
    return rf"\.{re.escape(target[:LONGEST_NAME])}\.[0-9a-f]{{8}}\.partial"


@dataclass(frozen=True)
class Generation:
    """Files to be put in place together, by names in the folder of their journal."""

    journal: Path
    renamed: tuple[tuple[str, str, str], ...]  # partial file, target, and digest of the content
    removed: tuple[tuple[str, str], ...] = ()  # what the new generation no longer has, and its digest

    @classmethod
    def of(cls, partials: Iterable[tuple[Path, Path]], removed: Iterable[Path] = ()) -> Generation:
        """Return the generation of partial files that are complete, and of what goes away with the old one."""
        pairs = list(partials)
        renamed = tuple((partial.name, target.name, digest_of(partial) or "") for partial, target in pairs)
        gone = tuple((path.name, digest) for path in removed if (digest := digest_of(path)) is not None)
        return cls(journal_of(pairs[0][1]), renamed, gone)

    def content(self) -> bytes:
        return json.dumps({"format": FORMAT, "files": self.renamed, "removed": self.removed}).encode()

    @classmethod
    def read(cls, journal: Path) -> Generation | None:
        try:
            if not stat.S_ISREG(os.lstat(journal).st_mode):
                raise JournalError("it is not a file")
            with open_regular(journal) as file:
                found = json.loads(file.read(LARGEST))
            renamed = tuple((str(partial), str(target), str(digest)) for partial, target, digest in found["files"])
            removed = tuple((str(name), str(digest)) for name, digest in found["removed"])
            known = found["format"] == FORMAT
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise JournalError(f"it does not say which files ({error})") from error
        generation = cls(journal, renamed, removed)
        if not known or not generation.is_nameable():
            raise JournalError("it names what no journal may name, or is of another version")
        return generation

    def is_nameable(self) -> bool:
        """Return whether a journal may name these files: files of one map, or tables, in one folder."""

        def may_be_written(target: str) -> bool:
            own = journal_of(self.journal.with_name(target)) == self.journal
            plain = Path(target).name == target and not {"/", "\0"} & set(target)
            return plain and Path(target).suffix.lower() in (ENDINGS if own else TABLES)

        names = [target for _, target, _ in self.renamed]
        partial = all(re.fullmatch(partial_pattern(target), name) for name, target, _ in self.renamed)
        left_out = all(name.endswith(LEFT_OUT) and may_be_written(name) for name, _ in self.removed)
        return partial and left_out and all(map(may_be_written, names)) and len(set(names)) == len(names) > 0

    def check(self) -> None:
        """Raise unless the new content of every file is there, under its partial name or in its place already."""
        for partial, target, digest in self.renamed:
            place = self.journal.with_name(target)
            if os.path.islink(place):
                raise JournalError(f"{target!r} is a link")
            if digest not in (digest_of(self.journal.with_name(partial)), digest_of(place)):
                raise JournalError(f"the new content of {target!r} is not there")

    def is_current(self) -> bool:
        """Return whether the journal is still the one of this generation, and not gone, or of a later one."""
        try:
            return self.journal.read_bytes() == self.content()
        except FileNotFoundError:
            return False
        except OSError:  # nobody knows, so nothing that it may name is removed
            return True

    def put_in_place(self) -> None:
        """Rename the files, and remove the journal; another process may do the same at the same moment."""
        for partial, target, digest in self.renamed:
            place = self.journal.with_name(target)
            try:
                os.replace(self.journal.with_name(partial), place)
            except FileNotFoundError:
                if digest_of(place) != digest and self.is_current():
                    raise
        for name, digest in self.removed:
            if digest_of(self.journal.with_name(name)) == digest:
                self.journal.with_name(name).unlink(missing_ok=True)
        sync_folder(self.journal.parent)
        with suppress(OSError):  # what is left would be found to be done
            if self.is_current():
                self.journal.unlink(missing_ok=True)


def finish(journal: Path) -> Generation | None:
    """Put a generation in place whose writer was stopped, unless its journal is damaged; return it where that fails."""
    if not os.path.lexists(journal):
        return None
    generation = None
    try:
        generation = Generation.read(journal)
        if generation is None:
            return None
        generation.check()
    except JournalError as error:
        if os.path.lexists(journal) and (generation is None or generation.is_current()):
            _warn(f"{str(journal)!r} is ignored ({error}); the files beside it are what they were before")
        return None
    try:
        generation.put_in_place()
    except OSError:
        return generation
    _warn(f"an interrupted write of {str(journal.with_name(generation.renamed[0][1]))!r} was completed")
    return None


def current(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return where the content of a file is, perhaps under its partial name, completing an interrupted write of it."""
    real = Path(os.path.realpath(path) if os.path.islink(path) else os.fsdecode(path))
    left = finish(journal_of(real)) if real.name else None
    for partial, target, digest in () if left is None else left.renamed:
        if target == real.name and digest_of(real.with_name(partial)) == digest:
            _warn(f"a write of {os.fspath(path)!r} cannot be completed here, so its new content is read beside it")
            return real.with_name(partial)
    return path


def digest_of(path: Path) -> str | None:
    """Return a digest of a file; None where there is none, or something else, a link for example."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def sync_folder(folder: Path) -> None:
    """Let names in a folder survive a loss of power, where the system can do that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=4)
