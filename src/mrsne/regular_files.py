"""Opens regular files only: no pipe that blocks, no endless device, no link to itself; and reads their text."""

import codecs
import errno
import os
import stat
from io import BufferedReader

from mrsne.budgets import TEXT_BYTES
from mrsne.parameters import MrsneError

WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
# a pipe or a terminal that takes the place of a file between the look at it and its opening does not hold us up
MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class IrregularFileError(MrsneError, ValueError):
    """What a path leads to is not a regular file; ``reason`` is what it is instead: "a pipe, not a file"."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path!r} is {self.reason}"


def open_regular(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a regular file for reading, or a link that leads to one; anything else is an IrregularFileError."""
    name = os.fspath(path)
    try:
        check_regular(name, os.stat(name).st_mode)  # opening alone can do something: rewind a tape, wake a writer
        return open(name, "rb", opener=_opened)
    except FileNotFoundError:
        if os.path.islink(name):
            raise IrregularFileError(name, "a link to a file that is not there") from None
        raise FileNotFoundError(errno.ENOENT, "there is no such file", name) from None
    except IrregularFileError:
        raise
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise IrregularFileError(name, "a link that leads back to itself") from None
        raise
    except ValueError:  # a zero byte, or a letter that file names cannot have
        raise IrregularFileError(name, "not a name that a file can have") from None


def _opened(path: str, flags: int) -> int:
    """Open a file; a pipe that has taken its place since it was looked at is opened too, without waiting, and empty."""
    return os.open(path, flags | WITHOUT_WAITING)


def check_regular(path: str | os.PathLike[str], mode: int) -> None:
    """Raise if the mode of something (``st_mode`` of ``os.stat``) is not that of a regular file."""
    if not stat.S_ISREG(mode):
        raise IrregularFileError(os.fspath(path), f"{KINDS.get(stat.S_IFMT(mode), 'something else')}, not a file")


def decode_text(content: bytes) -> str:
    """Return text in UTF-8 or UTF-16 by its mark, in UTF-8 without one, or else in Windows-1252."""
    for mark, encoding in MARKS:
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file; see :func:`decode_text` for its encoding."""
    with open_regular(path) as file:
        TEXT_BYTES.check(repr(os.fspath(path)), os.fstat(file.fileno()).st_size)
        return decode_text(file.read())
