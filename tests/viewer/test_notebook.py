"""What a notebook is given for a map, and what a widget answers; tests/browser/test_jupyter.py runs a JupyterLab."""

from __future__ import annotations

import html.parser
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne import Embedding, RelationalData
from mrsne.viewer import notebook, widget
from mrsne.viewer.content import Content
from mrsne.viewer.notebook import frame

NASTY = "\"></iframe><script>alert(1)</script><!-- & '"
WIDGET = "application/vnd.jupyter.widget-view+json"


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


class Elements(html.parser.HTMLParser):
    """Elements of a page in order, with their attributes, and all text outside of programs and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.found and self.found[-1][0] not in ("script", "style"):
            self.text += data


def test_an_embedding_shows_itself_as_a_frame_that_stays_in_saved_notebooks() -> None:
    shown = embedded(photos())._repr_mimebundle_()
    assert shown is not None
    assert list(shown) == ["text/plain", "text/html"], "JupyterLab would prefer a widget, and lose it"
    assert shown["text/plain"] == "Embedding(photo: 3 items, tag: 2 items; 2-d)"
    assert shown["text/html"].startswith("<iframe srcdoc=")


def test_an_embedding_without_data_shows_itself_too() -> None:
    shown = Embedding({"a": [[0, 0], [1, 1]]})._repr_mimebundle_()
    assert shown is not None
    assert "<iframe" in shown["text/html"]


@pytest.mark.parametrize("coordinates", [np.zeros((2, 3)), np.array([[0, np.nan]])], ids=["3-d", "nan"])
def test_what_is_no_map_stays_text(coordinates: Any) -> None:
    assert Embedding({"a": coordinates})._repr_mimebundle_() is None


def test_a_map_that_no_notebook_can_keep_is_a_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "SAVED_ITEMS", 4)
    shown = embedded(photos())._repr_mimebundle_()
    assert shown is not None
    assert WIDGET in shown
    assert shown["text/plain"].startswith("Embedding(")
    assert shown["text/html"] == "<p>A map of 5 items; run the notebook to see it.</p>"


def test_without_anywidget_maps_are_frames_and_widgets_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "mrsne.viewer.widget")
    monkeypatch.setitem(sys.modules, "anywidget", None)
    embedding = embedded(photos())
    shown = embedding._repr_mimebundle_()
    assert shown is not None
    assert "<iframe" in shown["text/html"]
    with pytest.raises(ImportError, match=r"pip install 'mrsne\[notebook\]'"):
        embedding.widget()
    monkeypatch.setattr(notebook, "SAVED_ITEMS", 4)
    assert list(embedding._repr_mimebundle_() or {}) == ["text/plain", "text/html"]


def test_nothing_gets_out_of_the_frame() -> None:
    data = photos()
    shown = Elements(
        frame(embedded(data), data, columns={"photo": {NASTY: [NASTY, "b", "c"]}}, title=NASTY, height=300)
    )
    ((tag, attributes),) = shown.found
    assert tag == "iframe"
    assert attributes["sandbox"] == "allow-scripts allow-downloads", "not the notebook's own origin"
    assert attributes["title"] == NASTY
    assert attributes["style"] == "display: block; width: 100%; height: 300px; border: 0"
    assert shown.text == "A map of 5 items; to see it, trust this notebook or run it."

    page = Elements(attributes["srcdoc"] or "")
    kinds = [attributes.get("type") for tag, attributes in page.found if tag == "script"]
    parts = Content(embedded(data), data, columns={"photo": {NASTY: [NASTY, "b", "c"]}}).parts
    assert kinds == ["application/json", *["application/octet-stream"] * len(parts), "module"]
    policies = [attributes["content"] for tag, attributes in page.found if "http-equiv" in attributes]
    assert len(policies) == 1
    assert "default-src 'none'" in str(policies[0])


@pytest.mark.parametrize(
    ("count", "side", "kept"), [(3, 8, 8), (3, 100, 64), (2_001, 64, 48), (5_001, 40, 32), (20_001, 40, 16)]
)
def test_thumbnails_in_a_notebook_are_small_and_never_scaled_up(count: int, side: int, kept: int) -> None:
    data = RelationalData(
        {"photo": count}, {}, pictures={"photo": np.broadcast_to(np.uint8(0), (count, side, side, 3))}
    )
    assert notebook._side(data) == kept


def test_a_widget_has_a_frame_behind_it() -> None:
    data = photos()
    shown = embedded(data).widget(title="Photos", height=300)._repr_mimebundle_()[0]
    assert set(shown) == {WIDGET, "text/plain", "text/html"}
    assert 'title="Photos" style="display: block; width: 100%; height: 300px; border: 0"' in shown["text/html"]


def test_a_widget_brings_what_it_shows_first() -> None:
    data = photos()
    made = embedded(data).widget()
    content = Content(embedded(data), data)
    assert made.initial_parts == {name: part() for name, part in content.parts.items()}
    assert made.about["source"] == "notebook"


def test_a_large_widget_brings_thumbnails_last_and_nothing_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    data = photos(200, 64)
    monkeypatch.setattr(widget, "INITIAL_BYTES", 20_000)
    made = embedded(data).widget()
    assert {"places", "tree-0", "names-1", "tree-1", "links-0"} <= set(made.initial_parts)
    assert sum(map(len, made.initial_parts.values())) <= 20_000
    assert not any(name.startswith("sheet") for name in made.initial_parts), "noise of this size does not fit"


def received(made: widget.MapWidget, data: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Any]]:
    """Hand a message to a widget as its channel does, and return what it sends: content and buffers."""
    sent: list[tuple[Any, Any]] = []

    def publish(kind: str, data: Any = None, metadata: Any = None, buffers: Any = None, **_: Any) -> None:
        sent.append((data, buffers))

    monkeypatch.setattr(made.comm, "publish_msg", publish)
    made.comm.handle_msg({"content": {"data": data}, "buffers": []})
    return sent


@pytest.mark.parametrize("name", ["places", "names-1", "tree-0", "links-0", "sheet-0-0"])
def test_a_widget_sends_the_parts_that_it_is_asked_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = photos()
    sent = received(embedded(data).widget(), {"method": "custom", "content": {"part": name}}, monkeypatch)
    assert sent == [({"method": "custom", "content": {"part": name}}, [Content(embedded(data), data).parts[name]()])]


@pytest.mark.parametrize("content", [{"part": "nothing"}, {"part": ["places"]}, {"part": None}, {}, [], "places", None])
def test_a_widget_does_not_answer_what_it_does_not_have(content: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert received(embedded(photos()).widget(), {"method": "custom", "content": content}, monkeypatch) == []


def test_a_selection_on_the_map_arrives_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    made = embedded(photos()).widget()
    heard: list[Any] = []
    made.observe(lambda change: heard.append(change["new"]), "selection")
    received(made, {"method": "update", "state": {"selection": {"photo": [0, 2]}}}, monkeypatch)
    assert made.selection == {"photo": [0, 2]}
    assert heard == [{"photo": [0, 2]}]


@pytest.mark.parametrize(
    "items", [[2, 0], (2, 0), {2, 0}, np.array([2, 0, 2]), np.flatnonzero([True, False, True]), range(0, 3, 2)]
)
def test_a_selection_from_python_is_positions_in_order(items: Any) -> None:
    made = embedded(photos()).widget()
    made.selection = {"photo": items, "tag": []}
    assert made.selection == {"photo": [0, 2], "tag": []}
    assert json.dumps(made.selection)


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ({"image": [0]}, "selection names 'image', but the domains are 'photo', 'tag'"),
        ({"photo": [0, 3]}, r"selection\['photo'\] must be positions below 3, got 3"),
        ({"tag": [-1]}, r"selection\['tag'\] must be positions below 2, got -1"),
        ({"photo": [True, False, True]}, r"selection\['photo'\] must be a list of positions, got \[True, False"),
        ({"photo": [0.5]}, r"selection\['photo'\] must be a list of positions, got \[0.5\]"),
        ({"photo": ["0"]}, r"selection\['photo'\] must be a list of positions, got \['0'\]"),
        ({"photo": "0"}, r"selection\['photo'\] must be a list of positions, got '0'"),
        ({"photo": 1}, r"selection\['photo'\] must be a list of positions, got 1"),
        ({"photo": None}, r"selection\['photo'\] must be a list of positions, got None"),
    ],
)
def test_a_selection_of_anything_else_is_refused(selection: Any, message: str) -> None:
    made = embedded(photos()).widget()
    made.selection = {"photo": [1]}
    with pytest.raises(ValueError, match=message):
        made.selection = selection
    assert made.selection == {"photo": [1]}


def test_a_widget_refuses_an_unknown_theme() -> None:
    with pytest.raises(ValueError, match="theme must be one of 'auto', 'light', 'dark', got 'blue'"):
        embedded(photos()).widget(theme="blue")


def test_in_a_terminal_an_embedding_is_text(tmp_path: Path) -> None:
    """Where nobody could see a page, none is made."""
    code = "import mrsne; print(mrsne.Embedding({'a': [[0, 0], [1, 1]]})._repr_mimebundle_())"
    command = [sys.executable, "-m", "IPython", "--no-banner", "--no-confirm-exit", "-c", code]
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path)}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert result.stdout.strip().endswith("None"), result.stderr
