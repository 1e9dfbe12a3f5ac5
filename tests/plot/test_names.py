"""Names of items and regions on a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnnotationBbox
from matplotlib.text import Text

from mrsne import Embedding, RelationalData
from mrsne.plot.drawing import LIGHT, Canvas
from mrsne.plot.figure import map_figure
from mrsne.plot.names import draw_regions
from mrsne.regions.result import Region
from tests.regions.test_finding import COUNTRIES, world


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


def names_in(axes: Axes) -> list[AnnotationBbox]:
    return [artist for artist in axes.artists if isinstance(artist, AnnotationBbox)]


def test_a_long_name_is_cut_and_its_first_word_stands_above_the_others() -> None:
    square = 4 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]], np.float32)
    words = ("a name that somebody made far too long", "b", "c")
    region = Region(0, None, words, (3.0, 2.0, 1.0), {"photo": np.arange(9)}, (square,), (0.0, 0.0))
    figure = Figure(figsize=(5, 5))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-5, 5), ylim=(-5, 5))
    draw_regions(Canvas(figure, axes, LIGHT, 5.0), (region,))
    first, others = names_in(axes)[0].findobj(Text)
    assert (first.get_text(), others.get_text()) == ("a name that somebody made far t…", "b · c")
    assert float(first.get_fontsize()) > float(others.get_fontsize())


def test_a_region_without_a_name_has_its_outline_alone() -> None:
    square = 4 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]], np.float32)
    region = Region(0, None, (), (), {"photo": np.arange(9)}, (square,), (0.0, 0.0))
    figure = Figure(figsize=(5, 5))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-5, 5), ylim=(-5, 5))
    assert draw_regions(Canvas(figure, axes, LIGHT, 5.0), (region,)) == []
    assert len(axes.collections) == 1


def test_the_overview_is_drawn_with_its_names_and_none_overlap() -> None:
    embedding, data, _ = world()
    figure = map_figure(embedding, data, regions=True, labels=["tag"])
    axes = figure.axes[0]
    named = [[text.get_text() for text in name.findobj(Text)] for name in names_in(axes)]
    assert {first for first, *_ in named} == set(COUNTRIES)
    assert all(" · " in others[0] for _, *others in named if others)
    outlines = [artist for artist in axes.collections if isinstance(artist, PolyCollection)]
    assert [len(artist.get_paths()) >= 5 for artist in outlines] == [True]
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    boxes = [artist.get_window_extent(renderer) for artist in (*axes.texts, *names_in(axes))]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_nothing_is_drawn_unless_asked() -> None:
    embedding, data, _ = world()
    axes = map_figure(embedding, data).axes[0]
    assert not any(isinstance(artist, PolyCollection) for artist in axes.collections)
    assert not names_in(axes)


def test_a_name_that_would_overlap_another_moves_within_its_region() -> None:
    square = 4 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]], np.float32)
    photos = {"photo": np.arange(9)}
    regions = [Region(0, None, (name,), (1.0,), photos, (square,), (0.0, 0.0)) for name in ("sea", "sky")]
    figure = Figure(figsize=(5, 5))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-5, 5), ylim=(-5, 5))
    first, second = draw_regions(Canvas(figure, axes, LIGHT, 5.0), tuple(regions))
    assert not first.overlaps(second)
    places = np.array([name.xybox for name in names_in(axes)])
    assert places[0].tolist() == [0, 0]
    assert 0 < np.abs(places[1]).max() < 4
