"""One HTML file with everything in it."""

import base64
import hashlib
import html
import json
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import IO, Any

from mrsne.data.files.writing import write_atomically
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


@dataclass
class Parts:
    """What a page is made of: a description with a title, and functions that return its parts."""

    about: dict[str, Any]
    parts: dict[str, Callable[[], bytes]]


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
        what = "the interactive map was not built with this installation of mrsne"
        raise ImportError(f"{what}; install it again (pip install .)") from None


def content_security_policy(*, connect: str = "'none'", images: str = "blob: data:") -> str:
    """Return the Content-Security-Policy of a page: its own program and style by their hashes, nothing from outside."""
    digests = (hashlib.sha256(static_text(name).encode("utf-8")).digest() for name in ("map.js", "map.css"))
    script, style = (f"'sha256-{base64.b64encode(digest).decode('ascii')}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src {images}; "
        f"connect-src {connect}; worker-src blob:; base-uri 'none'; form-action 'none'"
    )


def standalone(content: Parts, theme: str = "auto") -> Iterator[str]:
    """Yield the text of a page that needs nothing but itself, its data in blocks that browsers do not run."""
    yield page_start({**content.about, "theme": theme, "source": "page"}, content_security_policy())
    with ThreadPoolExecutor(thread_count(None)) as pool:  # packing thumbnails takes longest of all
        made = pool.map(lambda make: make(), content.parts.values())
        for name, part in zip(content.parts, made, strict=True):
            yield f'<script type="application/octet-stream" data-part="{name}">'
            yield base64.b64encode(part).decode("ascii")
            yield "</script>\n"
    yield page_end()


def page_start(about: Mapping[str, Any], policy: str) -> str:
    """Return the top of a page, with the description of its content."""
    described = json.dumps(about).replace("<", "\\u003c")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<link rel="icon" href="{ICON}">\n'
        f"<title>{html.escape(about['title'])}</title>\n"
        f"<style>{static_text('map.css')}</style>\n</head>\n<body>\n"
        '<main class="mrsne" id="mrsne"></main>\n'
        "<noscript>This map needs JavaScript.</noscript>\n"
        f'<script type="application/json" id="mrsne-about">{described}</script>\n'
    )


def page_end() -> str:
    """Return the bottom of a page, with its program."""
    return f'<script type="module">{static_text("map.js")}</script>\n</body>\n</html>\n'
