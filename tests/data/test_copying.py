"""Copies of pictures get names that any system takes, and never lie on each other."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from mrsne import RelationalData
from mrsne.data.copying import Copy, copied, file_name, plan_copies
from mrsne.data.files.problems import Problems
from mrsne.viewer.pictures import PictureFolder


def write(copies: list[Copy], folder: Path) -> None:
    with copied(copies, folder):
        pass


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
    for copies, name, count in ((thumbnails, "small", 8), (in_full_size, "full", 5)):
        write(copies, tmp_path / name)
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
    write(copies, tmp_path / "copies")
    assert len(list((tmp_path / "copies").rglob("*.png"))) == 4


def test_a_copy_that_fails_leaves_nothing_in_its_place(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write([Copy(tmp_path / "gone.png", tmp_path / "copies" / "gone.png")], tmp_path / "copies")
    assert list(tmp_path.iterdir()) == []


def test_copies_go_into_a_folder_that_is_there_and_over_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"a")
    copies = [Copy(tmp_path / "a.png", tmp_path / "copies" / name) for name in ("a.png", "more/b.png")]
    (tmp_path / "copies").mkdir()
    (tmp_path / "copies" / "c.png").write_bytes(b"c")
    write(copies, tmp_path / "copies")
    assert all(copy.is_there() for copy in copies)
    found = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.png"))
    assert found == ["a.png", "copies/a.png", "copies/c.png", "copies/more/b.png"]
    (tmp_path / "copies" / "a.png").write_bytes(b"something else")
    assert not copies[0].is_there()


def test_nothing_is_copied_where_something_fails_meanwhile(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"a")
    with (
        pytest.raises(RuntimeError, match="the table"),
        copied([Copy(tmp_path / "a.png", tmp_path / "copies" / "a.png")], tmp_path / "copies"),
    ):
        raise RuntimeError("the table")
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


@pytest.mark.parametrize("name", ["CON", "nul.png", "Aux .tar.gz", "com1", "LPT9.txt"])
def test_names_of_devices_are_no_names_of_files(name: str) -> None:
    assert file_name(name) == f"_{name}"
    assert file_name(f"{name[:3]}x{name[3:]}") == f"{name[:3]}x{name[3:]}"


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_names_that_are_no_text_are_kept() -> None:
    assert file_name(os.fsdecode(b"caf\xe9.png")) == os.fsdecode(b"caf\xe9.png")
    assert file_name(os.fsdecode(b"d.\xe9t")) == os.fsdecode(b"d.\xe9t")
