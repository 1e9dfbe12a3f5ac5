"""Picture files into what a network and a map need of them: from the cache, or decoded by several threads."""

import io
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from mrsne.arrays import Float32, UInt8
from mrsne.encoders import decoding
from mrsne.encoders.cache import Cache, KnownFile, file_digest, file_entry, known_file

Path: TypeAlias = str | os.PathLike[str]
SMALLEST = 1e-3  # of a vector's largest number: below, half precision keeps too few digits
MOST_KEPT = 256  # pictures between two writes to the cache, each of which waits for the disk


@dataclass
class Pixels:
    """What the network and the result need of one picture, or why there is nothing."""

    path: Path
    digest: bytes = b""  # of the file's content, where there is a cache
    stamp: bytes | None = None  # by which the file is recognised, if that is new
    crop: UInt8 | None = None  # what the network takes; None where the vector is in the cache
    vector: Float32 | None = None  # from the cache, or what the network makes of the crop
    thumbnail: UInt8 | None = None
    packed: bytes | None = None  # the thumbnail as the cache keeps it, if that is new
    problem: str = ""


class PictureCache:
    """The vectors of one model and the thumbnails of one width in a cache, by the digests of files.

    Thumbnails are kept without loss as WebP: one of 96 × 72 pixels takes 11 kB (12 as PNG, 21 uncompressed) and 0.5 ms.
    """

    def __init__(self, cache: Cache, model: str, width: int, side: int | None) -> None:
        self.cache = cache
        self._width, self._side = width, side
        self._vectors = f"vectors of {model} decoding={decoding.DECODING}"
        self._thumbnails = f"thumbnails of {side} decoding={decoding.DECODING}"
        self.known_vectors = cache.keys(self._vectors)
        self.known_thumbnails = set() if side is None else cache.keys(self._thumbnails)

    def vector(self, digest: bytes) -> Float32 | None:
        stored = self.cache.get(self._vectors, digest)
        if stored is None:
            return None
        if len(stored) != 2 * self._width:
            self.cache.note_damage(self._vectors)
            return None
        return np.frombuffer(stored, dtype=np.float16).astype(np.float32)

    def thumbnail(self, digest: bytes) -> UInt8 | None:
        stored = self.cache.get(self._thumbnails, digest)
        if stored is None or self._side is None:
            return None
        try:
            with decoding.open_picture(io.BytesIO(stored)) as picture:
                if max(picture.size) > self._side:
                    raise decoding.PictureError("too large")
                return decoding.in_square(picture.convert("RGB"), self._side)
        except decoding.PictureError:
            self.cache.note_damage(self._thumbnails)
            return None

    def put(self, pictures: Iterable[Pixels]) -> None:
        """Keep what is new of some pictures; a vector only if half precision holds it exactly."""
        entries = []
        for pixels in pictures:
            if pixels.packed is not None:
                entries.append((self._thumbnails, pixels.digest, pixels.packed))
            if pixels.stamp is not None:
                entries.append(file_entry(pixels.path, pixels.digest, pixels.stamp))
            if pixels.crop is not None and pixels.vector is not None:
                with np.errstate(over="ignore"):
                    half = pixels.vector.astype(np.float16)
                if np.array_equal(half, pixels.vector):
                    entries.append((self._vectors, pixels.digest, half.tobytes()))
        self.cache.put(entries)


def in_half_precision(vectors: Float32) -> Float32:
    """Return vectors rounded to what half precision holds, but for those with too large or too small numbers for it."""
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    fits = (largest == 0) | ((largest >= SMALLEST) & (largest <= np.finfo(np.float16).max))
    rounded = vectors.copy()
    rounded[fits] = vectors[fits].astype(np.float16)
    return rounded


@dataclass(frozen=True)
class PictureReader:
    """Reads pictures for a network that takes squares of this side, with thumbnails if they are wanted."""

    side: int
    thumbnail_side: int | None
    cache: PictureCache | None

    def read_ahead(self, paths: Sequence[Path], n_threads: int, most: int) -> Iterator[Pixels]:
        """Read pictures by several threads, up to ``most`` ahead of the one that is asked for.

        Only the calling thread uses the cache; an unchanged file of which everything is kept needs no other thread.
        """
        ahead: deque[Future[Pixels] | Pixels] = deque()
        with ThreadPoolExecutor(n_threads) as pool:
            for path in paths:
                known = None if self.cache is None else known_file(path, self.cache.cache)
                if known is not None and not any(self._missing(known.digest)) and known.is_at(path):
                    ahead.append(Pixels(path, known.digest))
                else:
                    ahead.append(pool.submit(self._decoded, path, known))
                if len(ahead) > most:
                    yield self._whole(ahead.popleft())
            while ahead:
                yield self._whole(ahead.popleft())

    def _missing(self, digest: bytes) -> tuple[bool, bool]:
        """Return whether the cache lacks the vector of this content, and whether a thumbnail that is wanted."""
        if self.cache is None:
            return True, self.thumbnail_side is not None
        vector, thumbnail = digest not in self.cache.known_vectors, digest not in self.cache.known_thumbnails
        return vector, thumbnail and self.thumbnail_side is not None

    def _decoded(self, path: Path, known: KnownFile | None, again: bool = False) -> Pixels:
        """Decode a picture for what is not in the cache, or, again, for everything."""
        pixels, small = Pixels(path), None
        try:
            with decoding.open_picture_file(path) as file:  # once, so that what is decoded is what the digest is of
                if self.cache is not None:
                    pixels.digest, pixels.stamp = file_digest(file, known)
                vector, thumbnail = (True, True) if again else self._missing(pixels.digest)
                if not vector and not thumbnail:
                    return pixels
                with decoding.decoded_picture(file) as picture:
                    if vector:
                        pixels.crop = decoding.centre_crop(picture, self.side)
                    if thumbnail and self.thumbnail_side is not None:
                        small = decoding.small_version(picture, self.thumbnail_side)
        except decoding.PictureError as error:
            return Pixels(path, pixels.digest, problem=str(error))
        if small is not None and self.thumbnail_side is not None:
            pixels.thumbnail = decoding.in_square(small, self.thumbnail_side)
            if self.cache is not None:
                packed = io.BytesIO()
                small.save(packed, "WEBP", lossless=True, method=0, quality=0)
                pixels.packed = packed.getvalue()
        return pixels

    def _whole(self, read: Future[Pixels] | Pixels) -> Pixels:
        """Return what was decoded together with what is in the cache, or decode all if that is damaged."""
        pixels = read if isinstance(read, Pixels) else read.result()
        if self.cache is None or pixels.problem:
            return pixels
        if pixels.thumbnail is None and self.thumbnail_side is not None:
            pixels.thumbnail = self.cache.thumbnail(pixels.digest)
        if pixels.crop is None:
            pixels.vector = self.cache.vector(pixels.digest)
        no_vector = pixels.crop is None and pixels.vector is None
        no_thumbnail = pixels.thumbnail is None and self.thumbnail_side is not None
        return self._decoded(pixels.path, None, again=True) if no_vector or no_thumbnail else pixels


def picture_digests(paths: Iterable[Path], cache: Cache) -> list[bytes]:
    """Return digests of pictures as encoding them does: only what may have changed is read, what cannot be is b""."""
    digests = []
    entries: list[tuple[str, bytes, bytes]] = []
    try:
        for path in paths:
            known = known_file(path, cache)
            digest, stamp = b"", None
            if known is not None and known.is_at(path):
                digest = known.digest
            else:
                with suppress(decoding.PictureError), decoding.open_picture_file(path) as file:
                    digest, stamp = file_digest(file)
            if stamp is not None:
                entries.append(file_entry(path, digest, stamp))
            digests.append(digest)
            if len(entries) == MOST_KEPT:
                cache.put(entries)
                entries = []
    finally:  # of an interrupt as well: what was read need not be read again
        cache.put(entries)
    return digests
