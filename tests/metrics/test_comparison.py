"""Two maps of the same items, compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne import Embedding, RelationalData, metrics
from mrsne.parameters import ParameterError


def before_and_after() -> tuple[Embedding, Embedding]:
    """A grid of photos; in the second map turned, with one photo elsewhere, one gone and one new."""
    grid = np.array([[x, y] for x in range(6) for y in range(6)], float)
    names = [f"p{i}" for i in range(36)]
    first = Embedding({"photo": grid}, data=RelationalData({"photo": 36}, names={"photo": names}))
    later = grid[:, ::-1] * [1, -1] * 3 + 20
    later[7] = later[7] + [12, 0]
    kept = [i for i in range(36) if i != 20]
    places = np.concatenate([[[0.0, 0.0]], later[kept]])
    data = RelationalData({"photo": 36}, names={"photo": ["new", *(names[i] for i in kept)]})
    return first, Embedding({"photo": places}, data=data)


def test_what_moved_comes_first_and_turning_does_not_count() -> None:
    found = metrics.compare(*before_and_after())
    frame = found.to_frame()
    assert frame["id"].iloc[0] == "p7"
    assert frame["moved"].iloc[0] > 0.8
    assert frame["moved"].iloc[1:35].max() < 0.25, "one item pulls the others a little"
    assert frame["kept"].iloc[0] < 0.5 < found.neighbors_kept
    assert repr(found).startswith("Comparison(35 items in both maps, ")


def test_items_of_one_map_only_are_told() -> None:
    found = metrics.compare(*before_and_after())
    where = found.to_frame().set_index("id")["where"]
    assert (where["p20"], where["new"], where["p0"]) == ("first", "second", "both")
    assert found.only_first["photo"].tolist() == [20]
    assert found.only_second["photo"].tolist() == [0]
    assert np.isnan(found.moved["photo"][20])
    assert found.n_common == 35


def test_a_map_and_itself_differ_in_nothing() -> None:
    first, _ = before_and_after()
    found = metrics.compare(first, first)
    np.testing.assert_allclose(found.moved["photo"], 0, atol=1e-6)
    assert found.neighbors_kept == 1


def test_the_first_map_need_not_have_the_kinds_of_the_second_in_their_order() -> None:
    first = Embedding({"a": np.eye(4, 2), "b": 5 + np.eye(3, 2), "c": [[1, 1]]})
    second = Embedding({"b": 5 + np.eye(3, 2), "d": [[9, 9]], "a": np.eye(4, 2)})
    found = metrics.compare(first, second, k=2)
    np.testing.assert_allclose(np.concatenate([found.moved["a"], found.moved["b"]]), 0, atol=1e-6)
    assert found.matches["c"].tolist() == [-1]
    assert found.to_frame()["where"].value_counts().to_dict() == {"both": 7, "first": 1, "second": 1}


def test_a_page_has_both_maps(tmp_path: Path) -> None:
    metrics.compare(*before_and_after()).to_html(tmp_path / "page.html", titles=("old", "new"), title="Two")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert 'data-part="0-places"' in text
    assert 'data-part="1-places"' in text
    assert "<title>Two</title>" in text


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (({"x": [[0, 0]]}, Embedding({"x": [[0, 0]]})), "first must be an Embedding, got"),
        (
            (Embedding({"x": [[0, 0]]}), Embedding({"x": [[0, 0, 0]]})),
            "second must have as many dimensions as first, 2",
        ),
        (
            (Embedding({"x": [[0, 0]]}), Embedding({"y": [[0, 0]]})),
            "the maps have no item in common: first has 1 of 'x', second has 1 of 'y'",
        ),
        (
            (Embedding({"x": [[0, 0]]}), Embedding({"x": [[0, 0]]}), RelationalData({"x": 2})),
            "data must have the items",
        ),
    ],
)
def test_what_cannot_be_compared_is_said(given: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        metrics.compare(*given)


def test_titles_must_be_two() -> None:
    found = metrics.compare(*before_and_after())
    with pytest.raises(ParameterError, match="titles must be two texts, got 'ab'"):
        found.to_html("page.html", titles="ab")  # type: ignore[arg-type]
