"""Regions on a picture of a map."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnnotationBbox
from matplotlib.text import Text

from mrsne.plot import LIGHT, map_figure
from mrsne.plot.regions import draw_regions
from mrsne.regions import Region
from tests.regions.test_finding import COUNTRIES, world


def names_in(axes: Axes) -> list[AnnotationBbox]:
    return [artist for artist in axes.artists if isinstance(artist, AnnotationBbox)]


def test_a_long_name_is_cut_and_its_first_word_stands_above_the_others() -> None:
    square = 4 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]], np.float32)
    words = ("a name that somebody made far too long", "b", "c")
    region = Region(0, None, words, (3.0, 2.0, 1.0), {"photo": np.arange(9)}, (square,), (0.0, 0.0))
    figure = Figure(figsize=(5, 5))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-5, 5), ylim=(-5, 5))
    draw_regions(figure, axes, (region,), LIGHT, 5.0)
    first, others = names_in(axes)[0].findobj(Text)
    assert (first.get_text(), others.get_text()) == ("a name that somebody made far t…", "b · c")
    assert float(first.get_fontsize()) > float(others.get_fontsize())


def test_a_region_without_a_name_has_its_outline_alone() -> None:
    square = 4 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]], np.float32)
    region = Region(0, None, (), (), {"photo": np.arange(9)}, (square,), (0.0, 0.0))
    figure = Figure(figsize=(5, 5))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-5, 5), ylim=(-5, 5))
    assert draw_regions(figure, axes, (region,), LIGHT, 5.0) == []
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
    first, second = draw_regions(figure, axes, tuple(regions), LIGHT, 5.0)
    assert not first.overlaps(second)
    places = np.array([name.xybox for name in names_in(axes)])
    assert places[0].tolist() == [0, 0]
    assert 0 < np.abs(places[1]).max() < 4
