"""Picture files of any format into upright pixels on white."""

import os
import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from mrsne.arrays import UInt8
from mrsne.budgets import DECODED_BYTES, JPEG_PASSES, PICTURE_FILE_BYTES, PIXELS
from mrsne.parameters import MrsneError
from mrsne.regular_files import IrregularFileError, open_regular
from mrsne.threads import one_for_each_process

# The version of all that is done between a file and the network, in the keys of cached vectors and thumbnails. Raise it
# with every change here, or in how networks scale pixels, that gives other numbers: of colours, turning or resizing.
DECODING = 1

# What Pillow decodes itself, recognised by the first bytes. Of the rest, EPS starts Ghostscript, and IPTC opens its
# content as any other format.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "JPEG2000", "AVIF", "PPM", "ICO", "PSD")
ENOUGH = 1024  # pixels of the longer side that a decoder need not exceed
STRIP = 256  # rows that are brought to red, green and blue at a time
WITH_COPIES = ("WEBP", "JPEG2000", "AVIF")  # whose decoders hold the picture twice more
MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


class PictureError(MrsneError, ValueError):
    """A file cannot be read as a picture.

    See Also
    --------
    mrsne.encoders.encode_images : Raises it.
    mrsne.encoders.encode_pictures : Lists such pictures instead.

    Examples
    --------
    >>> import mrsne
    >>> issubclass(mrsne.encoders.PictureError, ValueError)
    True
    """


class _Quiet:
    """Suppresses Pillow's warnings and sets its limit of pixels to ours while any thread is inside.

    ``catch_warnings`` in each thread would leave warnings suppressed where threads leave in another order.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads = 0
        self._undo = ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if self._threads == 0:
                self._undo.callback(setattr, Image, "MAX_IMAGE_PIXELS", Image.MAX_IMAGE_PIXELS)
                Image.MAX_IMAGE_PIXELS = PIXELS.most() // 2  # it refuses twice that
                self._undo.enter_context(warnings.catch_warnings())
                warnings.filterwarnings("ignore", module=r"PIL\.")
            self._threads += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._threads -= 1
            if self._threads == 0:
                self._undo.close()


_quiet = one_for_each_process(_Quiet)


class _Room:
    """Lets threads decode as long as their pictures together are within the budget; a larger one waits to be alone."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._taken = 0

    @contextmanager
    def of(self, size: int) -> Iterator[None]:
        """Wait until there is room for this many bytes, and hold it."""
        most = DECODED_BYTES.most()
        with self._changed:
            self._changed.wait_for(lambda: self._taken == 0 or self._taken + size <= most)
            self._taken += size
        try:
            yield
        finally:
            with self._changed:
                self._taken -= size
                self._changed.notify_all()


_room = one_for_each_process(_Room)


@contextmanager
def _picture_errors() -> Iterator[None]:
    """Turn anything that opening and decoding raise into a PictureError with the reason."""
    try:
        yield
    except PictureError:
        raise
    except UnidentifiedImageError:
        raise PictureError("not a picture, or of a format that is not read") from None
    except Image.DecompressionBombError:
        raise PictureError(f"more than {PIXELS.most():,} pixels (the environment variable {PIXELS.variable})") from None
    except FileNotFoundError:
        raise PictureError("no such file") from None
    except IrregularFileError as error:
        raise PictureError(error.reason) from None
    except MemoryError:
        raise PictureError("takes more memory than there is") from None
    except Exception as error:  # decoders raise anything: OSError, SyntaxError, struct.error, ...
        raise PictureError(f"damaged or cut off ({error})") from error


@contextmanager
def open_picture_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that can be a picture: a regular one that is neither empty nor larger than 2 GiB."""
    with _picture_errors(), open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size == 0:
            raise PictureError("an empty file")
        PICTURE_FILE_BYTES.check("it", size, PictureError)
        yield file


@contextmanager
def open_picture(source: str | os.PathLike[str] | IO[bytes]) -> Iterator[Image.Image]:
    """Open a picture with Pillow; every picture that mrsne reads comes through here. What is wrong is a PictureError.

    Only formats of ``FORMATS`` are opened, whatever the ending of a file's name, so that no other program is started.
    """
    Image.init()
    known = [name for name in FORMATS if name in Image.OPEN]  # AVIF is not in every Pillow
    with _picture_errors(), _quiet(), ExitStack() as stack:
        file = stack.enter_context(open_picture_file(source)) if isinstance(source, (str, os.PathLike)) else source
        _check_passes(file)
        picture = stack.enter_context(Image.open(file, formats=known))
        PIXELS.check("it", picture.width * picture.height, PictureError)
        yield picture


def _check_passes(file: IO[bytes]) -> None:
    """Raise for a JPEG of many scans or sections of metadata: a few bytes each, that take as long as the picture."""
    scans, sections, most = 0, 0, JPEG_PASSES.most()
    is_jpeg = file.read(2) == b"\xff\xd8"
    while is_jpeg and scans + sections <= most and (block := file.read(2**16)):
        if marker := MARKER.search(block):
            scans, sections = scans + (marker[0] == b"\xff\xda"), sections + (marker[0] == b"\xff\xe1")
            file.seek(marker.end() - len(block), os.SEEK_CUR)
            is_jpeg = marker[0] != b"\xff\xd9" or not scans  # what follows may be anything, such as a film
            if marker[0] not in (b"\xff\xd8", b"\xff\xd9"):
                file.seek(max(int.from_bytes(file.read(2)) - 2, 0), os.SEEK_CUR)
        elif block.endswith(b"\xff") and len(block) > 1:
            file.seek(-1, os.SEEK_CUR)
    file.seek(0)
    JPEG_PASSES.check("it", scans + sections, PictureError)


def read_picture(source: str | os.PathLike[str] | IO[bytes]) -> Image.Image:
    """Return a picture as red, green and blue: the first frame, turned as its camera says, transparency on white."""
    with decoded_picture(source) as picture:
        return picture


@contextmanager
def decoded_picture(source: str | os.PathLike[str] | IO[bytes]) -> Iterator[Image.Image]:
    """Decode as :func:`read_picture` does; others wait where all that is decoded at once would be too large."""
    with open_picture(source) as picture:
        picture.draft("RGB", (ENOUGH, ENOUGH))
        # the picture, if need be turned, and four bytes for each pixel of the result
        copies = 5 if picture.format in WITH_COPIES else 3
        with _room().of(copies * 4 * picture.width * picture.height):
            ImageOps.exif_transpose(picture, in_place=True)
            yield _on_white(picture)


def _on_white(picture: Image.Image) -> Image.Image:
    """Return a picture in red, green and blue, made strip by strip so that nothing else is as large as the result."""
    is_deep = picture.mode in ("I", "I;16", "I;16B", "I;16L", "F")  # sixteen bits and more: stretched to 0 … 255
    if not is_deep and picture.mode not in ("RGBA", "LA", "PA") and "transparency" not in picture.info:
        return picture.convert("RGB")
    boxes = [(0, top, picture.width, min(top + STRIP, picture.height)) for top in range(0, picture.height, STRIP)]
    low = high = 0.0
    if is_deep:
        ends = [_ends(np.asarray(picture.crop(box))) for box in boxes]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        low, high = (low, high) if low <= high else (0.0, 0.0)
    result = Image.new("RGB", picture.size)
    for box in boxes:
        part = picture.crop(box)
        if is_deep:
            values = np.nan_to_num(np.asarray(part, dtype=np.float64), nan=low, posinf=high, neginf=low)
            part = Image.fromarray(((values - low) / max(high - low, 1e-9) * 255).astype(np.uint8))
        else:
            layer = part.convert("RGBA")
            part = Image.new("RGBA", layer.size, "white")
            part.alpha_composite(layer)
        result.paste(part.convert("RGB"), box)
    return result


def _ends(values: NDArray[Any]) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (np.inf, -np.inf)


def centre_crop(picture: Image.Image, side: int, margin: float = 0.875) -> UInt8:
    """Return the middle of a picture as (side, side, 3): a square of ``margin`` times its shorter side, made to fit."""
    edge = max(1.0, margin * min(picture.size))
    left, top = (picture.width - edge) / 2, (picture.height - edge) / 2
    box = (left, top, left + edge, top + edge)
    return np.asarray(picture.resize((side, side), Image.Resampling.BICUBIC, box=box))


def small_version(picture: Image.Image, side: int) -> Image.Image:
    """Return a picture made smaller, where it is larger, to fit into (side, side)."""
    small = picture.copy()
    small.thumbnail((side, side), Image.Resampling.LANCZOS)
    return small


def in_square(small: Image.Image, side: int) -> UInt8:
    """Return a small picture in the middle of (side, side, 4), clear where it does not reach."""
    square = Image.new("RGBA", (side, side))
    square.paste(small.convert("RGBA"), ((side - small.width) // 2, (side - small.height) // 2))
    return np.asarray(square)
