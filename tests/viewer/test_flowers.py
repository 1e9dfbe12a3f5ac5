"""Items at one place are drawn side by side around it, on the page and in plots; the map's numbers stay."""

from __future__ import annotations

import gzip
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree

import mrsne
from mrsne import MRSNE, Embedding, RelationalData
from mrsne.arrays import Float32
from mrsne.viewer.content import Content
from mrsne.viewer.flowers import FULL_ZOOM, MOST, spread_out

PIXEL = 1 / FULL_ZOOM


def nearest(places: Float32) -> float:
    """Return the smallest distance between two of some places, beside half the width of all."""
    reach = np.ptp(places, axis=0).max() / 2
    return float(cKDTree(places).query(places, k=2)[0][:, 1].min() / reach)


@pytest.fixture(scope="module")
def rows() -> tuple[RelationalData, Embedding]:
    """Return a map of 300 rows with 47 sets of values, made by the schedule that leaves equal rows on one spot."""
    random = np.random.default_rng(0)
    sets = np.unique(random.integers(0, 6, (200, 3)), axis=0)
    own = np.concatenate([np.arange(47), random.integers(0, 47, 253)])
    values = sets[random.permutation(len(sets))[:47]][own]
    relations = {("row", f"column {c}"): list(enumerate(values[:, c].tolist())) for c in range(3)}
    data = RelationalData({"row": 300, "column 0": 6, "column 1": 6, "column 2": 6}, relations)
    return data, MRSNE(random_state=0, schedule="stages", early_exaggeration=12).fit_transform(data)


def test_rows_with_the_same_values_are_apart_at_full_zoom(rows: tuple[RelationalData, Embedding]) -> None:
    data, embedding = rows
    assert len(np.unique(embedding["row"], axis=0)) < 100  # attraction among equals wins
    before = embedding["row"].copy()
    content = Content(embedding, data, report=False)
    places = np.frombuffer(gzip.decompress(content.parts["places"]()), "<f4").reshape(2, -1).T[:300]
    assert nearest(places) > 2 * PIXEL
    np.testing.assert_array_equal(embedding["row"], before)
    sharing = np.frombuffer(gzip.decompress(content.parts["sharing"]()), "<u4")
    assert content.about["crowded"]
    assert sharing[:300].max() > 5
    shown = places * content.about["reach"] + np.array(content.about["centre"])
    np.testing.assert_allclose(shown, before, atol=0.05 * float(np.ptp(before)))


def test_a_flower_takes_a_quarter_of_the_way_to_the_next_place(rows: tuple[RelationalData, Embedding]) -> None:
    _, embedding = rows
    shown, counts = spread_out(embedding)
    Y = embedding["row"].astype(np.float64)
    for item in range(300):
        distance = np.hypot(*(Y - Y[item]).T)
        elsewhere = distance > 1e-6 * np.ptp(Y)
        assert np.hypot(*(shown["row"][item] - Y[item])) < 0.26 * distance[elsewhere].min()
        assert counts["row"][item] == 300 - elsewhere.sum()


def test_items_that_are_alone_stay_to_the_last_bit() -> None:
    alone = np.random.default_rng(0).normal(size=(2_000, 2)).astype(np.float32)
    shown, counts = spread_out({"a": alone, "b": alone, "none": np.empty((0, 2), np.float32)})
    assert shown["a"] is alone  # an item of another kind may be at the same place
    assert shown["b"] is alone
    assert counts["a"].tolist() == [1] * 2_000
    two = np.concatenate([alone, alone[:3]])
    shown, counts = spread_out({"a": two})
    np.testing.assert_array_equal(shown["a"][3:2_000], two[3:2_000])
    assert np.flatnonzero(counts["a"] == 2).tolist() == [0, 1, 2, 2_000, 2_001, 2_002]


@pytest.mark.parametrize("copies", [2, 12, 5_000])
def test_crowds_beside_each_other_do_not_meet(copies: int) -> None:
    corners = np.array([[-1, -1], [1, 1]], np.float32)
    crowds = np.array([[0, 0], [3e-6, 0], [0.5, 0.5], [0.5 + 1e-6, 0.5]], np.float32)
    places = np.concatenate([corners, np.repeat(crowds, copies, axis=0)])
    shown, _ = spread_out({"item": places})
    assert nearest(shown["item"]) > 2 * PIXEL
    everywhere, counts = spread_out({"item": np.zeros((copies, 2), np.float32)})
    assert nearest(everywhere["item"]) > 2 * PIXEL
    assert counts["item"].tolist() == [copies] * copies


def test_a_map_that_is_tiny_beside_one_item_takes_no_more_memory() -> None:
    places = np.random.default_rng(0).normal(size=(20_000, 2)).astype(np.float32)
    places[0] = 1e7  # all pairs of the others are nearer than a pixel: gigabytes
    tracemalloc.start()
    shown, counts = spread_out({"item": places})
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1e8
    assert counts["item"].tolist() == [1] + [19_999] * 19_999
    assert nearest(shown["item"]) > 2 * PIXEL


def test_full_zoom_is_that_of_the_page() -> None:
    camera = (Path(__file__).parents[2] / "web/src/camera.ts").read_text()
    found = re.search(r"LARGEST_SCALE = ([\d_]+)", camera)
    assert found is not None
    assert int(found[1]) == FULL_ZOOM
    assert MOST > PIXEL


def test_a_plot_draws_a_dot_for_each() -> None:
    data = np.repeat(np.eye(3, 2, dtype=np.float32), 4, axis=0)
    embedding = Embedding({"item": data})
    drawn = np.asarray(mrsne.plot.map_figure(embedding).axes[0].collections[0].get_offsets())
    assert len(np.unique(drawn, axis=0)) == 12
