"""Maps in the style of the paper: every tag is drawn."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mrsne import Embedding, RelationalData
from mrsne.experiments.drawing import LONGEST, PANEL_SETS, large_map, panel_figure, shown_items, spread_boxes
from mrsne.experiments.schematics import schematics
from mrsne.experiments.study import Study
from mrsne.plot.drawing import writable
from tests.experiments.conftest import Comparison


def crowded(n_tags: int = 85, n_images: int = 40) -> tuple[Study, Embedding]:
    """All tags on nearly one spot, as equal weights have them."""
    random = np.random.default_rng(0)
    W = (random.random((n_images, n_tags)) < 0.2).astype(float)
    names = {"tag": [f"tag number {index}" for index in range(n_tags)]}
    data = RelationalData(
        {"image": random.normal(size=(n_images, 4)), "tag": n_tags}, {("image", "tag"): W}, names=names
    )
    pictures = {"image": np.full((n_images, 8, 8, 4), 200, np.uint8)}
    places = {"image": 50 * random.normal(size=(n_images, 2)), "tag": 0.1 * random.normal(size=(n_tags, 2))}
    study = Study("awa2", "crowded", data, "image", "tag", "shared", paper="awa2", pictures=pictures)
    return study, Embedding(places)


def test_all_tags_are_drawn_however_crowded_and_none_covers_another_on_the_large_map() -> None:
    study, embedding = crowded()
    figure = large_map(embedding, study, "crowded")
    (axes,) = figure.axes
    names = [text for text in axes.texts if text.get_text().startswith("tag number")]
    assert len(names) == 85
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    boxes = [text.get_window_extent(renderer) for text in names]
    assert not any(a.overlaps(b) for index, a in enumerate(boxes) for b in boxes[:index])
    assert len(axes.images) == 1  # the thumbnails


def test_a_map_shows_the_120_most_linked_tags_and_500_pictures() -> None:
    study, _ = crowded(130, 520)
    shown = shown_items(study)
    assert (len(shown["image"]), len(shown["tag"])) == (500, 120)
    strength = np.asarray(study.data.relations["image", "tag"].sum(axis=0)).ravel()
    assert strength[shown["tag"]].min() >= np.sort(strength)[10]


def test_the_panels_of_a_figure_are_those_of_the_paper_with_the_score_in_the_title(comparison: Comparison) -> None:
    maps = {
        method.key: Embedding.load(comparison.folder / "runs" / f"{method.key}-0.npz") for method in comparison.methods
    }
    figures = {
        panels.number: panel_figure(panels, maps, comparison.methods, comparison.scores, comparison.study)
        for panels in PANEL_SETS
    }
    assert figures[10] is None  # PMvGE was not run
    figure = figures[5]
    assert figure is not None
    titles = [axes.get_title() for axes in figure.axes]
    assert [title[:3] for title in titles] == ["(a)", "(b)", "(e)", "(f)"]
    mean = np.mean([run["reconstruction_auc"] for run in comparison.scores["mrsne-pmi-size"]])
    assert titles[-1] == f"(f) MR-SNE, Algorithm 1: PMI, size ({mean:.3f})"
    for axes in figure.axes:
        assert len([text for text in axes.texts if text.get_text().startswith("attribute")]) == 24


@given(st.lists(st.tuples(st.floats(0, 300), st.floats(0, 300)), min_size=1, max_size=12))
def test_boxes_with_room_do_not_overlap_and_lone_ones_stay(centres: list[tuple[float, float]]) -> None:
    places, sizes = np.array(centres), np.full((len(centres), 2), [40.0, 10.0])
    bounds = np.array([[-500.0, -500.0], [800.0, 800.0]])
    moved = spread_boxes(places, sizes, bounds)
    np.testing.assert_array_equal(moved[0], places[0])
    for index in range(len(moved)):
        for other in range(index):
            assert (np.abs(moved[index] - moved[other]) >= [40 - 1e-9, 10 - 1e-9]).any()


def test_long_names_are_shortened() -> None:
    assert writable("a name that goes on and on and on", LONGEST) == "a name that goes on and…"


def test_the_schematics_show_the_numbers_of_the_study() -> None:
    study, embedding = crowded(12, 30)
    links = study.data.relations["image", "tag"].nnz
    figures = schematics(study, embedding)
    assert sorted(figures) == [2, 4, 9, 11]
    assert f"{links:,} in all" in figures[11].axes[1].get_title()
    assert np.shape(figures[4].axes[1].collections[0].get_offsets()) == (29, 2)  # all its pairs
    titles = [axes.get_title() for axes in figures[9].axes]
    assert titles[0].startswith("across: metric (I) ")
    assert titles[1].endswith("of k = 5")
    assert len(figures[2].axes) == 2


def test_queries_without_vectors_have_no_schematic_of_neighbours() -> None:
    study, embedding = crowded(12, 30)
    study.data = RelationalData({"image": 30, "tag": 12}, dict(study.data.relations))
    assert sorted(schematics(study, embedding)) == [2, 9, 11]
