from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mrsne import Embedding, RelationalData
from mrsne.plot import map_figure


def test_labels_do_not_overlap_and_the_most_linked_stay() -> None:
    random = np.random.default_rng(0)
    names = [f"tag number {i}" for i in range(80)]
    links = np.triu(np.ones((80, 80)))  # tag i is linked i + 1 times
    data = RelationalData({"photo": 80, "tag": 80}, {("photo", "tag"): links}, names={"tag": names})
    embedding = Embedding({"photo": random.random((80, 2)), "tag": random.random((80, 2))})
    figure = map_figure(embedding, data)
    figure.canvas.draw()
    texts = figure.axes[0].texts
    boxes = [text.get_window_extent() for text in texts]
    assert 10 < len(texts) < 80
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert texts[0].get_text() == "tag number 79"


def test_names_are_text_not_markup(tmp_path: Path) -> None:
    names = ["$x^", "a_b", "\\frac", "<b>", "犬"]
    data = RelationalData({"tag": np.eye(5)}, names={"tag": names})
    with pytest.warns(UserWarning, match="Glyph 29356"):  # the font has no such character
        figure = map_figure(Embedding({"tag": np.arange(10).reshape(5, 2)}), data)
    figure.savefig(tmp_path / "map.png")
    assert {text.get_text() for text in figure.axes[0].texts} == set(names)


def test_only_planes_are_drawn() -> None:
    with pytest.raises(ValueError, match="must be two-dimensional to be drawn, got 3 dimensions"):
        map_figure(Embedding({"tag": [[1, 2, 3]]}))
