"""Vectors of pictures that were encoded before, found again by the content of their files."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

FILE = "vectors.sqlite"
TABLE = "vectors (model TEXT, content BLOB, vector BLOB, PRIMARY KEY (model, content))"
SCHEMA = [("index", "sqlite_autoindex_vectors_1", None), ("table", "vectors", f"CREATE TABLE {TABLE}")]
PATIENCE = 60  # seconds to wait for another process that writes
SMALLEST = 1e-3  # of a vector's largest number: below, half precision keeps too few digits


def default_cache() -> Path:
    """Return where the command line keeps vectors: ``mrsne`` in the user's folder for caches."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(base) / "mrsne"


def usable_default_cache() -> Path | None:
    """Return that folder if something can be kept there, and None if not."""
    try:
        folder = default_cache()
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None


def content_hash(file: IO[bytes]) -> bytes:
    """Return a digest of an open file's content, and go back to its start."""
    digest = hashlib.file_digest(file, "sha256").digest()  # type: ignore[arg-type]
    file.seek(0)
    return digest


class CacheError(ValueError):
    """What is given as the folder of a cache is not a folder."""


class VectorCache:
    """Vectors by content and model, in one file of a folder.

    A cache saves time and is never needed: where its file is damaged, was written by something else, or the disk is
    full, nothing is raised, less is found or kept, and ``trouble`` says why.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    model : str
        Vectors of another model are other vectors.
    width : int
        Numbers in a vector.

    Attributes
    ----------
    trouble : str or None
        The first thing that went wrong, as a sentence for the user.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, VectorCache(folder, "model", 3) as cache:
    ...     cache.put([(b"digest", np.ones(3))])
    ...     cache.get(b"digest"), cache.get(b"other")
    (array([1., 1., 1.], dtype=float32), None)
    """

    def __init__(self, folder: str | os.PathLike[str], model: str, width: int) -> None:
        self.trouble: str | None = None
        self._model, self._width = model, width
        self._file = Path(folder) / FILE
        self._readable = self._writable = True
        self._database: sqlite3.Connection | None = None
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
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
                self._database.execute(f"CREATE TABLE IF NOT EXISTS {TABLE}")
        # a view or a trigger in a file from elsewhere would run with every query
        if self._database.execute(schema).fetchall() != SCHEMA:
            raise sqlite3.DatabaseError("it has other tables than this version of mrsne")

    def _give_up(self, error: Exception, reading: bool = True) -> None:
        self._writable = False
        self._readable = self._readable and not reading
        self._note(f"cannot be {'used' if reading else 'written to'} ({error})")

    def _note(self, trouble: str) -> None:
        if self.trouble is None:
            self.trouble = (
                f"the cache {str(self._file)!r} {trouble}; vectors that it does not give are computed again. "
                "It can be deleted at any time"
            )

    def __enter__(self) -> VectorCache:
        return self

    def __exit__(self, *error: object) -> None:
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        if not self._readable or self._database is None:
            return []
        try:
            return self._database.execute(query, values).fetchall()
        except (sqlite3.Error, OverflowError, UnicodeError) as error:  # a damaged page, text that is not text
            self._give_up(error)
            return []

    def get(self, content: bytes) -> NDArray[np.float32] | None:
        """Return the vector of this content, if it is known and whole."""
        for (stored,) in self._rows("SELECT vector FROM vectors WHERE model = ? AND content = ?", self._model, content):
            if isinstance(stored, bytes) and len(stored) == 2 * self._width:
                vector = np.frombuffer(stored, dtype=np.float16).astype(np.float32)
                if np.isfinite(vector).all():
                    return vector
            self._note("has damaged vectors")
        return None

    def contents(self) -> set[bytes]:
        """Return the digests of all that is known for this model."""
        return {row[0] for row in self._rows("SELECT content FROM vectors WHERE model = ?", self._model)}

    def put(self, vectors: Iterable[tuple[bytes, NDArray[np.floating]]]) -> None:
        """Keep vectors in half precision, those that it holds."""
        if not self._writable or self._database is None:
            return
        rows = []
        for content, vector in vectors:
            half, holds = in_half_precision(np.asarray(vector, np.float32)[None])
            if holds[0]:
                rows.append((self._model, content, half[0].astype(np.float16).tobytes()))
        try:
            with self._database:
                self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
        except sqlite3.Error as error:
            self._give_up(error, reading=False)


def in_half_precision(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return vectors rounded as a cache keeps them, and which are: very large and very small ones stay as they are.

    Examples
    --------
    >>> in_half_precision(np.array([[0.1, 1.0], [1e6, 1.0]], np.float32))
    (array([[9.9975586e-02, 1.0000000e+00],
           [1.0000000e+06, 1.0000000e+00]], dtype=float32), array([ True, False]))
    """
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    holds = (largest == 0) | ((largest >= SMALLEST) & (largest <= np.finfo(np.float16).max))
    rounded = vectors.copy()
    rounded[holds] = vectors[holds].astype(np.float16)
    return rounded, holds
