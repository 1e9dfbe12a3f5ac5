"""Picture files into what a network and a map need of them, by several threads, and only what is not known yet."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mrsne.encoders.decoding import (
    PictureError,
    centre_crop,
    in_square,
    open_picture_file,
    read_picture,
    small_version,
)
from mrsne.encoders.file_cache import Known, Stamp, file_digest
from mrsne.encoders.thumbnail_cache import packed

Path = str | os.PathLike[str]


@dataclass
class Pixels:
    """What the network and the result need of one picture, or why there is nothing.

    Attributes
    ----------
    digest : bytes
        Of the file's content, where there is a cache.
    stamp : Stamp or None
        By which the file is known again, where it was read and has settled.
    crop, thumbnail : arrays or None
        None where they are not wanted, or in the cache.
    packed : bytes or None
        The thumbnail as the cache keeps it.
    problem : str
    """

    digest: bytes = b""
    stamp: Stamp | None = None
    crop: NDArray[np.uint8] | None = None
    thumbnail: NDArray[np.uint8] | None = None
    packed: bytes | None = None
    problem: str = ""


@dataclass(frozen=True)
class Wanted:
    """What is made of a picture, and what of it is there already.

    Attributes
    ----------
    side : int
        Of what the network takes.
    thumbnail_side : int or None
    cached : bool
        Whether there is a cache, so that digests are of use.
    vectors, thumbnails : sets of bytes
        Digests of the contents that the cache has them of.
    """

    side: int
    thumbnail_side: int | None
    cached: bool = False
    vectors: set[bytes] = field(default_factory=set)
    thumbnails: set[bytes] = field(default_factory=set)

    def is_known(self, digest: bytes) -> bool:
        """Return whether nothing has to be decoded for this content."""
        return digest in self.vectors and (self.thumbnail_side is None or digest in self.thumbnails)


def read_pixels(path: Path, wanted: Wanted) -> Pixels:
    """Decode a picture for what is wanted and not known."""
    digest = b""
    try:
        with open_picture_file(path) as file:  # once, so that what is decoded is what the digest is of
            digest, stamp = file_digest(file) if wanted.cached else (digest, None)
            if wanted.is_known(digest):
                return Pixels(digest, stamp)
            picture = read_picture(file)
    except PictureError as error:
        return Pixels(digest, problem=str(error))
    pixels = Pixels(digest, stamp)
    if digest not in wanted.vectors:
        pixels.crop = centre_crop(picture, wanted.side)
    if wanted.thumbnail_side is not None and digest not in wanted.thumbnails:
        small = small_version(picture, wanted.thumbnail_side)
        pixels.thumbnail = in_square(small, wanted.thumbnail_side)
        pixels.packed = packed(small) if wanted.cached else None
    return pixels


def unchanged(path: Path, known: Known | None) -> bytes | None:
    """Return the digest of a file that is as it was when it was read, without opening it."""
    if known is None:
        return None
    try:
        return known.content if str(Stamp.of(os.stat(path))) == known.stamp else None
    except (OSError, ValueError):
        return None


def read_ahead(
    paths: Sequence[Path], wanted: Wanted, known: Callable[[Path], Known | None], n_threads: int, most: int
) -> Iterator[Pixels]:
    """Read pictures by several threads, up to ``most`` ahead of the one that is asked for.

    The calling thread asks for what is ``known`` of a file: one that has not changed, and of which everything is in
    the cache, needs no other thread.
    """
    ahead: deque[Future[Pixels] | Pixels] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        for path in paths:
            digest = unchanged(path, known(path))
            if digest is not None and wanted.is_known(digest):
                ahead.append(Pixels(digest))
            else:
                ahead.append(pool.submit(read_pixels, path, wanted))
            if len(ahead) > most:
                yield _result(ahead.popleft())
        while ahead:
            yield _result(ahead.popleft())


def _result(pixels: Future[Pixels] | Pixels) -> Pixels:
    return pixels if isinstance(pixels, Pixels) else pixels.result()
