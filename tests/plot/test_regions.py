"""Regions on a picture of a map."""

from __future__ import annotations

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from mrsne.plot import LIGHT, map_figure
from mrsne.plot.regions import draw_regions
from mrsne.regions import Region
from tests.regions.test_finding import COUNTRIES, world


def test_the_overview_is_drawn_with_its_names_and_none_overlap() -> None:
    embedding, data, _ = world()
    figure = map_figure(embedding, data, regions=True, labels=["tag"])
    axes = figure.axes[0]
    large = [text for text in axes.texts if float(text.get_fontsize()) > 13.5]
    assert {text.get_text().split(",")[0] for text in large} == set(COUNTRIES)
    outlines = [artist for artist in axes.collections if isinstance(artist, PolyCollection)]
    assert [len(artist.get_paths()) >= 5 for artist in outlines] == [True]
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    boxes = [text.get_window_extent(renderer) for text in axes.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_nothing_is_drawn_unless_asked() -> None:
    embedding, data, _ = world()
    axes = map_figure(embedding, data).axes[0]
    assert not any(isinstance(artist, PolyCollection) for artist in axes.collections)
    assert max(float(text.get_fontsize()) for text in axes.texts) <= 13


def test_a_name_that_would_overlap_another_moves_within_its_region() -> None:
    square = 4 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]], np.float32)
    photos = {"photo": np.arange(9)}
    regions = [Region(0, None, (name,), (1.0,), photos, (square,), (0.0, 0.0)) for name in ("sea", "sky")]
    figure = Figure(figsize=(5, 5))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-5, 5), ylim=(-5, 5))
    first, second = draw_regions(figure, axes, tuple(regions), LIGHT, 5.0)
    assert not first.overlaps(second)
    places = np.array([text.get_position() for text in axes.texts])
    assert places[0].tolist() == [0, 0]
    assert 0 < np.abs(places[1]).max() < 4
