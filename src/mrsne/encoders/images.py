"""Picture files into vectors."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mrsne.encoders.cache import in_half_precision
from mrsne.encoders.caches import PictureCaches
from mrsne.encoders.decoding import PictureError
from mrsne.encoders.file_cache import Known
from mrsne.encoders.network import Network
from mrsne.encoders.networks import BUNDLED, load_network
from mrsne.encoders.reading import Pixels, Wanted, read_ahead, read_pixels
from mrsne.parameters import ParameterError, check_integer, describe
from mrsne.threads import thread_count

Path = str | os.PathLike[str]
MOST_KEPT = 256  # pictures between two writes to the cache


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
    contents : list of bytes
        A digest of each file, as the cache knows it; empty where it could not be opened, or there is no cache.

    See Also
    --------
    mrsne.encoders.encode_pictures : Returns it.

    Examples
    --------
    >>> import mrsne
    >>> encoded = mrsne.encoders.encode_pictures(["not-there.png"])
    >>> encoded.vectors.shape, list(encoded.problems)
    ((1, 1280), [0])
    """

    vectors: NDArray[np.float32]
    problems: dict[int, str]
    thumbnails: NDArray[np.uint8] | None
    n_known: int
    contents: list[bytes] = field(default_factory=list)


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
        JPEG, PNG, WebP, GIF, BMP, TIFF, JPEG 2000, AVIF (where Pillow has it), PPM, ICO or PSD files. They are turned
        as the camera says; transparency is on white; of an animation the first frame counts.
    model : str or path, default="efficientnet-lite0"
        The bundled network (1,280 numbers for each picture), the path of an ONNX file that takes pictures
        (n, 3, side, side), or ``timm:NAME``, ``open_clip:NAME/WEIGHTS``, ``sentence-transformers:NAME``.
    batch_size : int, default=32
    cache : path, optional
        Folder that keeps vectors and thumbnails by the content of the files, so that a second run computes nothing,
        and opens no file that has not changed. Where it cannot be read or written to, there is a warning, and they
        are computed.
    n_jobs : int, optional
        Threads. None uses all cores.

    Returns
    -------
    vectors : array of shape (n, d), float32

    Raises
    ------
    PictureError
        If a picture cannot be read; :func:`encode_pictures` goes on with the others.

    See Also
    --------
    mrsne.encoders.encode_pictures : Goes on where a picture cannot be read.
    mrsne.encoders.encode_words : Vectors for tags.

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

    See Also
    --------
    mrsne.encoders.encode_images : Vectors alone; a picture that cannot be read is an error.

    Examples
    --------
    >>> import os, tempfile
    >>> from PIL import Image
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "red.png")
    ...     Image.new("RGB", (64, 64), "red").save(path)
    ...     encoded = encode_pictures([path, "not-there.png"], thumbnail_side=16)
    >>> encoded.thumbnails.shape, list(encoded.problems)
    ((2, 16, 16, 4), [1])
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
    opened = nullcontext() if cache is None else PictureCaches(cache, network.name, width, thumbnail_side)
    with opened as caches:
        _encode(paths, network, batch_size, n_jobs, result, caches, progress)
    result.problems = dict(sorted(result.problems.items()))
    for trouble in [] if caches is None else caches.troubles():
        warnings.warn(trouble, stacklevel=2)
    return result


def _encode(
    paths: Sequence[Path],
    network: Network,
    batch_size: int,
    n_jobs: int | None,
    result: Encoded,
    caches: PictureCaches | None,
    progress: Callable[[int], None],
) -> None:
    """Fill ``result`` with the vectors, thumbnails and problems of all pictures."""
    workers = thread_count(n_jobs)
    wanted = _wanted(network, result, caches)
    batch: list[tuple[int, Pixels]] = []
    n_new = 0
    # threads go on reading while the network is busy with a batch
    ahead = read_ahead(paths, wanted, _known_files(caches), workers, most=max(8 * workers, 2 * batch_size))
    for index, pixels in enumerate(ahead):
        found = _from_caches(index, pixels, result, caches)
        if not found and not pixels.problem:  # what the cache has of it is damaged
            pixels = read_pixels(paths[index], replace(wanted, vectors=set(), thumbnails=set()))
        result.contents.append(pixels.digest)
        if pixels.thumbnail is not None and result.thumbnails is not None:
            result.thumbnails[index] = pixels.thumbnail
        if pixels.problem:
            result.problems[index] = pixels.problem
        else:
            batch.append((index, pixels))
            n_new += pixels.crop is not None
        if n_new == batch_size or len(batch) == MOST_KEPT:
            _encode_batch(paths, batch, network, caches, result)
            batch.clear()
            n_new = 0
        progress(index + 1)
    _encode_batch(paths, batch, network, caches, result)


def _wanted(network: Network, result: Encoded, caches: PictureCaches | None) -> Wanted:
    side = None if result.thumbnails is None else result.thumbnails.shape[1]
    if caches is None:
        return Wanted(network.side, side)
    thumbnails = set() if caches.thumbnails is None else caches.thumbnails.contents()
    return Wanted(network.side, side, True, caches.vectors.contents(), thumbnails)


def _known_files(caches: PictureCaches | None) -> Callable[[Path], Known | None]:
    return (lambda path: None) if caches is None else caches.files.get


def _from_caches(index: int, pixels: Pixels, result: Encoded, caches: PictureCaches | None) -> bool:
    """Take what was not decoded from the caches; return whether everything is there now."""
    if caches is None or pixels.problem:
        return True
    if pixels.thumbnail is None and result.thumbnails is not None and caches.thumbnails is not None:
        small = caches.thumbnails.get(pixels.digest)
        if small is None:
            return False
        result.thumbnails[index] = small
    if pixels.crop is None:
        vector = caches.vectors.get(pixels.digest)
        if vector is None:
            return False
        result.vectors[index] = vector
        result.n_known += 1
    return True


def _encode_batch(
    paths: Sequence[Path],
    batch: Sequence[tuple[int, Pixels]],
    network: Network,
    caches: PictureCaches | None,
    result: Encoded,
) -> None:
    """Give new pictures to the network, and keep what was learned of all of them."""
    new = [(index, pixels.digest, pixels.crop) for index, pixels in batch if pixels.crop is not None]
    vectors = np.zeros((0, result.vectors.shape[1]), np.float32)
    if new:
        vectors = network.encode(np.stack([crop for _, _, crop in new]))
    if caches is not None:
        digests = [digest for _, digest, _ in new]
        caches.put(
            [paths[index] for index, _ in batch], [pixels for _, pixels in batch], zip(digests, vectors, strict=True)
        )
    vectors = in_half_precision(vectors)[0]  # the same numbers whether they are kept or not
    for (index, _, _), vector in zip(new, vectors, strict=True):
        if np.isfinite(vector).all():
            result.vectors[index] = vector
        else:
            result.problems[index] = "the model gives no finite vector for it"
            if result.thumbnails is not None:
                result.thumbnails[index] = 0
