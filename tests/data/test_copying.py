"""Copies of pictures get names that any system takes, and never lie on each other."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from mrsne import RelationalData
from mrsne.data.copying import Copy, file_name, plan_copies
from mrsne.data.files.problems import Problems
from mrsne.viewer.pictures import PictureFolder


def test_copies_never_lie_on_each_other_and_keep_their_endings(tmp_path: Path) -> None:
    names = [
        "a?.png",
        "a*.png",
        "A_.PNG",
        ".b.png",
        "b.png",
        f"{300 * 'x'}1.png",
        f"{300 * 'x'}2.png",
        f"{100 * '猫'}.png",
    ]
    folder = tmp_path / "photos"
    folder.mkdir()
    for number, name in enumerate(names[:5]):
        PIL.Image.new("RGB", (4, 4), (number, 0, 0)).save(folder / name)
    data = RelationalData(
        {"image": 8}, {}, names={"image": names}, pictures={"image": np.zeros((8, 4, 4, 3), np.uint8)}
    )
    everything = {"image": np.arange(8)}
    thumbnails = plan_copies(data, everything, {}, tmp_path / "small", Problems())
    in_full_size = plan_copies(data, everything, {"image": PictureFolder(folder, names)}, tmp_path / "full", Problems())
    for copies, count in ((thumbnails, 8), (in_full_size, 5)):
        for copy in copies:
            copy.write()
        assert len({str(copy.target).casefold() for copy in copies}) == count
        assert {copy.target.suffix.lower() for copy in copies} == {".png"}
    colours = []
    for copy in in_full_size:
        with PIL.Image.open(copy.target) as picture:
            colours.append(picture.getpixel((0, 0)))
    assert colours == [(number, 0, 0) for number in range(5)]


def test_copies_of_kinds_whose_folders_would_be_one_are_kept_apart(tmp_path: Path) -> None:
    black = np.zeros((2, 4, 4, 3), np.uint8)
    names = {"a?": ["x", "y"], "a:": ["x", "y"]}
    data = RelationalData({"a?": 2, "a:": 2}, {}, names=names, pictures={"a?": black, "a:": black})
    copies = plan_copies(data, {name: np.arange(2) for name in names}, {}, tmp_path / "copies", Problems())
    for copy in copies:
        copy.write()
    assert len(list((tmp_path / "copies").rglob("*.png"))) == 4


def test_a_copy_that_fails_leaves_nothing_in_its_place(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Copy(tmp_path / "gone.png", tmp_path / "copies" / "gone.png").write()
    assert not (tmp_path / "copies").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_names_that_are_no_text_are_kept() -> None:
    assert file_name(os.fsdecode(b"caf\xe9.png")) == os.fsdecode(b"caf\xe9.png")
    assert file_name(os.fsdecode(b"d.\xe9t")) == os.fsdecode(b"d.\xe9t")
