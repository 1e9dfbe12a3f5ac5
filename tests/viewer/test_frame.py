"""A map as a page in a frame."""

from __future__ import annotations

import html.parser

import numpy as np
import pytest

from mrsne import RelationalData
from mrsne.viewer.content import Content
from mrsne.viewer.frame import frame, saved_side
from tests.viewer.conftest import NASTY, embedded, photos


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
