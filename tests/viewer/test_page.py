"""What is in a page."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest

from mrsne import MRSNE, Embedding, RelationalData
from mrsne.parameters import ParameterError
from mrsne.viewer.page import static_text


def sample(count: int = 40) -> tuple[Embedding, RelationalData]:
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


def written(tmp_path: Path, *arguments: Any, **options: Any) -> tuple[str, dict[str, Any], dict[str, bytes]]:
    embedding, data = sample()
    embedding.to_html(tmp_path / "map.html", data, *arguments, **options)
    text = (tmp_path / "map.html").read_text("utf-8")
    about = re.search(r'<script type="application/json" id="mrsne-about">(.*?)</script>', text, re.DOTALL)
    assert about is not None
    parts = re.findall(r'<script type="application/octet-stream" data-part="([\w-]+)">([\w+/=]*)</script>', text)
    return text, json.loads(about[1]), {name: base64.b64decode(part) for name, part in parts}


def test_places_come_back_as_coordinates(tmp_path: Path) -> None:
    _, about, parts = written(tmp_path)
    places = np.frombuffer(gzip.decompress(parts["places"]), "<f4").reshape(2, -1).T
    assert np.abs(places).max() == 1.0
    back = places * about["reach"] + np.array(about["centre"])
    np.testing.assert_allclose(back, sample()[0].stacked, atol=1e-5)


def test_links_and_names_come_back(tmp_path: Path) -> None:
    _, about, parts = written(tmp_path)
    assert json.loads(gzip.decompress(parts["names-1"])) == ["red", "green", "</script><b>"]
    assert about["relations"] == [{"a": 0, "b": 1, "links": 40, "weighted": True, "weight": 1.0}]
    content = gzip.decompress(parts["links-0"])
    counts, ends = np.frombuffer(content[:320], "<u4").reshape(2, 40)
    assert counts.tolist() == [1] * 40
    assert ends.tolist() == [i % 3 for i in range(40)]
    np.testing.assert_array_equal(np.frombuffer(content[320:], "<f4"), np.arange(1, 41))


def test_thumbnails_are_on_sheets_in_the_order_of_their_squares(tmp_path: Path) -> None:
    _, about, parts = written(tmp_path)
    assert about["domains"][0]["thumbnails"]["side"] == 30
    header = np.frombuffer(gzip.decompress(parts["tree-0"]), "<u4")
    squares, items = header[:2]
    assert (squares, items) == (1, 40)
    order = header[2 + 6 : 2 + 6 + 40]
    sheet = np.asarray(PIL.Image.open(io.BytesIO(parts["sheet-0-0"])).convert("RGB"))
    pitch = 30 + 2 * about["domains"][0]["thumbnails"]["gutter"]
    assert sheet.shape == (6 * pitch, 7 * pitch, 3)
    for slot, item in enumerate(order):
        cell = sheet[slot // 7 * pitch :, slot % 7 * pitch :][:pitch, :pitch]
        middle = cell[pitch // 2, pitch // 2]
        assert int(middle.argmax()) == item % 3
        assert cell[pitch // 2, 1].argmax() == middle.argmax(), "its colours go on where it reaches the edge"
        assert cell[pitch // 2, 1].max() > 120
        assert cell[5, pitch // 2].max() < 60, "wide pictures are not stretched"


def test_a_page_is_text_that_needs_nothing_else(tmp_path: Path) -> None:
    text, _, _ = written(tmp_path, title="</title><script>x</script>")
    assert "<title>&lt;/title&gt;&lt;script&gt;x&lt;/script&gt;</title>" in text
    assert text.count("<b>") == 0
    assert not re.findall(r'(?:src|href)="(?!data:)', text)
    digest = base64.b64encode(hashlib.sha256(static_text("map.js").encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}' 'unsafe-eval'" in text
    assert "default-src 'none'" in text
    assert "connect-src 'none'" in text


def test_nothing_of_the_data_is_changed(tmp_path: Path) -> None:
    embedding, data = sample()
    (W,) = data.relations.values()
    before = W.data
    embedding.to_html(tmp_path / "map.html", data)
    assert W.data is before
    assert not W.data.flags.writeable


def test_the_same_map_is_the_same_page(tmp_path: Path) -> None:
    first = written(tmp_path)[0]
    assert written(tmp_path)[0] == first


def test_data_that_the_map_was_made_of_needs_no_mention(tmp_path: Path) -> None:
    data = RelationalData({"image": np.eye(8), "tag": 2}, {("image", "tag"): np.eye(8, 2)}, {"tag": ["a", "b"]})
    embedding = MRSNE(perplexity=2, max_iter=20, random_state=0).fit_transform(data)
    embedding.to_html(tmp_path / "map.html")
    assert 'data-part="links-0"' in (tmp_path / "map.html").read_text("utf-8")


def test_bad_arguments_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    embedding, data = sample()
    cases: list[tuple[Embedding, str, dict[str, Any], str]] = [
        (embedding, "map.png", {}, r"path must end in .html or .htm, got '.*map.png'"),
        (embedding, "map.html", {"theme": "pink"}, r"theme must be .*'pink'"),
        (
            embedding,
            "map.html",
            {"columns": {"ghost": {}}},
            r"columns names 'ghost', but the domains are 'image', 'tag'",
        ),
        (embedding, "map.html", {"data": {"a": 1}}, r"data must be a RelationalData, got {'a': 1}"),
        (embedding, "map.html", {"data": data.subset({"tag": [0]})}, r"data must have the items of the embedding"),
        (embedding, "map.html", {"thumbnail_side": 0}, r"thumbnail_side must be .* got 0"),
        (Embedding({"a": [[1, 2, 3]]}), "map.html", {}, r"has 2 dimensions, but the embedding has 3"),
        (Embedding({"a": [[1, np.nan]]}), "map.html", {}, r"finite coordinates"),
    ]
    for map_, name, options, message in cases:
        with pytest.raises(ParameterError, match=message):
            map_.to_html(tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_one_item_and_items_at_one_place(tmp_path: Path) -> None:
    for coordinates in ([[5, 5]], [[5, 5]] * 4):
        Embedding({"tag": coordinates}).to_html(tmp_path / "map.html")
        assert 'data-part="places"' in (tmp_path / "map.html").read_text("utf-8")
