"""Text files as people have them, in whatever encoding."""

from __future__ import annotations

import codecs
import os

from mrsne.io.regular_files import open_regular

MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def decode_text(content: bytes) -> str:
    """Return text in UTF-8 or UTF-16 by its mark, in UTF-8 without one, or else in Windows-1252.

    Examples
    --------
    >>> decode_text("café".encode()), decode_text("café".encode("cp1252")), decode_text("café".encode("utf-16"))
    ('café', 'café', 'café')
    """
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
        return decode_text(file.read())
