"""Vectors of files that were encoded before, found again by what is in them."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray


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
    """A folder cannot keep vectors."""


class VectorCache:
    """A table of vectors by content and model, in one file of a folder.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    model : str
        Vectors of another model are other vectors.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, VectorCache(folder, "model") as cache:
    ...     cache.put([(b"digest", np.ones(3))])
    ...     cache.get(b"digest"), cache.get(b"other")
    (array([1., 1., 1.], dtype=float32), None)
    """

    def __init__(self, folder: str | os.PathLike[str], model: str) -> None:
        self._model = model
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(Path(folder) / "vectors.sqlite", timeout=60)
            self._create()
        except (OSError, sqlite3.Error) as error:
            raise CacheError(
                f"the cache {str(folder)!r} cannot be used ({error}); give another folder, or none"
            ) from error

    def _create(self) -> None:
        with self._file:
            self._file.execute(
                "CREATE TABLE IF NOT EXISTS vectors "
                "(model TEXT, content BLOB, vector BLOB, PRIMARY KEY (model, content))"
            )

    def __enter__(self) -> VectorCache:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def get(self, content: bytes) -> NDArray[np.float32] | None:
        """Return the vector of this content, if it is known."""
        query = "SELECT vector FROM vectors WHERE model = ? AND content = ?"
        row = self._file.execute(query, (self._model, content)).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float16).astype(np.float32)

    def contents(self) -> set[bytes]:
        """Return the digests of all that is known for this model."""
        return {row[0] for row in self._file.execute("SELECT content FROM vectors WHERE model = ?", (self._model,))}

    def put(self, vectors: Iterable[tuple[bytes, NDArray[np.floating]]]) -> None:
        """Keep vectors, in half precision."""
        rows = [(self._model, content, np.asarray(vector, np.float16).tobytes()) for content, vector in vectors]
        with self._file:
            self._file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
