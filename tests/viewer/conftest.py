"""A small map on a real server, and real requests to it."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image

from mrsne import Embedding, RelationalData
from mrsne.viewer.content import Content
from mrsne.viewer.pictures import PictureFolder
from mrsne.viewer.server import MapServer

NAMES = ["a.png", "scan.tif", "broken.jpg", "../secret.png", "b.png"]


def small_content() -> Content:
    random = np.random.default_rng(0)
    data = RelationalData(
        {"image": 5, "tag": 2},
        {("image", "tag"): [(0, 0), (1, 1)]},
        names={"image": NAMES, "tag": ["<b>", "dog"]},
        pictures={"image": random.integers(0, 255, (5, 8, 8, 3), np.uint8)},
    )
    return Content(Embedding({"image": random.normal(size=(5, 2)), "tag": [[0, 0], [1, 1]]}), data, title="</title>")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "photos"
    inside.mkdir()
    for name in ("a.png", "scan.tif", "b.png"):
        Image.new("RGB", (40, 30), "red").save(inside / name)
    Image.new("RGB", (40, 30), "blue").save(tmp_path / "secret.png")
    (inside / "broken.jpg").write_text("<html>")
    return inside


@pytest.fixture
def server(folder: Path) -> Iterator[MapServer]:
    with MapServer(small_content(), {"image": PictureFolder(folder, NAMES)}) as started:
        yield started


def asked(
    server: MapServer, path: str, method: str = "GET", host: str | None = None
) -> tuple[http.client.HTTPResponse, bytes]:
    """Send a path exactly as it is, below the token unless it starts with a slash."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    target = path if path.startswith("/") else urlsplit(server.url).path + path
    connection.putrequest(method, target, skip_host=host is not None)
    if host is not None:
        connection.putheader("Host", host)
    connection.endheaders()
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer, content


def status(server: MapServer, path: str, method: str = "GET", host: str | None = None) -> int:
    return asked(server, path, method, host)[0].status
