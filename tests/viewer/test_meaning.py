"""The part of a page that search by meaning reads."""

from __future__ import annotations

import gzip

import numpy as np

from mrsne import Embedding, RelationalData
from mrsne.encoders.meaning import FUNCTION_WORDS, LEAST
from mrsne.viewer.content import Content

TAGS = ["dog", "car", "xqzy"]
LINKS = [(0, "dog"), (1, "car"), (2, "car")]


def content(with_links: bool = True) -> Content:
    places = {"photo": np.zeros((3, 2)), "tag": np.ones((3, 2))}
    links = {("photo", "tag"): LINKS} if with_links else {}
    data = RelationalData({"photo": np.eye(3), "tag": 3}, links, names={"tag": TAGS})
    return Content(Embedding(places), data, report=False)


def test_the_part_has_words_and_the_items_whose_names_they_are_near() -> None:
    page = content()
    assert page.about["meaning"]
    raw = gzip.decompress(page.parts["meaning"]())
    n, total = np.frombuffer(raw, np.uint32, 2)
    counts = np.frombuffer(raw, np.uint8, n, 8)
    cosines, *planes = np.frombuffer(raw, np.uint8, 5 * total, 8 + n).reshape(5, total).astype(int)
    items = sum(plane * 256**place for place, plane in enumerate(planes))
    words = raw[8 + n + 5 * total :].decode().split("\n")
    assert (len(words), counts.sum(), counts[:FUNCTION_WORDS].sum()) == (n, total, 0)
    assert (cosines >= np.floor(255 * LEAST)).all()
    first = np.cumsum(counts) - counts
    assert items[first[words.index("puppy")]] == 3, "three photos come before the dog"
    assert items[first[words.index("automobile")]] == 4
    assert 5 not in items, "a name that no vector is known of is near nothing"


def test_a_map_without_links_or_names_has_none() -> None:
    assert content(with_links=False).about["meaning"] is None
    unnamed = RelationalData({"photo": np.eye(3), "tag": 3}, {("photo", "tag"): [(0, 0)]})
    places = {"photo": np.zeros((3, 2)), "tag": np.ones((3, 2))}
    page = Content(Embedding(places), unnamed, report=False)
    assert (page.about["meaning"], "meaning" in page.parts) == (None, False)
