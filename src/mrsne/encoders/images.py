"""Picture files into vectors."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mrsne.compilation import thread_count
from mrsne.encoders.cache import VectorCache, content_hash
from mrsne.encoders.decoding import PictureError, centre_crop, open_picture_file, read_picture, thumbnail
from mrsne.encoders.networks import BUNDLED, Network, load_network
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
        Folder that keeps vectors by the content of the files, so that a second run computes nothing.
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
    found = encode_pictures(paths, model=model, batch_size=batch_size, cache=cache, n_jobs=n_jobs)
    if found.problems:
        first = min(found.problems)
        others = f", and {len(found.problems) - 1} more" if len(found.problems) > 1 else ""
        raise PictureError(f"{os.fspath(paths[first])!r} cannot be read: {found.problems[first]}{others}")
    return found.vectors


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
    network = load_network(model, n_jobs)
    width = network.encode(np.zeros((1, network.side, network.side, 3), np.uint8)).shape[1]
    vectors = np.full((len(paths), width), np.nan, np.float32)
    small = None
    if thumbnail_side is not None:
        small = np.zeros((len(paths), thumbnail_side, thumbnail_side, 4), np.uint8)
    result = Encoded(vectors, {}, small, 0)
    if cache is None:
        _encode(paths, network, batch_size, n_jobs, result, None, progress)
    else:
        with VectorCache(cache, network.name) as known:
            _encode(paths, network, batch_size, n_jobs, result, known, progress)
    return result


@dataclass
class _Opened:
    """One picture on its way: what was read of it, or why nothing was."""

    content: bytes = b""
    crop: NDArray[np.uint8] | None = None
    thumbnail: NDArray[np.uint8] | None = None
    problem: str = ""


def _encode(
    paths: Sequence[Path],
    network: Network,
    batch_size: int,
    n_jobs: int | None,
    result: Encoded,
    known: VectorCache | None,
    progress: Callable[[int], None],
) -> None:
    side = None if result.thumbnails is None else result.thumbnails.shape[1]
    waiting: list[tuple[int, bytes, NDArray[np.uint8]]] = []

    def encode_waiting() -> None:
        if waiting:
            found = network.encode(np.stack([crop for _, _, crop in waiting]))
            result.vectors[[index for index, _, _ in waiting]] = found
            if known is not None:
                known.put((content, vector) for (_, content, _), vector in zip(waiting, found, strict=True))
                # the same numbers whether they were kept or not
                result.vectors[[index for index, _, _ in waiting]] = found.astype(np.float16)
            waiting.clear()

    for index, opened in enumerate(
        _opened(paths, network.side, side, None if known is None else known.contents(), n_jobs)
    ):
        if opened.problem:
            result.problems[index] = opened.problem
        else:
            vector = None if known is None else known.get(opened.content)
            if result.thumbnails is not None and opened.thumbnail is not None:
                result.thumbnails[index] = opened.thumbnail
            if vector is not None:
                result.vectors[index] = vector
                result.n_known += 1
            elif opened.crop is not None:
                waiting.append((index, opened.content, opened.crop))
        if len(waiting) == batch_size:
            encode_waiting()
        progress(index + 1)
    encode_waiting()


def _opened(
    paths: Sequence[Path], side: int, small: int | None, known: set[bytes] | None, n_jobs: int | None
) -> Iterator[_Opened]:
    """Decode pictures by several threads, a few ahead of the one that is asked for; ``known`` ones are in the cache."""

    def read(path: Path) -> _Opened:
        try:
            with open_picture_file(path) as file:  # once, so that what is decoded is what the digest is of
                content = b"" if known is None else content_hash(file)
                if known is not None and content in known and small is None:
                    return _Opened(content)  # nothing of the picture itself is needed
                picture = read_picture(file)
            return _Opened(
                content,
                centre_crop(picture, side),
                None if small is None else thumbnail(picture, small),
            )
        except PictureError as error:
            return _Opened(problem=str(error))

    workers = thread_count(n_jobs)
    ahead: deque[Future[_Opened]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for path in paths:
            ahead.append(pool.submit(read, path))
            if len(ahead) > 8 * workers:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
