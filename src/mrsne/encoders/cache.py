"""A folder that keeps what takes long to compute (vectors, thumbnails, digests, maps): never needed, never trusted."""

import hashlib
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from mrsne.parameters import MrsneError

FILE = "cache.sqlite"
TABLE = "entries (kind TEXT, key BLOB, content BLOB, PRIMARY KEY (kind, key))"
FILES = "digests of files"  # the kind of entries that hold them
PATIENCE = 60  # seconds to wait for another process that writes
PRIVATE = 0o700  # permissions of the folder: thumbnails of pictures that others may not see
CHECKSUM = 4  # bytes, of CRC-32
DIGEST = 32  # bytes, of SHA-256
SETTLED = 2_000_000_000  # nanoseconds: no file system's times are coarser (FAT: two seconds)
FAILURES = (sqlite3.Error, OverflowError, UnicodeError)  # a damaged page, a full disk, text that is not text


class CacheError(MrsneError, ValueError):
    """What is given as the folder of a cache is not a folder."""


def usable_default_cache() -> Path | None:
    """Return ``mrsne`` in the user's folder for caches, where the command line keeps vectors; None if it cannot."""
    try:
        base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
        folder = Path(base) / "mrsne"
        folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None


class Cache:
    """Contents by kind and key, in one SQLite file of a folder, which is made if it is not there.

    Nothing is raised where that file is damaged or cannot be written: less is found or kept, and ``trouble`` is a
    sentence for the user about what went wrong first. Several processes may use it.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.trouble: str | None = None
        self._file = Path(folder) / FILE
        self._database: sqlite3.Connection | None = None
        self._writable = True
        try:
            Path(folder).mkdir(mode=PRIVATE, parents=True, exist_ok=True)
            self._open()
        except (FileExistsError, NotADirectoryError, ValueError) as error:
            raise CacheError(
                f"the cache {os.fspath(folder)!r} cannot be used: it is not a folder; give another, or none"
            ) from error
        except (OSError, sqlite3.Error) as error:
            self._close(error)

    def _open(self) -> None:
        if os.path.lexists(self._file) and not self._file.is_file():
            raise OSError("it is not a file")
        self._database = sqlite3.connect(self._file, timeout=PATIENCE)
        self._database.execute("PRAGMA trusted_schema = OFF")
        schema = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"
        if not self._database.execute(schema).fetchall():
            self._database.execute(f"CREATE TABLE IF NOT EXISTS {TABLE}")  # another process may just have made it
        # a view or a trigger in a file from elsewhere would run with every query
        if self._database.execute(schema).fetchall() != [(f"CREATE TABLE {TABLE}",)]:
            raise sqlite3.DatabaseError("it has other tables than this version of mrsne")

    def _close(self, error: Exception | None = None) -> None:
        if error is not None:
            self._note(f"cannot be used ({error})")
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
        self._database = None

    def _note(self, trouble: str) -> None:
        if self.trouble is None:
            self.trouble = (
                f"the cache {str(self._file)!r} {trouble}; what is missing there is computed again. "
                "It can be deleted at any time"
            )

    def note_damage(self, kind: str) -> None:
        """Remember that contents of a kind are not what they should be."""
        self._note(f"has damaged {kind.split()[0]}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return [] if self._database is None else self._database.execute(query, values).fetchall()
        except FAILURES as error:
            self._close(error)
            return []

    def get(self, kind: str, key: bytes) -> bytes | None:
        """Return a content if it is there and whole."""
        for (stored,) in self._rows("SELECT content FROM entries WHERE kind = ? AND key = ?", kind, key):
            if isinstance(stored, bytes) and stored == with_checksum(stored[CHECKSUM:]):
                return stored[CHECKSUM:]
            self.note_damage(kind)
        return None

    def keys(self, kind: str) -> set[bytes]:
        return {key for (key,) in self._rows("SELECT key FROM entries WHERE kind = ?", kind)}

    def put(self, entries: Iterable[tuple[str, bytes, bytes]]) -> None:
        """Keep contents, given with their kinds and keys: all in one step, or none."""
        if self._database is None or not self._writable:
            return
        rows = [(kind, key, with_checksum(content)) for kind, key, content in entries]
        try:
            with self._database:
                self._database.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", rows)
        except FAILURES as error:
            self._writable = False
            self._note(f"cannot be written to ({error})")


def with_checksum(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(CHECKSUM) + content


class KnownFile(NamedTuple):
    """The digest of a file's content, and its stamp when it was read."""

    digest: bytes
    stamp: bytes

    def is_at(self, path: str | os.PathLike[str]) -> bool:
        """Return whether the file at a path is still the same, without opening it."""
        try:
            return stamp_of(os.stat(path)) == self.stamp
        except (OSError, ValueError):
            return False


def stamp_of(status: os.stat_result) -> bytes:
    """Return what changes with a file and is known without opening it; no program can set ``ctime`` back."""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}".encode()


def file_digest(file: IO[bytes], known: KnownFile | None = None) -> tuple[bytes, bytes | None]:
    """Return a digest of an open file, and a stamp to recognise it by if there is a new one; rewind the file.

    An unchanged file is not read. As in git's index, there is no stamp while the file's times are so young that another
    write within the same tick of the clock would not change them.
    """
    start = time.time_ns()
    before = os.fstat(file.fileno())
    if known is not None and stamp_of(before) == known.stamp:
        return known.digest, None
    digest = hashlib.file_digest(file, "sha256").digest()  # type: ignore[arg-type]
    after = stamp_of(os.fstat(file.fileno()))
    file.seek(0)
    settled = stamp_of(before) == after and max(before.st_mtime_ns, before.st_ctime_ns) < start - SETTLED
    return digest, after if settled else None


def known_file(path: str | os.PathLike[str], cache: Cache) -> KnownFile | None:
    """Return what is known of the file at a path from when it was last read."""
    try:
        content = cache.get(FILES, path_key(path))
    except ValueError:  # not a name that a file can have
        return None
    return None if content is None else KnownFile(content[:DIGEST], content[DIGEST:])


def file_entry(path: str | os.PathLike[str], digest: bytes, stamp: bytes) -> tuple[str, bytes, bytes]:
    """Return what a cache is to keep of a file that was read, for ``Cache.put``."""
    return FILES, path_key(path), digest + stamp


def path_key(path: str | os.PathLike[str]) -> bytes:
    """Return an absolute path as bytes, which the names of files are."""
    return os.fsencode(os.path.abspath(path))
