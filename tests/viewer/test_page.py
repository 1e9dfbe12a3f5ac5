"""What is in a page."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest

from mrsne import Embedding, RelationalData
from mrsne.viewer.content import Content
from mrsne.viewer.page import static_text
from tests.viewer.conftest import coloured


def written(tmp_path: Path, *arguments: Any, **options: Any) -> tuple[str, dict[str, Any], dict[str, bytes]]:
    embedding, data = coloured()
    embedding.to_html(tmp_path / "map.html", data, *arguments, **options)
    text = (tmp_path / "map.html").read_text("utf-8")
    about = re.search(r'<script type="application/json" id="mrsne-about">(.*?)</script>', text, re.DOTALL)
    assert about is not None
    parts = re.findall(r'<script type="application/octet-stream" data-part="([\w-]+)">([\w+/=]*)</script>', text)
    return text, json.loads(about[1]), {name: base64.b64decode(part) for name, part in parts}


def test_a_page_has_every_part_of_the_content(tmp_path: Path) -> None:
    _, about, parts = written(tmp_path, title="Colours", theme="dark")
    content = Content(*coloured(), title="Colours")
    assert parts == {name: part() for name, part in content.parts.items()}
    assert about == content.about | {"theme": "dark", "source": "page"}


def test_a_page_is_text_that_needs_nothing_else(tmp_path: Path) -> None:
    text, _, _ = written(tmp_path, title="</title><script>x</script>")
    assert "<title>&lt;/title&gt;&lt;script&gt;x&lt;/script&gt;</title>" in text
    assert text.count("<b>") == 0
    assert not re.findall(r'(?:src|href)="(?!data:)', text)
    digest = base64.b64encode(hashlib.sha256(static_text("map.js").encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in text
    assert "default-src 'none'" in text
    assert "connect-src 'none'" in text


def test_the_same_map_is_the_same_page(tmp_path: Path) -> None:
    first = written(tmp_path)[0]
    assert written(tmp_path)[0] == first


def test_nothing_is_computed_twice_for_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedding, data = coloured(120)
    vectors = np.random.default_rng(3).normal(size=(120, 5))
    known = RelationalData({"image": vectors, "tag": 3}, dict(data.relations), names=dict(data.names))
    counts: Counter[str] = Counter()
    for path in (
        "mrsne.viewer.content.read_details",
        "mrsne.viewer.regions.find_regions",
        "mrsne.metrics.report_card.score_map",
        "mrsne.metrics.reasons.affinities_of",
    ):
        counted = partial(_counted, counts, path, resolve_name(path))
        monkeypatch.setattr(path, counted)
    Embedding(embedding, data=known, settings={"perplexity": 5.0}).to_html(tmp_path / "map.html")
    assert sorted(counts.values()) == [1, 1, 1, 1]


def _counted(counts: Counter[str], path: str, function: Any, *arguments: Any, **options: Any) -> Any:
    counts[path] += 1
    return function(*arguments, **options)


def test_a_page_needs_none_of_the_large_libraries(tmp_path: Path) -> None:
    code = f"""
import sys
import numpy as np
import mrsne

X = np.random.default_rng(0).normal(size=(120, 5))
links = [(i, i % 3) for i in range(120)]
data = mrsne.RelationalData({{"x": X, "t": 3}}, {{("x", "t"): links}}, names={{"t": ["a", "b", "c"]}})
mrsne.Embedding({{"x": X[:, :2], "t": X[:3, :2]}}).to_html({str(tmp_path / "map.html")!r}, data)
print(sorted({{"sklearn", "pandas", "scipy.stats", "matplotlib"}}.intersection(sys.modules)))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_data_that_the_embedding_knows_needs_no_mention(tmp_path: Path) -> None:
    data = RelationalData({"image": np.eye(8), "tag": 2}, {("image", "tag"): np.eye(8, 2)}, {"tag": ["a", "b"]})
    Embedding({"image": np.eye(8, 2), "tag": np.eye(2)}, data=data).to_html(tmp_path / "map.html")
    assert 'data-part="links-0"' in (tmp_path / "map.html").read_text("utf-8")


def test_bad_arguments_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    embedding, data = coloured()
    cases: list[tuple[Embedding, str, dict[str, Any], str]] = [
        (embedding, "map.png", {}, r"path must end in .html or .htm, got '.*map.png'"),
        (embedding, "map.html", {"theme": "pink"}, r"theme must be .*'pink'"),
        (
            embedding,
            "map.html",
            {"columns": {"ghost": {}}},
            r"columns names the domain 'ghost', but the domains are 'image', 'tag'",
        ),
        (embedding, "map.html", {"data": {"a": 1}}, r"data must be a RelationalData, got {'a': 1}"),
        (embedding, "map.html", {"data": data.subset({"tag": [0]})}, r"data must have the items of the embedding"),
        (embedding, "map.html", {"thumbnail_side": 0}, r"thumbnail_side must be .* got 0"),
        (Embedding({"a": [[1, 2, 3]]}), "map.html", {}, r"has 2 dimensions, but the embedding has 3"),
        (Embedding({"a": [[1, np.nan]]}), "map.html", {}, r"finite coordinates"),
    ]
    for map_, name, options, message in cases:
        with pytest.raises(ValueError, match=message):
            map_.to_html(tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []
