"""Names as text on a picture."""

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


def test_labels_of_different_domains_do_not_overlap() -> None:
    places = np.random.default_rng(0).random((30, 2))
    data = RelationalData(
        {"paper": np.eye(30), "word": np.eye(30)},
        names={"paper": [f"paper {i}" for i in range(30)], "word": [f"word {i}" for i in range(30)]},
    )
    figure = map_figure(Embedding({"paper": places, "word": places + 0.01}), data)
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["paper", "word"]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_lone_surrogates_and_unfinished_formulas_are_drawn_as_text(ending: str, tmp_path: Path) -> None:
    """Names of files that are not UTF-8 have lone surrogates, which no font has."""
    data = RelationalData({"caf\udce9": 1, "$x^": 1}, names={"caf\udce9": ["\ud800a"], "$x^": ["$b"]})
    embedding = Embedding({"caf\udce9": [[0, 0]], "$x^": [[1, 1]]})
    figure = map_figure(embedding, data, title="\udcff")
    figure.savefig(tmp_path / f"map.{ending}")
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["caf\ufffd", "$x^"]
    assert {text.get_text() for text in figure.axes[0].texts} == {"\ufffda", "$b"}
