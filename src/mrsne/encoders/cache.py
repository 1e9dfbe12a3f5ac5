"""Vectors of pictures that were encoded before, found again by the content of their files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mrsne.encoders.cache_file import PRIVATE, CacheFile, content_of, with_checksum
from mrsne.encoders.decoding import DECODING

FILE = "vectors.sqlite"
TABLE = "vectors (model TEXT, content BLOB, vector BLOB, PRIMARY KEY (model, content))"
SMALLEST = 1e-3  # of a vector's largest number: below, half precision keeps too few digits


def default_cache() -> Path:
    """Return where the command line keeps what it computed of pictures: ``mrsne`` in the user's folder for caches."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(base) / "mrsne"


def usable_default_cache() -> Path | None:
    """Return that folder if something can be kept there, and None if not."""
    try:
        folder = default_cache()
        folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None


class VectorCache(CacheFile):
    """Vectors by content, model and the way pictures are decoded.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    model : str
        Vectors of another model are other vectors.
    width : int
        Numbers in a vector.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, VectorCache(folder, "model", 3) as cache:
    ...     cache.put([(b"digest", np.ones(3))])
    ...     cache.get(b"digest"), cache.get(b"other")
    (array([1., 1., 1.], dtype=float32), None)
    """

    def __init__(self, folder: str | os.PathLike[str], model: str, width: int) -> None:
        super().__init__(folder, FILE, TABLE, "vectors")
        self._model, self._width = f"{model} decoding={DECODING} checked", width

    def get(self, content: bytes) -> NDArray[np.float32] | None:
        """Return the vector of this content, if it is known and whole."""
        for (stored,) in self.rows("SELECT vector FROM vectors WHERE model = ? AND content = ?", self._model, content):
            vector = content_of(stored)
            if vector is not None and len(vector) == 2 * self._width:
                return np.frombuffer(vector, dtype=np.float16).astype(np.float32)
            self.note("has damaged vectors")
        return None

    def contents(self) -> set[bytes]:
        """Return the digests of all that is known for this model."""
        return {row[0] for row in self.rows("SELECT content FROM vectors WHERE model = ?", self._model)}

    def put(self, vectors: Iterable[tuple[bytes, NDArray[np.floating]]]) -> None:
        """Keep vectors in half precision, those that it holds."""
        rows = []
        for content, vector in vectors:
            half, holds = in_half_precision(np.asarray(vector, np.float32)[None])
            if holds[0]:
                rows.append((self._model, content, with_checksum(half[0].astype(np.float16).tobytes())))
        self.write("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)


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
