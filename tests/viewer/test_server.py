"""What the server of a map answers, and its cache of parts."""

from __future__ import annotations

import http.client
import json
import logging
import re
import socket
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from mrsne.parameters import ParameterError
from mrsne.viewer.pictures import PictureFolder
from mrsne.viewer.server import MapServer, PartCache
from tests.viewer.conftest import NAMES, asked, small_content, status


def test_the_page_says_what_there_is_and_is_never_kept(server: MapServer) -> None:
    answer, content = asked(server, "")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert answer.headers["Cache-Control"] == "no-store"
    allowed = answer.headers["Content-Security-Policy"]
    assert "connect-src 'self'" in allowed
    assert "img-src 'self' blob:" in allowed
    assert "frame-ancestors 'none'" in allowed
    found = re.search(r'id="mrsne-about">(.*?)</script>', content.decode())
    assert found is not None
    about = json.loads(found[1])
    assert about["source"] == "server"
    assert [domain.get("pictures", False) for domain in about["domains"]] == [True, False]


def test_the_description_of_the_content_stays_as_it_was(folder: Path) -> None:
    content = small_content()
    before = json.dumps(content.about)
    MapServer(content, {"image": PictureFolder(folder, NAMES)}).stop()
    assert json.dumps(content.about) == before


def test_every_part_comes_as_it_is_and_may_be_kept_for_good(server: MapServer) -> None:
    for name, part in small_content().parts.items():
        answer, content = asked(server, f"part/{name}")
        assert (answer.status, content) == (200, part())
        assert answer.headers["Cache-Control"] == "private, max-age=31536000, immutable"
        expected = "image/webp" if name.startswith("sheet-") else "application/octet-stream"
        assert answer.headers["Content-Type"] == expected


def test_pictures_in_full_size(folder: Path) -> None:
    with MapServer(small_content(), {"image": PictureFolder(folder, NAMES)}) as server:
        answer, content = asked(server, "picture/0/0")
        assert (answer.status, answer.headers["Content-Type"]) == (200, "image/png")
        assert content == (folder / "a.png").read_bytes()
        assert answer.headers["Cache-Control"] == "private, max-age=3600"
        assert asked(server, "picture/0/1")[0].headers["Content-Type"] == "image/jpeg"
        assert status(server, "picture/0/2") == 415  # no picture
        assert status(server, "picture/0/3") == 404  # outside the folder
        (folder / "b.png").unlink()
        assert status(server, "picture/0/4") == 404


@pytest.mark.parametrize("path", ["", "part/places", "picture/0/0", "nothing"])
def test_head_says_the_same_without_the_content(path: str, server: MapServer) -> None:
    full, content = asked(server, path)
    head, nothing = asked(server, path, "HEAD")
    assert (head.status, nothing) == (full.status, b"")
    assert int(head.headers["Content-Length"]) == len(content)


def test_many_requests_at_once_make_a_part_once() -> None:
    content = small_content()
    made: list[str] = []

    def slow() -> bytes:
        made.append("slow")
        time.sleep(0.2)
        return b"slow"

    content.parts["slow"] = slow
    with MapServer(content) as server, ThreadPoolExecutor(12) as pool:
        assert list(pool.map(lambda _: asked(server, "part/slow")[1], range(12))) == [b"slow"] * 12
    assert made == ["slow"]


def test_an_error_is_an_answer_and_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    content = small_content()
    content.parts["wrong"] = lambda: bytes(1 // 0)
    with MapServer(content) as server, caplog.at_level(logging.ERROR, "mrsne"):
        assert status(server, "part/wrong") == 500
        assert status(server, "") == 200
    assert "could not answer a request" in caplog.text


def test_nothing_is_said_about_requests_or_clients_that_go_away(capfd: pytest.CaptureFixture[str]) -> None:
    content = small_content()
    content.parts["long"] = lambda: bytes(50_000_000)
    with MapServer(content) as server:
        for _ in range(3):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            host = f"127.0.0.1:{server.port}"
            connection.sendall(f"GET {urlsplit(server.url).path}part/long HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            connection.recv(100)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset, not an end
            connection.close()
        assert status(server, "nothing") == 404
        time.sleep(0.2)
    printed: Any = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_stopping_ends_connections_and_frees_the_port() -> None:
    server = MapServer(small_content())
    server.start()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("GET", urlsplit(server.url).path)
    connection.getresponse().read()
    server.stop()
    assert connection.sock.recv(1) == b""  # the end
    connection.close()
    with MapServer(small_content(), port=server.port) as again:
        assert (again.port, status(again, "")) == (server.port, 200)


def test_a_server_that_was_never_started_can_be_stopped() -> None:
    MapServer(small_content()).stop()


def test_pictures_belong_to_a_domain(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"pictures names the domain 'photo', but the domains are 'image', 'tag'"):
        MapServer(small_content(), {"photo": PictureFolder(folder, NAMES)})
    with pytest.raises(ParameterError, match=r"pictures\['tag'\] has 5 names, but 'tag' has 2 items"):
        MapServer(small_content(), {"tag": PictureFolder(folder, NAMES)})
    with pytest.raises(ParameterError, match="theme must be one of"):
        MapServer(small_content(), theme="blue")


@pytest.mark.parametrize(
    "path",
    [
        "picture/0/-1",
        "picture/0/+1",
        "picture/0/5",
        "picture/0/999999999999",
        "picture/0/99999999999999999999999999",
        "picture/0/1.0",
        "picture/0/one",
        "picture/0/",
        "picture/0",
        "picture/1/0",
        "picture/2/0",
        "picture/-1/0",
        "picture/00/0",
        "picture/0/../0/0",
        "picture/0/%30",
        "picture/0/a.png",
        "picture/0/../../secret.png",
        "picture/0/%2e%2e%2fsecret.png",
        "part/",
        "part/nothing",
        "part/../part/places",
        "part/%70laces",
        "part//etc/passwd",
        "../../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "static/map.js",
        "?x",
        "/",
        "//",
        "/etc/passwd",
        "/favicon.ico",
        "/part/places",
    ],
)
def test_nothing_else_is_there(path: str, server: MapServer) -> None:
    assert status(server, path) == 404


def test_another_token_opens_nothing(server: MapServer) -> None:
    token = urlsplit(server.url).path.strip("/")
    assert len(token) >= 32
    for wrong in (token[:-1], token + "x", token.swapcase(), "x" * len(token), ""):
        assert status(server, f"/{wrong}/part/places") == 404
    assert asked(server, f"/{token}")[0].headers["Location"] == f"/{token}/"
    with MapServer(small_content()) as other:
        assert urlsplit(other.url).path.strip("/") != token


class Maker:
    """Makes parts of some sizes, and counts how often."""

    def __init__(self, **sizes: int) -> None:
        self.made: Counter[str] = Counter()
        self.parts = {name: partial(self.make, name, size) for name, size in sizes.items()}

    def make(self, name: str, size: int) -> bytes:
        self.made[name] += 1
        return bytes(size)


def test_many_who_ask_at_once_get_what_the_first_makes() -> None:
    begun, go_on = threading.Event(), threading.Event()
    made = []

    def slow() -> bytes:
        made.append("slow")
        begun.set()
        assert go_on.wait(10)
        return b"part"

    cache = PartCache({"slow": slow})
    with ThreadPoolExecutor(9) as pool:
        asked = [pool.submit(lambda: cache["slow"]) for _ in range(9)]
        assert begun.wait(10)
        go_on.set()
        assert [future.result(10) for future in asked] == [b"part"] * 9
    assert made == ["slow"]


def test_a_slow_part_does_not_keep_others_waiting() -> None:
    go_on = threading.Event()
    cache = PartCache({"slow": lambda: b"slow" * go_on.wait(10), "fast": lambda: b"fast"})
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(lambda: cache["slow"])
        assert cache["fast"] == b"fast"
        go_on.set()
        assert slow.result(10) == b"slow"


def test_the_least_recently_used_make_room() -> None:
    maker = Maker(a=4, b=4, c=4)
    cache = PartCache(maker.parts, most=10)
    for name in "abacab":
        assert len(cache[name]) == 4
        assert cache.size <= 10
    assert maker.made == {"a": 1, "b": 2, "c": 1}


def test_a_part_that_is_too_large_is_returned_but_not_cached() -> None:
    maker = Maker(large=11)
    cache = PartCache(maker.parts, most=10)
    assert (len(cache["large"]), len(cache["large"]), cache.size, maker.made["large"]) == (11, 11, 0, 2)


def test_an_error_is_raised_and_not_cached() -> None:
    found = iter([None, b"part"])

    def unreliable() -> bytes:
        content = next(found)
        if content is None:
            raise RuntimeError("not now")
        return content

    cache = PartCache({"part": unreliable})
    with pytest.raises(RuntimeError, match="not now"):
        cache["part"]
    assert cache["part"] == b"part"
