"""Two maps side by side, from the command line."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from mrsne import Embedding
from mrsne.model.saved_map import SavedMap
from tests.cli.conftest import Fitted, run, summary_of
from tests.cli.json_keys import check_keys


@pytest.fixture(scope="module")
def later(fitted: Fitted, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same map with one tag on another place, and without ten of its images."""
    saved = SavedMap.load(fitted.path)
    data = saved.data.subset({"image": range(110)})
    places = saved.embedding["tag"].copy()
    places[3] += 100
    path = tmp_path_factory.mktemp("later") / "later.npz"
    Embedding({"image": saved.embedding["image"][:110], "tag": places}, data=data).save(path)
    data.save(path.with_suffix(".data.npz"))
    return path


def test_a_page_is_written_and_what_moved_is_told(fitted: Fitted, later: Path, tmp_path: Path) -> None:
    printed = summary_of("compare", fitted.path, later, "-o", tmp_path / "page.html")
    check_keys("compare", printed, ["image", "tag"])
    assert printed["items"] == {"image": 110, "tag": 20}
    assert (printed["only_first"], printed["only_second"]) == ({"image": 10, "tag": 0}, {"image": 0, "tag": 0})
    assert (printed["moved_most"][0]["kind"], printed["moved_most"][0]["id"]) == ("tag", "word 3")
    assert 0.8 < printed["neighbors_kept"]["image"] <= 1
    assert "<title>map and later</title>" in (tmp_path / "page.html").read_text("utf-8")


def test_people_read_it_in_sentences(fitted: Fitted, later: Path, tmp_path: Path) -> None:
    code, printed, _ = run("compare", fitted.path, later, "-o", tmp_path / "page.html")
    assert code == 0
    assert "items of image only in map: 10" in printed
    assert "moved far: tag word 3 (" in printed


def test_a_table_lists_all_items(fitted: Fitted, later: Path, tmp_path: Path) -> None:
    printed = summary_of("compare", fitted.path, later, "-o", tmp_path / "moved.csv")
    assert (printed["page"], printed["table"]) == (None, str(tmp_path / "moved.csv"))
    with (tmp_path / "moved.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 140
    assert (rows[0]["id"], rows[0]["where"], rows[-1]["where"], rows[-1]["moved"]) == ("word 3", "both", "first", "")


def test_maps_without_data_are_matched_by_position(tmp_path: Path) -> None:
    for name, shift in (("a", 0), ("b", 5)):
        Embedding({"x": [[0 + shift, 0], [1 + shift, 0], [0 + shift, 2]]}).save(tmp_path / f"{name}.npz")
    printed = summary_of("compare", tmp_path / "a.npz", tmp_path / "b.npz", "-o", tmp_path / "page.html")
    assert (printed["items"], printed["moved_most"][0]["moved"]) == ({"x": 3}, 0)
    _, told, _ = run("compare", tmp_path / "a.npz", tmp_path / "b.npz", "-o", tmp_path / "page.html")
    assert "neighbours that" in told
    assert "moved far" not in told  # where nothing has moved


def test_what_cannot_be_compared_is_said(fitted: Fitted, tmp_path: Path) -> None:
    Embedding({"x": [[0, 0]]}).save(tmp_path / "x.npz")
    code, _, errors = run("compare", fitted.path, tmp_path / "x.npz", "-o", tmp_path / "page.html")
    assert (code, "the maps have no item in common" in errors) == (1, True)
    code, _, errors = run("compare", fitted.path, fitted.path, "-o", tmp_path / "page.png")
    assert (code, "--output must end in .html, .htm, .csv" in errors) == (1, True)
