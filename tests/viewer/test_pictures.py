"""Pictures in full size: from the folder only, and only pictures."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mrsne.encoders.decoding import PictureError
from mrsne.viewer import pictures
from mrsne.viewer.pictures import PictureFolder, PictureMissingError

SHOWN = [("JPEG", "image/jpeg"), ("PNG", "image/png"), ("WEBP", "image/webp"), ("GIF", "image/gif")]
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "photos"
    (inside / "more").mkdir(parents=True)
    Image.new("RGB", (40, 30), "red").save(inside / "more" / "red.png")
    Image.new("RGB", (40, 30), "blue").save(tmp_path / "secret.png")
    return inside


@pytest.mark.parametrize(("kind", "content_type"), [*SHOWN, ("BMP", "image/bmp")])
def test_what_browsers_show_is_sent_as_it_is(kind: str, content_type: str, folder: Path) -> None:
    Image.new("RGB", (40, 30), "green").save(folder / "picture.dat", kind)
    picture = PictureFolder(folder, ["picture.dat"]).picture(0)
    assert (picture.content_type, picture.content) == (content_type, (folder / "picture.dat").read_bytes())


def test_an_ending_does_not_make_a_picture(folder: Path) -> None:
    Image.new("RGB", (40, 30)).save(folder / "really.jpg", "PNG")
    assert PictureFolder(folder, ["really.jpg"]).picture(0).content_type == "image/png"


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "CMYK", "L", "I;16", "1"])
def test_tiff_becomes_a_jpeg_of_at_most_2048_pixels(mode: str, folder: Path) -> None:
    Image.fromarray(np.zeros((1000, 3000), np.uint16)).convert(mode).save(folder / "scan.tif")
    picture = PictureFolder(folder, ["scan.tif"]).picture(0)
    with Image.open(io.BytesIO(picture.content)) as converted:
        assert (picture.content_type, converted.format, converted.size) == ("image/jpeg", "JPEG", (2048, 683))


@pytest.mark.parametrize(
    "name",
    ["../secret.png", "more/../../secret.png", "ABSOLUTE", "link.png", "way/secret.png", "circle.png", "nul\0.png"],
)
def test_nothing_outside_the_folder_is_read(name: str, folder: Path) -> None:
    os.symlink(folder.parent / "secret.png", folder / "link.png")
    os.symlink(folder.parent, folder / "way")
    os.symlink(folder / "circle.png", folder / "circle.png")
    given = str(folder.parent / "secret.png") if name == "ABSOLUTE" else name
    with pytest.raises(PictureMissingError):
        PictureFolder(folder, [given]).picture(0)


def test_a_folder_beside_it_whose_name_begins_the_same_is_outside(folder: Path) -> None:
    other = folder.with_name("photos-private")
    other.mkdir()
    Image.new("RGB", (4, 3)).save(other / "mine.png")
    with pytest.raises(PictureMissingError, match="is not in"):
        PictureFolder(folder, ["../photos-private/mine.png"]).picture(0)


def test_links_inside_the_folder_and_to_the_folder_are_followed(folder: Path) -> None:
    os.symlink(folder / "more" / "red.png", folder / "again.png")
    os.symlink(folder, folder.parent / "shortcut")
    assert PictureFolder(folder.parent / "shortcut", ["again.png"]).picture(0).content_type == "image/png"


@pytest.mark.parametrize("item", [-1, 1, 10**12])
def test_items_that_there_are_not(item: int, folder: Path) -> None:
    with pytest.raises(PictureMissingError, match="there is no item"):
        PictureFolder(folder, ["more/red.png"]).picture(item)


def test_folders_pipes_and_files_that_are_gone_are_missing(folder: Path) -> None:
    os.mkfifo(folder / "pipe.png")
    for name in ("more", "pipe.png", "gone.png"):
        with pytest.raises(PictureMissingError):
            PictureFolder(folder, [name]).picture(0)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.svg", SVG),
        ("a.png", SVG),
        ("a.jpg", "<!DOCTYPE html><script>alert(1)</script>"),
        ("a.png", "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"),
        ("a.png", ""),
        ("a.tif", "II*\0\x08\0\0\0"),
    ],
    ids=["svg", "svg as png", "html", "postscript", "empty", "broken tiff"],
)
def test_what_is_no_picture_is_refused(name: str, content: str, folder: Path) -> None:
    (folder / name).write_text(content)
    with pytest.raises(PictureError):
        PictureFolder(folder, [name]).picture(0)


def test_a_tiff_that_is_cut_off_is_refused(folder: Path) -> None:
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (60, 60, 3), np.uint8)).save(folder / "a.tif")
    (folder / "a.tif").write_bytes((folder / "a.tif").read_bytes()[:4000])
    with pytest.raises(PictureError):
        PictureFolder(folder, ["a.tif"]).picture(0)


def test_too_large_is_refused_before_it_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(folder / "long.png", "wb") as file:
        file.truncate(pictures.MOST_BYTES + 1)
    with pytest.raises(PictureError, match="more than 268,435,456 bytes"):
        PictureFolder(folder, ["long.png"]).picture(0)
    monkeypatch.setenv("MRSNE_PIXELS", "1000")
    with pytest.raises(PictureError, match=r"more than 1,000 pixels \(.*MRSNE_PIXELS\)"):
        PictureFolder(folder, ["more/red.png"]).picture(0)


def test_a_folder_must_be_one(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is not a folder of pictures"):
        PictureFolder(folder / "more" / "red.png", [])
