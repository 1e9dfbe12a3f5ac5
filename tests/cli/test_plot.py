"""`mrsne plot`: a picture of a map."""

from __future__ import annotations

from pathlib import Path

import matplotlib.image
import pytest

from mrsne import Embedding, RelationalData
from mrsne.data.archive import write_archive
from tests.cli.conftest import Fitted, Invoke


def test_it_draws_the_map_with_the_links_of_items_by_name_and_position(
    fitted: Fitted, tmp_path: Path, invoke: Invoke
) -> None:
    links = ["--links", "tag=word 3", "--links", "image=5"]
    code, _, errors = invoke("plot", fitted.path, "-o", tmp_path / "map.png", *links, "--dpi", "100")
    assert code == 0, errors
    assert matplotlib.image.imread(tmp_path / "map.png").shape[:2] == (1000, 1000)


def test_another_kind_of_picture_is_a_message(fitted: Fitted, tmp_path: Path, invoke: Invoke) -> None:
    code, _, errors = invoke("plot", fitted.path, "-o", tmp_path / "x.gif")
    assert (code, errors) == (
        1,
        f"mrsne: --output must end in .png, .svg, .pdf, got {str(tmp_path / 'x.gif')!r}\n",
    )


def test_characters_that_the_font_lacks_are_one_note(tmp_path: Path, invoke: Invoke) -> None:
    Embedding({"tag": [[0, 0], [1, 1]]}).save(tmp_path / "map.npz")
    data = RelationalData({"tag": 2}, names={"tag": ["\U0001f415 dog", "cat \U0001f408"]})
    write_archive(data, tmp_path / "map.data.npz", {"settings": {}})
    code, _, errors = invoke("plot", tmp_path / "map.npz", "-o", tmp_path / "map.png")
    assert (code, errors) == (
        0,
        "note: the font lacks 2 of the characters (\U0001f408 \U0001f415), which are drawn as boxes\n",
    )


@pytest.mark.parametrize("item", ["120", "-1", "9" * 5000, "\u0663", "nobody"])
def test_links_of_an_item_that_is_not_there_are_a_message(
    item: str, fitted: Fitted, tmp_path: Path, invoke: Invoke
) -> None:
    code, _, errors = invoke("plot", fitted.path, "--links", f"image={item}", "-o", tmp_path / "x.png")
    assert (code, errors.startswith("mrsne: links[")) == (1, True), errors
