"""Text from anywhere, made fit for a terminal: not too long, and without what would steer it."""

from __future__ import annotations

import re

LONGEST = 1000  # characters of a message
# control characters but for the end of a line, halves of characters, and marks that turn the direction of text
UNFIT = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def clipped(text: str, longest: int = LONGEST) -> str:
    """Return a text that fits on a screen."""
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text) - longest} more characters)"


def printable(text: str, encoding: str | None = None) -> str:
    r"""Return a text with escapes for what a terminal would obey, and for what its encoding does not have."""
    visible = UNFIT.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
    known = encoding or "utf-8"
    return visible.encode(known, "backslashreplace").decode(known)
