"""Picture files into vectors: from the cache, or by a network."""

import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

import numpy as np

from mrsne.arrays import Float32, UInt8
from mrsne.encoders.cache import Cache
from mrsne.encoders.decoding import PictureError
from mrsne.encoders.networks import BUNDLED, Network, load_network
from mrsne.encoders.reading import MOST_KEPT, Path, PictureCache, PictureReader, Pixels, in_half_precision
from mrsne.parameters import ParameterError, check_integer, describe
from mrsne.threads import thread_count


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

    vectors: Float32
    problems: dict[int, str]
    thumbnails: UInt8 | None
    n_known: int
    contents: list[bytes] = field(default_factory=list)


def encode_images(
    paths: Sequence[Path],
    *,
    model: Path = BUNDLED,
    batch_size: int = 32,
    cache: Path | None = None,
    n_jobs: int | None = None,
) -> Float32:
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
    result = Encoded(np.full((len(paths), width), np.nan, np.float32), {}, None, 0)
    if thumbnail_side is not None:
        result.thumbnails = np.zeros((len(paths), thumbnail_side, thumbnail_side, 4), np.uint8)
    with nullcontext() if cache is None else Cache(cache) as opened:
        kept = None if opened is None else PictureCache(opened, network.name, width, thumbnail_side)
        reader = PictureReader(network.side, thumbnail_side, kept)
        batch: dict[int, Pixels] = {}
        n_new, n_threads = 0, thread_count(n_jobs)
        # threads go on reading while the network is busy with a batch
        for index, pixels in enumerate(reader.read_ahead(paths, n_threads, most=max(8 * n_threads, 2 * batch_size))):
            batch[index] = pixels
            n_new += pixels.crop is not None
            if n_new == batch_size or len(batch) == MOST_KEPT:
                _encode_batch(batch, network, kept, result)
                batch, n_new = {}, 0
            progress(index + 1)
        _encode_batch(batch, network, kept, result)
    result.problems = dict(sorted(result.problems.items()))
    if opened is not None and opened.trouble is not None:
        warnings.warn(opened.trouble, stacklevel=2)
    return result


def _encode_batch(batch: dict[int, Pixels], network: Network, cache: PictureCache | None, result: Encoded) -> None:
    """Give new pictures to the network, and take over and keep what is known of all of them."""
    new = [pixels for pixels in batch.values() if pixels.crop is not None]
    if new:
        vectors = network.encode(np.stack([pixels.crop for pixels in new if pixels.crop is not None]))
        # rounded also without a cache: the numbers are the same with one
        for pixels, vector in zip(new, in_half_precision(vectors), strict=True):
            pixels.vector = vector
    if cache is not None:
        cache.put(batch.values())
    for index, pixels in batch.items():
        result.contents.append(pixels.digest)
        if pixels.vector is None or not np.isfinite(pixels.vector).all():
            result.problems[index] = pixels.problem or "the model gives no finite vector for it"
        else:
            result.vectors[index] = pixels.vector
            result.n_known += pixels.crop is None
            if result.thumbnails is not None and pixels.thumbnail is not None:
                result.thumbnails[index] = pixels.thumbnail
