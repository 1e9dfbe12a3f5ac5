"""A file that keeps what takes long to compute: never needed, never trusted."""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterable
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import Any, Self

PATIENCE = 60  # seconds to wait for another process that writes
PRIVATE = 0o700  # of the folder: thumbnails of pictures that others may not see
CHECKSUM = 4  # bytes


class CacheError(ValueError):
    """What is given as the folder of a cache is not a folder."""


class CacheFile:
    """One table in one SQLite file of a folder.

    A cache saves time and is never needed: where its file is damaged, was written by something else, or the disk is
    full, nothing is raised, less is found or kept, and ``trouble`` says why.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    name : str
        Of the file.
    table : str
        Its name and columns, as SQL creates it. A file with any other table, a view or a trigger is not used.
    what : str
        What is kept, for messages.

    Attributes
    ----------
    trouble : str or None
        The first thing that went wrong, as a sentence for the user.
    reason : str or None
        The same in a few words, alike for all files that lie in one unusable folder.
    """

    def __init__(self, folder: str | os.PathLike[str], name: str, table: str, what: str) -> None:
        self.trouble: str | None = None
        self.reason: str | None = None
        self._what, self._table = what, table
        self._file = Path(folder) / name
        self._readable = self._writable = True
        self._database: sqlite3.Connection | None = None
        try:
            Path(folder).mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError, ValueError) as error:
            raise CacheError(
                f"the cache {os.fspath(folder)!r} cannot be used: it is not a folder; give another, or none"
            ) from error
        except OSError as error:
            self._give_up(error)
            return
        try:
            self._open()
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)

    def _open(self) -> None:
        if os.path.lexists(self._file) and not self._file.is_file():
            raise OSError("it is not a file")
        self._database = sqlite3.connect(self._file, timeout=PATIENCE)
        self._database.execute("PRAGMA trusted_schema = OFF")
        schema = "SELECT type, name, sql FROM sqlite_master ORDER BY name"
        if not self._database.execute(schema).fetchall():
            with self._database:
                self._database.execute(f"CREATE TABLE IF NOT EXISTS {self._table}")
        name = self._table.split()[0]
        expected = [("index", f"sqlite_autoindex_{name}_1", None), ("table", name, f"CREATE TABLE {self._table}")]
        # a view or a trigger in a file from elsewhere would run with every query
        if self._database.execute(schema).fetchall() != sorted(expected, key=itemgetter(1)):
            raise sqlite3.DatabaseError("it has other tables than this version of mrsne")

    def _give_up(self, error: Exception, reading: bool = True) -> None:
        self._writable = False
        self._readable = self._readable and not reading
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        self.note(f"cannot be {'used' if reading else 'written to'} ({error})", reason)

    def note(self, trouble: str, reason: str | None = None) -> None:
        """Remember what is wrong with the file, unless something was before."""
        if self.trouble is None:
            self.reason = reason or trouble
            self.trouble = (
                f"the cache {str(self._file)!r} {trouble}; {self._what} that it does not give are computed again. "
                "It can be deleted at any time"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what a query finds, or nothing."""
        if not self._readable or self._database is None:
            return []
        try:
            return self._database.execute(query, values).fetchall()
        except (sqlite3.Error, OverflowError, UnicodeError) as error:  # a damaged page, text that is not text
            self._give_up(error)
            return []

    def write(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Run a statement for each row, all in one step or not at all."""
        if not self._writable or self._database is None:
            return
        try:
            with self._database:
                self._database.executemany(statement, rows)
        except (sqlite3.Error, OverflowError) as error:
            self._give_up(error, reading=False)


def with_checksum(content: bytes) -> bytes:
    """Return some bytes with a checksum before them."""
    return zlib.crc32(content).to_bytes(CHECKSUM) + content


def content_of(stored: object) -> bytes | None:
    """Return what is behind a checksum, or None if it is not what was stored.

    Examples
    --------
    >>> content_of(with_checksum(b"whole")), content_of(with_checksum(b"whole")[:-1])
    (b'whole', None)
    """
    if not isinstance(stored, bytes) or zlib.crc32(stored[CHECKSUM:]).to_bytes(CHECKSUM) != stored[:CHECKSUM]:
        return None
    return stored[CHECKSUM:]
