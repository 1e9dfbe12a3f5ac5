"""The content of files that have not changed since they were last read, without reading them again."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from typing import IO, NamedTuple

from mrsne.encoders.cache_file import CacheFile

FILE = "files.sqlite"
TABLE = "files (path BLOB, stamp TEXT, content BLOB, PRIMARY KEY (path))"
QUERY = "SELECT stamp, content FROM files WHERE path = ?"
SETTLED = 2_000_000_000  # nanoseconds: no file system's times are coarser (FAT: two seconds)


class Stamp(NamedTuple):
    """What the system notes of a file, and changes when somebody writes to it or puts another in its place.

    The time of the last change (``changed``) cannot be set by programs, as that of the last modification can; on
    Windows it is that of creation, and tells only files that were put in the place of others.
    """

    size: int
    modified: int
    changed: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """Return that of a file, as ``os.stat`` tells it."""
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)

    def __str__(self) -> str:
        return " ".join(map(str, self))


class Known(NamedTuple):
    """What was noted of a file when it was read, and the digest of its content then."""

    stamp: str
    content: bytes


def file_digest(file: IO[bytes]) -> tuple[bytes, Stamp | None]:
    """Return a digest of an open file's content, with a stamp by which it can be known again; go back to its start.

    There is no stamp while the file may change without a trace, as in git's index: when its times are less than two
    seconds old, a write that follows within the same tick of the clock would leave them as they are.
    """
    start = time.time_ns()
    before = Stamp.of(os.fstat(file.fileno()))
    digest = hashlib.file_digest(file, "sha256").digest()  # type: ignore[arg-type]
    after = Stamp.of(os.fstat(file.fileno()))
    file.seek(0)
    settled = before == after and max(after.modified, after.changed) < start - SETTLED
    return digest, after if settled else None


class FileCache(CacheFile):
    """Digests of files by path, as long as size, times and inode are the same.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, FileCache(folder) as cache:
    ...     cache.put([("dog.jpg", Stamp(1, 2, 3, 4), b"digest")])
    ...     cache.get("dog.jpg"), cache.get("cat.jpg")
    (Known(stamp='1 2 3 4', content=b'digest'), None)
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        super().__init__(folder, FILE, TABLE, "digests of files")

    def get(self, path: str | os.PathLike[str]) -> Known | None:
        """Return what is known of the file at a path."""
        key = _key(path)
        for stamp, content in [] if key is None else self.rows(QUERY, key):
            if isinstance(stamp, str) and isinstance(content, bytes):
                return Known(stamp, content)
            self.note("has damaged digests")
        return None

    def put(self, files: Iterable[tuple[str | os.PathLike[str], Stamp, bytes]]) -> None:
        """Keep digests of files."""
        keys = [(_key(path), str(stamp), content) for path, stamp, content in files]
        rows = [row for row in keys if row[0] is not None]
        self.write("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", rows)


def _key(path: str | os.PathLike[str]) -> bytes | None:
    """Return a path as bytes, which the names of files are; None where no file can have the name."""
    try:
        return os.fsencode(os.path.abspath(path))
    except ValueError:
        return None
