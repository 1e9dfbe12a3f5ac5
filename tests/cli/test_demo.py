"""`mrsne demo`: the bundled emoji and their keywords."""

from __future__ import annotations

from pathlib import Path

import matplotlib.image

from mrsne import Embedding
from tests.cli.conftest import summary_of
from tests.cli.json_keys import check_keys


def test_demo_writes_map_and_picture_and_says_how_good_it_is(tmp_path: Path) -> None:
    summary = summary_of("demo", "-o", tmp_path / "out")
    check_keys("demo", summary, ["image", "tag"])
    assert (summary["items"], summary["links"]) == ({"image": 1636, "tag": 997}, {"image": {"tag": 6726}})
    assert summary["hit_rate_10"]["image"]["tag"] > 0.8
    assert Embedding.load(tmp_path / "out" / "emoji.npz")["tag"].shape == (997, 2)
    picture = matplotlib.image.imread(tmp_path / "out" / "emoji.png")
    assert picture.shape[:2] == (1800, 1800)
    assert picture.std() > 0.05
