"""What a notebook is given for a map; tests/browser/test_jupyter.py runs a JupyterLab."""

from __future__ import annotations

import html.parser
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne import Embedding, RelationalData
from mrsne.viewer import notebook
from mrsne.viewer.atlas import saved_side
from mrsne.viewer.content import Content
from mrsne.viewer.notebook import frame
from tests.viewer.conftest import NASTY, WIDGET, embedded, photos


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


def test_in_a_terminal_an_embedding_is_text(tmp_path: Path) -> None:
    """Where nobody could see a page, none is made."""
    code = "import mrsne; print(mrsne.Embedding({'a': [[0, 0], [1, 1]]})._repr_mimebundle_())"
    command = [sys.executable, "-m", "IPython", "--no-banner", "--no-confirm-exit", "-c", code]
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path)}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert result.stdout.strip().endswith("None"), result.stderr


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
    ("count", "side", "expected"), [(3, 8, 8), (3, 100, 64), (2_001, 64, 48), (5_001, 40, 32), (20_001, 40, 16)]
)
def test_thumbnails_in_a_notebook_are_small_and_never_scaled_up(count: int, side: int, expected: int) -> None:
    data = RelationalData(
        {"photo": count}, {}, pictures={"photo": np.broadcast_to(np.uint8(0), (count, side, side, 3))}
    )
    assert saved_side(data) == expected
