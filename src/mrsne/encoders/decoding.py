"""Picture files into upright pixels on white, whatever they are."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 180_000_000  # a picture that unpacks to more is taken for an accident or an attack
ENOUGH = 1024  # pixels of the longer side that a decoder need not exceed


class PictureError(ValueError):
    """A file cannot be read as a picture."""


def read_picture(path: str | os.PathLike[str]) -> Image:
    """Return a picture as red, green and blue: the first frame, turned as its camera says, transparency on white.

    Large JPEG files are decoded at a fraction of their size; of sixteen bits the darkest becomes black, the brightest
    white. Raises :class:`PictureError` with the reason where a file is not a picture, is cut off, or would unpack to
    more than 180 million pixels.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own limit is lower, and warns; broken EXIF data warns too
            with Image.open(path) as opened:
                if opened.width * opened.height > MOST_PIXELS:
                    raise PictureError(f"{opened.width} × {opened.height} pixels are more than {MOST_PIXELS:,}")
                opened.draft("RGB", (ENOUGH, ENOUGH))
                picture = ImageOps.exif_transpose(opened)
                return _on_white(picture)
    except UnidentifiedImageError:
        raise PictureError("not a picture" if os.path.getsize(path) else "an empty file") from None
    except PictureError:
        raise
    except Image.DecompressionBombError:
        raise PictureError(f"more than {MOST_PIXELS:,} pixels") from None
    except FileNotFoundError:
        raise PictureError("no such file") from None
    except (
        Exception
    ) as error:  # decoders raise whatever they like at broken files: OSError, SyntaxError, struct.error, ...
        raise PictureError(f"damaged or cut off ({error})") from error


def _on_white(picture: Image) -> Image:
    from PIL import Image

    if picture.mode in ("I", "I;16", "I;16B", "I;16L", "F"):  # sixteen bits and more: stretch what is there to 0 … 255
        values = np.asarray(picture, dtype=np.float64)
        low, high = float(values.min()), float(values.max())
        picture = Image.fromarray(((values - low) / max(high - low, 1e-9) * 255).astype(np.uint8))
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        layer = picture.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        white.alpha_composite(layer)
        return white.convert("RGB")
    return picture.convert("RGB")


def centre_crop(picture: Image, side: int, margin: float = 0.875) -> NDArray[np.uint8]:
    """Return the middle of a picture as (side, side, 3): a square of ``margin`` times its shorter side, made to fit."""
    from PIL import Image

    edge = max(1.0, margin * min(picture.size))
    left, top = (picture.width - edge) / 2, (picture.height - edge) / 2
    box = (left, top, left + edge, top + edge)
    return np.asarray(picture.resize((side, side), Image.Resampling.BICUBIC, box=box))


def thumbnail(picture: Image, side: int) -> NDArray[np.uint8]:
    """Return a small version that fits into (side, side, 4), clear where the picture does not reach."""
    from PIL import Image

    small = picture.convert("RGBA")
    small.thumbnail((side, side), Image.Resampling.LANCZOS)
    square = Image.new("RGBA", (side, side))
    square.paste(small, ((side - small.width) // 2, (side - small.height) // 2))
    return np.asarray(square)
