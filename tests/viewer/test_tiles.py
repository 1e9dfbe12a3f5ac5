"""How many requests it takes to look at a large map: thumbnails come in the squares that are on screen."""

from __future__ import annotations

import gzip
import http.client
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
import pytest
from numpy.typing import NDArray

from mrsne import Embedding, RelationalData
from mrsne.viewer import atlas
from mrsne.viewer.content import Content
from mrsne.viewer.server import MapServer
from mrsne.viewer.spacing import LEVELS, PIXELS, STEP

COUNT = 100_000
SIDE = 32  # pixels of a thumbnail in a map of this size: 1024 on a sheet
SCREENS = ((1440, 900), (2560, 1440))
MOST_REQUESTS = 30  # for one look when nothing was loaded before; of the 10,854 below, the worst takes 18
ROOM = (1.12 * 26) ** 2 / 0.35  # pixels for each picture, from which on all are shown; as in web/src/room.ts
RAREST = 18  # up to this level there are more than a few items on screen


@dataclass
class Tree:
    nodes: NDArray[np.int32]
    order: NDArray[np.uint32]
    levels: NDArray[np.uint8]

    def squares(self, box: NDArray[np.float64], level: int) -> list[int]:
        """Walk from the first square into those that touch a box and have items at a level, as the page does."""
        depth, column, row, start, _, parent = self.nodes.T
        side = 2.0 / 2.0**depth
        low = np.stack([column * side - 1, row * side - 1], axis=1)
        touch = ((low <= box[1]) & (low + side[:, None] >= box[0])).all(axis=1) & (self.levels[start] <= level)
        found: list[int] = []
        waiting = [0]
        while waiting:
            node = waiting.pop()
            if touch[node]:
                found.append(node)
                waiting.extend(np.flatnonzero(parent == node).tolist())
        return found


def read_tree(part: bytes) -> Tree:
    content = gzip.decompress(part)
    squares, items = np.frombuffer(content, "<u4", 2)
    nodes = np.frombuffer(content, "<i4", 6 * squares, 8).reshape(-1, 6)
    order = np.frombuffer(content, "<u4", items, 8 + nodes.nbytes)
    return Tree(nodes, order, np.frombuffer(content, "u1", items, 8 + nodes.nbytes + order.nbytes))


@pytest.fixture(scope="module")
def content() -> Content:
    """Clouds of very different size and density, which is harder than an even spread; items in no order."""
    random = np.random.default_rng(0)
    centres, spread = random.uniform(-50, 50, (60, 2)), random.lognormal(0, 1, 60)
    cloud = random.integers(0, 60, COUNT)
    places = centres[cloud] + spread[cloud, None] * random.normal(size=(COUNT, 2))
    pictures = random.integers(0, 255, (COUNT, 2, 2, 3), np.uint8)
    return Content(
        Embedding({"image": places}), RelationalData({"image": COUNT}, pictures={"image": pictures}), side=SIDE
    )


@pytest.fixture(scope="module")
def places(content: Content) -> NDArray[np.float32]:
    return np.frombuffer(gzip.decompress(content.parts["places"]()), "<f4").reshape(2, -1).T


def looks(places: NDArray[np.float32]) -> list[tuple[NDArray[np.float64], int]]:
    """Return boxes and levels: both screens, at every zoom, around the middle and around two hundred items."""
    random = np.random.default_rng(1)
    found = []
    for width, height in SCREENS:
        half = np.array([width, height]) / 2
        for level in range(-1, LEVELS):
            zoom = PIXELS * STEP**level
            for middle in (np.zeros(2), *places[random.integers(0, COUNT, 200)]):
                found.append((np.stack([middle - half / zoom, middle + half / zoom]), level))
    return found


def shown(tree: Tree, places: NDArray[np.float32], box: NDArray[np.float64], level: int) -> NDArray[np.uint32]:
    candidates = tree.order[tree.levels <= level]
    inside = ((places[candidates] >= box[0]) & (places[candidates] <= box[1])).all(axis=1)
    return np.asarray(candidates[inside], np.uint32)


def test_no_look_takes_more_than_thirty_requests(content: Content, places: NDArray[np.float32]) -> None:
    tree = read_tree(content.parts["tree-0"]())
    requests = []
    for box, level in looks(places):
        pixels = np.prod((box[1] - box[0]) * PIXELS * STEP**level)
        all_shown = ((places >= box[0]) & (places <= box[1])).all(axis=1).sum() * ROOM <= pixels
        requests.append(len(tree.squares(box, LEVELS if all_shown else max(level, 0))))
    assert max(requests) <= MOST_REQUESTS


def test_the_squares_have_everything_that_is_on_screen(content: Content, places: NDArray[np.float32]) -> None:
    tree = read_tree(content.parts["tree-0"]())
    for box, level in looks(places)[::97]:
        start, count = tree.nodes[tree.squares(box, max(level, 0)), 3:5].T
        loaded = np.concatenate([tree.order[a : a + n] for a, n in zip(start, count, strict=True)])
        assert np.isin(shown(tree, places, box, max(level, 0)), loaded).all()


def test_sheets_in_the_order_of_the_items_would_take_more(content: Content, places: NDArray[np.float32]) -> None:
    tree = read_tree(content.parts["tree-0"]())
    capacity = atlas.capacity(SIDE)
    ours, theirs = [], []
    for box, level in looks(places)[::53]:
        if level <= RAREST:
            ours.append(len(tree.squares(box, max(level, 0))))
            theirs.append(len(np.unique(shown(tree, places, box, max(level, 0)) // capacity)))
    assert max(theirs) > MOST_REQUESTS
    assert sum(theirs) > 5 * sum(ours)


def test_a_look_through_a_real_server(content: Content) -> None:
    with MapServer(content) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

        def part(name: str) -> bytes:
            connection.request("GET", f"{urlsplit(server.url).path}part/{name}")
            answer = connection.getresponse()
            assert answer.status == 200
            return answer.read()

        tree = read_tree(part("tree-0"))
        squares = tree.squares(np.array([[-0.1, -0.1], [0.1, 0.1]]), 6)
        sheets = [part(f"sheet-0-{node}") for node in squares]
        connection.close()
    assert 1 <= len(sheets) <= MOST_REQUESTS
    assert all(sheet[8:12] == b"WEBP" for sheet in sheets)
