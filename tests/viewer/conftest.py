"""Small maps, one of them on a real server, and real requests to it."""

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

NASTY = "\"></iframe><script>alert(1)</script><!-- & '"
WIDGET = "application/vnd.jupyter.widget-view+json"
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


def photo_folder(parent: Path) -> Path:
    inside = parent / "photos"
    inside.mkdir()
    for name in ("a.png", "scan.tif", "b.png"):
        Image.new("RGB", (40, 30), "red").save(inside / name)
    Image.new("RGB", (40, 30), "blue").save(parent / "secret.png")
    (inside / "broken.jpg").write_text("<html>")
    return inside


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return photo_folder(tmp_path)


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MapServer]:
    """One server for all tests that only read from it."""
    folder = photo_folder(tmp_path_factory.mktemp("server"))
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


def photos(count: int = 3, side: int = 8) -> RelationalData:
    random = np.random.default_rng(0)
    return RelationalData(
        {"photo": count, "tag": 2},
        {("photo", "tag"): [(0, 0), (1, 1)]},
        names={"tag": [NASTY, "</script>"]},
        pictures={"photo": random.integers(0, 255, (count, side, side, 3), np.uint8)},
    )


def embedded(data: RelationalData) -> Embedding:
    random = np.random.default_rng(0)
    return Embedding({name: random.normal(size=(size, 2)) for name, size in data.sizes.items()}, data=data)


def coloured(count: int = 40) -> tuple[Embedding, RelationalData]:
    """A map of plain red, green and blue pictures in turn, each linked to the tag of its colour."""
    random = np.random.default_rng(1)
    pictures = np.zeros((count, 20, 30, 3), np.uint8)
    pictures[np.arange(count), :, :, np.arange(count) % 3] = 200
    data = RelationalData(
        {"image": count, "tag": 3},
        {("image", "tag"): [(i, i % 3, 1.0 + i) for i in range(count)]},
        names={"tag": ["red", "green", "</script><b>"]},
        pictures={"image": pictures},
    )
    return Embedding({"image": random.normal(3, 5, (count, 2)), "tag": random.normal(3, 5, (3, 2))}), data
