"""The parts of a map are what they were made of."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import numpy as np
import PIL.Image
import pytest
from numpy.typing import NDArray

from mrsne import Embedding, RelationalData
from mrsne.viewer.content import Content
from tests.viewer.conftest import coloured


def array(content: Content, name: str, dtype: str) -> NDArray[Any]:
    return np.frombuffer(gzip.decompress(content.parts[name]()), dtype)


def test_places_come_back_as_coordinates() -> None:
    embedding, data = coloured()
    content = Content(embedding, data)
    places = array(content, "places", "<f4").reshape(2, -1).T
    assert np.abs(places).max() == 1.0
    back = places * content.about["reach"] + np.array(content.about["centre"])
    np.testing.assert_allclose(back, embedding.stacked, atol=1e-5)


def test_links_and_names_come_back() -> None:
    content = Content(*coloured())
    assert json.loads(gzip.decompress(content.parts["names-1"]())) == ["red", "green", "</script><b>"]
    assert content.about["relations"] == [{"a": 0, "b": 1, "links": 40, "weighted": True, "weight": 1.0, "share": None}]
    part = gzip.decompress(content.parts["links-0"]())
    counts, ends = np.frombuffer(part[:320], "<u4").reshape(2, 40)
    assert counts.tolist() == [1] * 40
    assert ends.tolist() == [i % 3 for i in range(40)]
    np.testing.assert_array_equal(np.frombuffer(part[320:], "<f4"), np.arange(1, 41))


def test_each_kind_and_relation_has_its_share_of_the_weight() -> None:
    embedding, data = coloured()
    a, b = embedding
    content = Content(Embedding(embedding, weights={a: 0.3, (b, a): 0.7}), data)
    assert [domain["share"] for domain in content.about["domains"]] == [0.3, None]
    assert [relation["share"] for relation in content.about["relations"]] == [0.7]
    assert Content(dict(embedding)).about["domains"][0]["share"] is None


@pytest.mark.parametrize("links", [[(0, 1), (1, 0), (2, 2)], [(1, 0)]], ids=["both ways", "one way"])
def test_inside_a_domain_each_link_is_there_once_and_none_to_itself(links: list[tuple[int, int]]) -> None:
    data = RelationalData({"person": 3}, {("person", "person"): links})
    content = Content(Embedding({"person": np.eye(3, 2)}), data)
    assert content.about["relations"][0]["links"] == 1
    assert array(content, "links-0", "<u4").tolist() == [1, 0, 0, 1]


def test_of_both_directions_the_larger_weight_counts() -> None:
    data = RelationalData({"person": 3}, {("person", "person"): [(0, 1, 2.0), (1, 0, 5.0), (1, 2, 1.0)]})
    content = Content(Embedding({"person": np.eye(3, 2)}), data)
    assert array(content, "links-0", "<f4")[-2:].tolist() == [5.0, 1.0]


def test_thumbnails_are_on_sheets_in_the_order_of_their_squares() -> None:
    content = Content(*coloured())
    thumbnails = content.about["domains"][0]["thumbnails"]
    assert thumbnails["side"] == 30
    header = array(content, "tree-0", "u1")[: 4 * (2 + 6 + 40)].view("<u4")
    squares, items = header[:2]
    assert (squares, items) == (1, 40)
    order = header[2 + 6 :]
    sheet = np.asarray(PIL.Image.open(io.BytesIO(content.parts["sheet-0-0"]())).convert("RGB"))
    pitch = 30 + 2 * thumbnails["gutter"]
    assert sheet.shape == (6 * pitch, 7 * pitch, 3)
    for slot, item in enumerate(order):
        middle = sheet[slot // 7 * pitch + pitch // 2, slot % 7 * pitch + pitch // 2]
        assert int(middle.argmax()) == item % 3


def test_nothing_of_the_data_is_changed() -> None:
    embedding, data = coloured()
    (W,) = data.relations.values()
    before = W.data
    for part in Content(embedding, data).parts.values():
        part()
    assert W.data is before
    assert not W.data.flags.writeable


def test_one_item_and_items_at_one_place() -> None:
    for coordinates in ([[5, 5]], [[5, 5]] * 4):
        content = Content(Embedding({"tag": coordinates}))
        assert array(content, "places", "<f4").tolist() == [0.0] * 2 * len(coordinates)


def test_labels_are_shown_and_ids_and_columns_of_the_data_go_with_them() -> None:
    data = RelationalData(
        {"work": 2},
        names={"work": ["A1", "A2"]},
        labels={"work": ["untitled", "untitled"]},
        columns={"work": {"year": [1850, 1851], "place": ["Oslo", "Rome"]}},
    )
    embedding = Embedding({"work": [[0, 0], [1, 1]]})
    content = Content(embedding, data, columns={"work": {"year": [1, 2]}})
    about = content.about["domains"][0]
    assert json.loads(gzip.decompress(content.parts["names-0"]())) == ["untitled", "untitled"]
    assert json.loads(gzip.decompress(content.parts["ids-0"]())) == ["A1", "A2"]
    assert about["identified"]
    assert [(column["name"], column["kind"]) for column in about["columns"]] == [
        ("year", "number"),
        ("place", "category"),
    ]
    years = np.frombuffer(gzip.decompress(content.parts["column-0-0"]()), np.float32)
    assert years.tolist() == [1, 2]  # what is given for the page comes before what the data has


def test_what_is_foremost_is_shown_first_and_a_page_may_open_with_a_column() -> None:
    places = {"work": np.array([[0, 0], [1e-4, 0], [0, 1]], np.float32)}
    data = RelationalData({"work": 3}, names={"work": ["a", "b", "c"]})
    content = Content(
        places, data, columns={"work": {"x": [1, 2, 3]}}, foremost={"work": np.array([False, False, True])}
    )
    content.colour_by("work", "x")
    assert content.about["colour"] == "0.0"
    packed = gzip.decompress(content.parts["tree-0"]())
    nodes = int(np.frombuffer(packed[:4], "<u4")[0])
    order = np.frombuffer(packed, "<u4", 3, 8 + 24 * nodes)  # after two counts, and six numbers for each square
    assert order.tolist() == [2, 0, 1]
