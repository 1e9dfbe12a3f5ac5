"""Full-size pictures from a folder, and from nowhere else."""

import io
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mrsne.encoders.decoding import PictureError, open_picture, read_picture
from mrsne.parameters import MrsneError

BROWSER_FORMATS = {  # by Pillow's names for them
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",  # JPEG with a second picture after the first, which some cameras write
    "PNG": "image/png",
    "WEBP": "image/webp",
    "GIF": "image/gif",
    "BMP": "image/bmp",
}
LARGEST_SIDE = 2048  # pixels of a picture that is converted
QUALITY = 90
MOST_BYTES = 256 * 2**20

# one picture at a time, since a large one takes much memory
_reading = threading.Lock()


class PictureMissingError(MrsneError, LookupError):
    """There is no such picture, or it is not in the folder."""


class Picture(NamedTuple):
    content_type: str
    content: bytes


class PictureFolder:
    """The full-size pictures of a domain, whose names are paths in a folder; nothing outside it is read."""

    def __init__(self, folder: str | os.PathLike[str], names: Sequence[str]) -> None:
        self.folder = Path(folder).resolve()
        if not self.folder.is_dir():
            raise FileNotFoundError(f"{str(folder)!r} is not a folder of pictures")
        self.names = tuple(names)

    def path(self, item: int) -> Path:
        """Return the file of an item, or raise :class:`PictureMissingError`."""
        if not 0 <= item < len(self.names):
            raise PictureMissingError(f"there is no item {item}")
        try:
            path = (self.folder / self.names[item]).resolve(strict=True)
            inside = path.is_relative_to(self.folder) and path.is_file()
        except (OSError, ValueError, RuntimeError) as error:  # no such file, not a name of a file, links in a circle
            raise PictureMissingError(f"the picture of item {item} cannot be found ({error})") from error
        if not inside:
            raise PictureMissingError(f"the picture of item {item} is not in {str(self.folder)!r}")
        return path

    def picture(self, item: int) -> Picture:
        """Return a picture: the file itself if browsers show its format, or else a JPEG of at most 2048 pixels."""
        path = self.path(item)
        try:
            if path.stat().st_size > MOST_BYTES:
                raise PictureError(f"more than {MOST_BYTES:,} bytes")
            with _reading:
                with open_picture(path) as opened:
                    kind = str(opened.format)  # from its content, and not from its ending
                if kind not in BROWSER_FORMATS:
                    picture, file = read_picture(path), io.BytesIO()
                    picture.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
                    picture.save(file, "JPEG", quality=QUALITY)
                    return Picture("image/jpeg", file.getvalue())
            return Picture(BROWSER_FORMATS[kind], path.read_bytes())
        except OSError as error:
            raise PictureMissingError(f"the picture of item {item} cannot be read ({error})") from error
