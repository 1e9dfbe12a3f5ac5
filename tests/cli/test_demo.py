"""`mrsne demo`: the bundled emoji and their keywords."""

from __future__ import annotations

from pathlib import Path

import matplotlib.image
import pytest

from mrsne import Embedding
from mrsne.cli.demo import page_for
from tests.cli.conftest import Invoke, summary_of
from tests.cli.json_keys import check_keys


def test_demo_writes_map_and_picture_and_says_how_good_it_is(tmp_path: Path) -> None:
    summary = summary_of("demo", "-o", tmp_path / "out")
    check_keys("demo", summary, ["image", "tag"])
    assert (summary["items"], summary["links"]) == ({"image": 1636, "tag": 997}, {"image": {"tag": 6726}})
    assert summary["hit_rate_10"]["image"]["tag"] > 0.8
    embedding = Embedding.load(tmp_path / "out" / "emoji.npz")
    assert embedding["tag"].shape == (997, 2)
    assert embedding.weights is not None
    assert summary["weights"]["links"]["image"]["tag"] == pytest.approx(embedding.weights["image", "tag"], abs=1e-4)
    picture = matplotlib.image.imread(tmp_path / "out" / "emoji.png")
    assert picture.shape[:2] == (1800, 1800)
    assert picture.std() > 0.05


def test_a_page_alone_is_a_file_and_not_a_folder(tmp_path: Path) -> None:
    page = tmp_path / "new" / "x.html"
    summary = summary_of("demo", "-o", page)
    check_keys("demo", summary, ["image", "tag"])
    assert (summary["page"], summary["picture"]) == (str(page), None)
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert sorted(file.name for file in page.parent.iterdir()) == ["x.data.npz", "x.html", "x.npz"]


def test_a_folder_stays_a_folder_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "pages.html").mkdir()
    (tmp_path / "v1.2").mkdir()
    for name in ("pages.html", "v1.2", "new"):
        assert page_for(tmp_path / name) == tmp_path / name / "emoji.html"


@pytest.mark.parametrize("name", ["x.png", "x.npz", "v1.3"])
def test_another_ending_is_refused_before_anything_is_done(name: str, tmp_path: Path, invoke: Invoke) -> None:
    code, _, errors = invoke("demo", "-o", tmp_path / name)
    message = f"mrsne: --output must be a folder, or a page that ends in .html or .htm, got {str(tmp_path / name)!r}"
    assert (code, errors.startswith(message)) == (1, True)
    assert list(tmp_path.iterdir()) == []
