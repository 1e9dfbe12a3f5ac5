"""A server for one map, which only this computer can reach, and only with the full address."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from mrsne.data.outline import check_known
from mrsne.encoders.decoding import PictureError
from mrsne.parameters import ParameterError, check_option
from mrsne.viewer.content import Content
from mrsne.viewer.loopback import LOOPBACK, LoopbackServer, Response, refusal
from mrsne.viewer.page import THEMES, content_security_policy, page_end, page_start
from mrsne.viewer.pictures import PictureFolder, PictureMissingError

CACHED_FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}  # every start has a new address
CACHED_FOR_AN_HOUR = {"Cache-Control": "private, max-age=3600"}  # files can change
LONGEST_NUMBER = 12  # digits
POLL_SECONDS = 0.1  # between checks of whether to stop
MOST_BYTES = 256 * 2**20  # of cached parts


class PartCache:
    """Makes each part once, also for simultaneous requests, and keeps those used last, up to ``most`` bytes."""

    def __init__(self, parts: Mapping[str, Callable[[], bytes]], most: int = MOST_BYTES) -> None:
        self.size = 0
        self._parts, self._most = parts, most
        self._being_made = {name: threading.Lock() for name in parts}
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, bytes] = OrderedDict()  # the least recently used first

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def __getitem__(self, name: str) -> bytes:
        with self._being_made[name]:
            with self._lock:
                part = self._kept.get(name)
            if part is None:
                part = self._parts[name]()
            with self._lock:
                self.size += 0 if name in self._kept else len(part)
                self._kept[name] = part
                self._kept.move_to_end(name)
                while self.size > self._most:
                    self.size -= len(self._kept.popitem(last=False)[1])
        return part


class MapServer:
    """Serves a map on 127.0.0.1, below a path that cannot be guessed.

    The page comes without its parts and requests those that are on screen. A request must name this computer as its
    host, so that no web site can lead a browser here under another name. Requests give numbers of items, never files:
    only the map and the given pictures can be read. Port 0 is any that is free; ``url`` is the address, with a token
    that is new for every server.
    """

    def __init__(
        self, content: Content, pictures: Mapping[str, PictureFolder] | None = None, port: int = 0, theme: str = "auto"
    ) -> None:
        check_option("theme", theme, THEMES)
        about, self._folders = _with_pictures(content.about, pictures or {})
        policy = content_security_policy(connect="'self'", images="'self' blob: data:")
        text = page_start(about | {"theme": theme, "source": "server"}, policy) + page_end()
        self._page = Response(
            HTTPStatus.OK,
            text.encode("utf-8", "replace"),
            "text/html; charset=utf-8",
            {"Cache-Control": "no-store", "Content-Security-Policy": f"{policy}; frame-ancestors 'none'"},
        )
        self._parts = PartCache(content.parts)
        self._token = secrets.token_urlsafe(24)
        self._server = LoopbackServer(port, self.respond)
        self._thread: threading.Thread | None = None
        self.url = f"http://{LOOPBACK}:{self.port}/{self._token}/"

    @property
    def port(self) -> int:
        return self._server.server_port

    def start(self) -> None:
        if self._thread is None:
            serving = self._server.serve_forever
            self._thread = threading.Thread(target=serving, args=(POLL_SECONDS,), name="mrsne-server", daemon=True)
            self._thread.start()

    def serve(self) -> None:
        """Serve until the server is stopped or interrupted."""
        self.start()
        thread = self._thread
        while thread is not None and thread.is_alive():
            thread.join(0.5)  # not without a limit, which on Windows nothing could interrupt

    def stop(self) -> None:
        """Stop the server and close its connections; it cannot be started again."""
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> MapServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def respond(self, path: str) -> Response:
        """Return what is at a path, which is compared unchanged: nothing in it is decoded or normalised."""
        _, _, below = path.partition("/")
        token, slash, rest = below.partition("/")
        if not secrets.compare_digest(token.encode("utf-8", "replace"), self._token.encode()):
            return refusal(HTTPStatus.NOT_FOUND)
        if not slash:
            return refusal(HTTPStatus.PERMANENT_REDIRECT, Location=f"/{self._token}/")
        if not rest:
            return self._page
        kind, _, name = rest.partition("/")
        if kind == "part" and name in self._parts:
            content_type = "image/webp" if name.startswith("sheet-") else "application/octet-stream"
            return Response(HTTPStatus.OK, self._parts[name], content_type, CACHED_FOREVER)
        if kind == "picture":
            return self._picture(name)
        return refusal(HTTPStatus.NOT_FOUND)

    def _picture(self, name: str) -> Response:
        domain, _, item = name.partition("/")
        folder = self._folders.get(domain)
        if folder is None or not (item.isascii() and item.isdecimal() and len(item) <= LONGEST_NUMBER):
            return refusal(HTTPStatus.NOT_FOUND)
        try:
            picture = folder.picture(int(item))
        except PictureMissingError:
            return refusal(HTTPStatus.NOT_FOUND)
        except PictureError:
            return refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        return Response(HTTPStatus.OK, picture.content, picture.content_type, CACHED_FOR_AN_HOUR)


def _with_pictures(
    about: dict[str, Any], pictures: Mapping[str, PictureFolder]
) -> tuple[dict[str, Any], dict[str, PictureFolder]]:
    """Return a description that says which domains have pictures, and their folders by the domain's number."""
    counts = {domain["name"]: domain["count"] for domain in about["domains"]}
    check_known("pictures", pictures, counts)
    for name, folder in pictures.items():
        if (found := len(folder.names)) != counts[name]:
            raise ParameterError(f"pictures[{name!r}] has {found} names, but {name!r} has {counts[name]} items")
    domains = [domain | ({"pictures": True} if domain["name"] in pictures else {}) for domain in about["domains"]]
    folders = {str(index): pictures[name] for index, name in enumerate(counts) if name in pictures}
    return about | {"domains": domains}, folders
