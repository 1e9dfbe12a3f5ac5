"""Picture files into vectors."""

from __future__ import annotations

import os
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrsne.compilation import thread_count
from mrsne.encoders.cache import VectorCache, content_hash, in_half_precision
from mrsne.encoders.decoding import PictureError, centre_crop, open_picture_file, read_picture, thumbnail
from mrsne.encoders.network import Network
from mrsne.encoders.networks import BUNDLED, load_network
from mrsne.parameters import ParameterError, check_integer, describe

Path = str | os.PathLike[str]


@dataclass
class Encoded:
    """What became of a list of pictures.

    Attributes
    ----------
    vectors : array of shape (n, d), float32
        NaN for pictures that cannot be read.
    problems : dict of int to str
        Why, for each of those, by position.
    thumbnails : array of shape (n, side, side, 4), uint8, or None
        Small versions, clear around the picture and where there is none.
    n_known : int
        How many vectors came from the cache.
    """

    vectors: NDArray[np.float32]
    problems: dict[int, str]
    thumbnails: NDArray[np.uint8] | None
    n_known: int


def encode_images(
    paths: Sequence[Path],
    *,
    model: Path = BUNDLED,
    batch_size: int = 32,
    cache: Path | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float32]:
    """Return a vector for each picture: similar pictures have similar vectors.

    Parameters
    ----------
    paths : list of paths
        JPEG, PNG, WebP, GIF, BMP or TIFF files. They are turned as the camera says; transparency is on white; of an
        animation the first frame counts.
    model : str or path, default="efficientnet-lite0"
        The bundled network (1,280 numbers for each picture), the path of an ONNX file that takes pictures
        (n, 3, side, side), or ``timm:NAME``, ``open_clip:NAME/WEIGHTS``, ``sentence-transformers:NAME``.
    batch_size : int, default=32
    cache : path, optional
        Folder that keeps vectors by the content of the files, so that a second run computes nothing. Where it cannot
        be read or written to, there is a warning, and vectors are computed.
    n_jobs : int, optional
        Threads. None uses all cores.

    Returns
    -------
    vectors : array of shape (n, d), float32

    Raises
    ------
    PictureError
        If a picture cannot be read; :func:`encode_pictures` goes on with the others.

    Examples
    --------
    >>> import tempfile, os
    >>> from PIL import Image
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "red.png")
    ...     Image.new("RGB", (64, 64), "red").save(path)
    ...     encode_images([path]).shape
    (1, 1280)
    """
    encoded = encode_pictures(paths, model=model, batch_size=batch_size, cache=cache, n_jobs=n_jobs)
    if encoded.problems:
        first, reason = next(iter(encoded.problems.items()))
        others = f", and {len(encoded.problems) - 1} more" if len(encoded.problems) > 1 else ""
        raise PictureError(f"{os.fspath(paths[first])!r} cannot be read: {reason}{others}")
    return encoded.vectors


def encode_pictures(
    paths: Sequence[Path],
    *,
    model: Path = BUNDLED,
    batch_size: int = 32,
    cache: Path | None = None,
    n_jobs: int | None = None,
    thumbnail_side: int | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Encoded:
    """Return vectors as :func:`encode_images` does, the reasons where there is none, and thumbnails if asked.

    Parameters
    ----------
    paths, model, batch_size, cache, n_jobs
        As for :func:`encode_images`.
    thumbnail_side : int, optional
        Also make small versions of this width and height, from the same decoding.
    progress : callable
        Called with how many pictures are done.
    """
    if isinstance(paths, (str, os.PathLike)):
        raise ParameterError(f"paths must be a list of paths, got one: {os.fspath(paths)!r}")
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise ParameterError(f"paths must be a list of paths, got {describe(path)} in it")
    check_integer("batch_size", batch_size, minimum=1)
    if thumbnail_side is not None:
        check_integer("thumbnail_side", thumbnail_side, minimum=1)
    network = load_network(model, n_jobs)
    width = network.encode(np.zeros((1, network.side, network.side, 3), np.uint8)).shape[1]
    vectors = np.full((len(paths), width), np.nan, np.float32)
    small = None
    if thumbnail_side is not None:
        small = np.zeros((len(paths), thumbnail_side, thumbnail_side, 4), np.uint8)
    result = Encoded(vectors, {}, small, 0)
    with nullcontext() if cache is None else VectorCache(cache, network.name, width) as vector_cache:
        _encode(paths, network, batch_size, n_jobs, result, vector_cache, progress)
    result.problems = dict(sorted(result.problems.items()))
    if vector_cache is not None and vector_cache.trouble is not None:
        warnings.warn(vector_cache.trouble, stacklevel=2)
    return result


@dataclass
class _Pixels:
    """What the network and the result need of one picture, or why there is nothing."""

    digest: bytes = b""
    crop: NDArray[np.uint8] | None = None
    thumbnail: NDArray[np.uint8] | None = None
    problem: str = ""


def _encode(
    paths: Sequence[Path],
    network: Network,
    batch_size: int,
    n_jobs: int | None,
    result: Encoded,
    cache: VectorCache | None,
    progress: Callable[[int], None],
) -> None:
    """Fill ``result`` with the vectors, thumbnails and problems of all pictures."""
    side = None if result.thumbnails is None else result.thumbnails.shape[1]
    digests = None if cache is None else cache.contents()
    batch: list[tuple[int, _Pixels]] = []
    for index, pixels in enumerate(_decode_ahead(paths, network.side, side, digests, n_jobs)):
        vector = None if cache is None or pixels.problem else cache.get(pixels.digest)
        if vector is None and pixels.crop is None and not pixels.problem:  # what the cache has of it is damaged
            pixels = _decode(paths[index], network.side, side, set())
        if result.thumbnails is not None and pixels.thumbnail is not None:
            result.thumbnails[index] = pixels.thumbnail
        if pixels.problem:
            result.problems[index] = pixels.problem
        elif vector is not None:
            result.vectors[index] = vector
            result.n_known += 1
        else:
            batch.append((index, pixels))
        if len(batch) == batch_size:
            _encode_batch(batch, network, cache, result)
            batch.clear()
        progress(index + 1)
    _encode_batch(batch, network, cache, result)


def _encode_batch(
    batch: Sequence[tuple[int, _Pixels]], network: Network, cache: VectorCache | None, result: Encoded
) -> None:
    crops = [pixels.crop for _, pixels in batch if pixels.crop is not None]
    if not crops:
        return
    vectors = network.encode(np.stack(crops))
    if cache is not None:
        cache.put((pixels.digest, vector) for (_, pixels), vector in zip(batch, vectors, strict=True))
        vectors = in_half_precision(vectors)[0]  # the same numbers whether they were kept or not
    for (index, _), vector in zip(batch, vectors, strict=True):
        if np.isfinite(vector).all():
            result.vectors[index] = vector
        else:
            result.problems[index] = "the model gives no finite vector for it"
            if result.thumbnails is not None:
                result.thumbnails[index] = 0


def _decode(path: Path, side: int, thumbnail_side: int | None, digests: set[bytes] | None) -> _Pixels:
    """Decode a picture, unless its vector is in the cache and no thumbnail is wanted; None is no cache."""
    try:
        with open_picture_file(path) as file:  # once, so that what is decoded is what the digest is of
            digest = b"" if digests is None else content_hash(file)
            if digests is not None and digest in digests and thumbnail_side is None:
                return _Pixels(digest)
            picture = read_picture(file)
    except PictureError as error:
        return _Pixels(problem=str(error))
    small = None if thumbnail_side is None else thumbnail(picture, thumbnail_side)
    return _Pixels(digest, centre_crop(picture, side), small)


def _decode_ahead(
    paths: Sequence[Path], side: int, thumbnail_side: int | None, digests: set[bytes] | None, n_jobs: int | None
) -> Iterator[_Pixels]:
    """Decode pictures by several threads, a few ahead of the one that is asked for."""
    workers = thread_count(n_jobs)
    ahead: deque[Future[_Pixels]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for path in paths:
            ahead.append(pool.submit(_decode, path, side, thumbnail_side, digests))
            if len(ahead) > 8 * workers:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
