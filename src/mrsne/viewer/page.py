"""One HTML file with everything in it."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from typing import IO, Any, Protocol

from mrsne.io.writing import write_atomically
from mrsne.parameters import ParameterError, check_option
from mrsne.threads import thread_count
from mrsne.viewer import PAGES

THEMES = ("auto", "light", "dark")
ICON = (  # three linked dots
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Cpath d='M4 4l8 3-6 6z' fill='none' stroke='%235b7db1'/%3E%3Cg fill='%231f7a48'%3E"
    "%3Ccircle cx='4' cy='4' r='3'/%3E%3Ccircle cx='12' cy='7' r='3'/%3E%3Ccircle cx='6' cy='13' r='3'/%3E"
    "%3C/g%3E%3C/svg%3E"
)


class Parts(Protocol):
    """What a page is made of: a description, and functions that return its parts."""

    @property
    def about(self) -> dict[str, Any]:
        """The description, with a title."""

    @property
    def parts(self) -> Mapping[str, Callable[[], bytes]]:
        """Parts by name."""


class BundleMissingError(ImportError):
    """The JavaScript bundle is not in the installed package."""


def write_page(path: str | os.PathLike[str], content: Parts, theme: str = "auto") -> None:
    """Write a map as one page, in one step."""
    if Path(path).suffix.lower() not in PAGES:
        raise ParameterError(f"path must end in {' or '.join(PAGES)}, got {str(path)!r}")
    check_option("theme", theme, THEMES)

    def write(file: IO[bytes]) -> None:
        for piece in standalone(content, theme):
            file.write(piece.encode("utf-8", "replace"))

    write_atomically(path, write)


def static_text(name: str) -> str:
    """Return a file of the JavaScript bundle, which is built when mrsne is installed."""
    try:
        return resources.files("mrsne.viewer").joinpath("static", name).read_text("utf-8")
    except FileNotFoundError:
        raise BundleMissingError(
            "the interactive map was not built with this installation of mrsne; install it again (pip install .)"
        ) from None


def content_security_policy(*, connect: str = "'none'", images: str = "blob: data:") -> str:
    """Return the Content-Security-Policy of a page: its own program and style by their hashes, nothing from outside."""
    script, style = (_hash(static_text(name)) for name in ("map.js", "map.css"))
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src {images}; "
        f"connect-src {connect}; worker-src blob:; base-uri 'none'; form-action 'none'"
    )


def standalone(content: Parts, theme: str = "auto") -> Iterator[str]:
    """Yield the text of a page that needs nothing but itself, piece by piece.

    Data is in blocks that browsers do not run: a description as JSON, in which every ``<`` is escaped, and base64.
    """
    yield page_start(content, theme, content_security_policy())
    for name, part in made_ahead(content.parts):
        yield f'<script type="application/octet-stream" data-part="{name}">'
        yield base64.b64encode(part).decode("ascii")
        yield "</script>\n"
    yield page_end()


def made_ahead(parts: Mapping[str, Callable[[], bytes]]) -> Iterator[tuple[str, bytes]]:
    """Yield parts in their order, made by several threads, a few ahead: packing thumbnails takes longest of all.

    Examples
    --------
    >>> list(made_ahead({"a": lambda: b"1", "b": lambda: b"2"}))
    [('a', b'1'), ('b', b'2')]
    """
    workers = thread_count(None)
    ahead: deque[tuple[str, Future[bytes]]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for name, part in parts.items():
            ahead.append((name, pool.submit(part)))
            if len(ahead) > 2 * workers:
                first, made = ahead.popleft()
                yield first, made.result()
        for name, made in ahead:
            yield name, made.result()


def page_start(content: Parts, theme: str, policy: str, source: str = "page") -> str:
    """Return the top of a page, with the description of its content."""
    described = json.dumps(content.about | {"theme": theme, "source": source}).replace("<", "\\u003c")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<link rel="icon" href="{ICON}">\n'
        f"<title>{html.escape(content.about['title'])}</title>\n"
        f"<style>{static_text('map.css')}</style>\n</head>\n<body>\n"
        '<main class="mrsne" id="mrsne"></main>\n'
        "<noscript>This map needs JavaScript.</noscript>\n"
        f'<script type="application/json" id="mrsne-about">{described}</script>\n'
    )


def page_end() -> str:
    """Return the bottom of a page, with its program."""
    return f'<script type="module">{static_text("map.js")}</script>\n</body>\n</html>\n'


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
