"""What a widget brings, sends and receives; tests/browser/test_jupyter.py runs a JupyterLab."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from mrsne.viewer import widget
from mrsne.viewer.content import Content
from tests.viewer.conftest import WIDGET, embedded, photos


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


def test_a_widget_says_why_it_has_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    made = embedded(photos()).widget()
    unknown = received(made, {"method": "custom", "content": {"part": "nothing"}}, monkeypatch)
    assert [data["content"] for data, _ in unknown] == [{"part": "nothing", "error": "the map has no part nothing"}]

    def fail() -> bytes:
        raise MemoryError("no room")

    monkeypatch.setitem(made._content.parts, "places", fail)
    failed = received(made, {"method": "custom", "content": {"part": "places"}}, monkeypatch)
    assert [data["content"] for data, _ in failed] == [{"part": "places", "error": "no room"}]


@pytest.mark.parametrize("content", [{"part": ["places"]}, {"part": None}, {}, [], "places", None])
def test_a_widget_does_not_answer_what_is_no_question(content: Any, monkeypatch: pytest.MonkeyPatch) -> None:
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
        ({"image": [0]}, "selection names the domain 'image', but the domains are 'photo', 'tag'"),
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
