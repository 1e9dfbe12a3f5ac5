"""Everything that is kept of pictures in one folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from mrsne.encoders.cache import VectorCache
from mrsne.encoders.file_cache import FileCache
from mrsne.encoders.reading import Pixels
from mrsne.encoders.thumbnail_cache import ThumbnailCache


class PictureCaches:
    """Vectors, thumbnails and the digests of files, each in a file of its own.

    Parameters
    ----------
    folder : path
    model : str
    width : int
        Numbers in a vector.
    side : int or None
        Of thumbnails, if they are wanted.
    """

    def __init__(self, folder: str | os.PathLike[str], model: str, width: int, side: int | None) -> None:
        self.vectors = VectorCache(folder, model, width)
        self.thumbnails = None if side is None else ThumbnailCache(folder, side)
        self.files = FileCache(folder)
        self._all = [cache for cache in (self.vectors, self.thumbnails, self.files) if cache is not None]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for cache in self._all:
            cache.__exit__()

    def troubles(self) -> list[str]:
        """Return a sentence for everything that went wrong, once where one thing is wrong with the whole folder."""
        by_reason = {cache.reason: cache.trouble for cache in reversed(self._all) if cache.trouble is not None}
        return [trouble for trouble in reversed(by_reason.values()) if trouble is not None]

    def put(
        self,
        paths: Iterable[str | os.PathLike[str]],
        pixels: Iterable[Pixels],
        vectors: Iterable[tuple[bytes, NDArray[np.floating]]],
    ) -> None:
        """Keep what was learned of some pictures."""
        read = list(zip(paths, pixels, strict=True))
        self.vectors.put(vectors)
        if self.thumbnails is not None:
            self.thumbnails.put((each.digest, each.packed) for _, each in read if each.packed is not None)
        self.files.put((path, each.stamp, each.digest) for path, each in read if each.stamp is not None)
