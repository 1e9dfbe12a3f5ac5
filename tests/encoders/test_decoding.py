"""Pictures are decoded by Pillow alone: no other program is started, nothing hangs, no setting is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mrsne.encoders.decoding import FORMATS, PictureError, open_picture, read_picture
from mrsne.encoders.images import encode_pictures
from tests.data.files.hostile_files import PATIENCE, hostile_files, in_another_process

DECODERS = {
    "pillow": "from PIL import Image; Image.open(sys.argv[1]).load()",
    "encoders": "from mrsne.encoders import encode_pictures; encode_pictures(sys.argv[1:])",
    "viewer": "from mrsne.viewer.pictures import PictureFolder; PictureFolder('.', sys.argv[1:]).picture(0)",
}


def save_eps(path: Path) -> None:
    Image.new("RGB", (40, 30), "red").save(path, "EPS")


def was_ghostscript_started(folder: Path, decoder: str) -> bool:
    """Decode holiday.jpg, where the first ``gs`` on the path leaves a mark."""
    programs = folder / "programs"
    programs.mkdir()
    (programs / "gs").write_text(f"#!/bin/sh\ntouch '{folder}/started'\n")
    (programs / "gs").chmod(0o755)
    environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, "-c", f"import sys; {DECODERS[decoder]}", "holiday.jpg"]
    subprocess.run(command, check=False, cwd=folder, env=environment, timeout=PATIENCE, capture_output=True)
    return (folder / "started").exists()


def test_a_bare_pillow_starts_ghostscript_for_such_a_file(tmp_path: Path) -> None:
    save_eps(tmp_path / "holiday.jpg")
    assert was_ghostscript_started(tmp_path, "pillow")


@pytest.mark.parametrize("decoder", ["encoders", "viewer"])
def test_postscript_that_is_called_a_photo_starts_nothing(decoder: str, tmp_path: Path) -> None:
    save_eps(tmp_path / "holiday.jpg")
    assert not was_ghostscript_started(tmp_path, decoder)


def test_postscript_is_left_out_with_its_reason(tmp_path: Path) -> None:
    save_eps(tmp_path / "holiday.jpg")
    encoded = encode_pictures([tmp_path / "holiday.jpg"])
    assert encoded.problems == {0: "not a picture, or of a format that is not read"}


def test_formats_that_hand_over_to_others_are_not_read() -> None:
    """Stubs load through a handler that any package may register; EPS and IPTC start programs or open anything."""
    Image.init()
    stubs = {"BUFR", "GRIB", "HDF5", "WMF"}
    assert stubs | {"EPS", "IPTC"} <= set(Image.OPEN)
    assert not set(FORMATS) & (stubs | {"EPS", "IPTC"})


@pytest.mark.parametrize("kind", ["JPEG", "MPO", "PNG", "WEBP", "GIF", "BMP", "TIFF", "JPEG2000", "PPM", "ICO"])
def test_the_formats_that_are_read_whatever_a_file_is_called(kind: str, tmp_path: Path) -> None:
    Image.new("RGB", (40, 30), (200, 40, 40)).save(tmp_path / "picture.dat", kind)
    colour = np.asarray(read_picture(tmp_path / "picture.dat"), dtype=float).mean(axis=(0, 1))
    np.testing.assert_allclose(colour, [200, 40, 40], atol=4)  # JPEG and WebP round


def test_pipes_devices_and_links_in_a_circle_are_named_and_the_others_encoded(tmp_path: Path) -> None:
    reasons = hostile_files(tmp_path, ".jpg")
    Image.new("RGB", (40, 30), "red").save(tmp_path / "good.jpg")
    os.symlink("good.jpg", tmp_path / "link.jpg")
    script = """
from mrsne.encoders.images import encode_pictures
encoded = encode_pictures(sys.argv[2:], cache=sys.argv[1] or None)
print(*encoded.problems.values(), encoded.vectors[0, 0] == encoded.vectors[0, 0], sep="\\n")
"""
    paths = [tmp_path / name for name in ["good.jpg", "link.jpg", *reasons]]
    for cache in ("", tmp_path / "cache"):  # with a cache, content is read before it is decoded
        result = in_another_process(script, cache, *paths)
        assert result.stdout.splitlines() == [*reasons.values(), "True"], result.stderr


@pytest.mark.parametrize("name", ["with\0zero.jpg", "surrogate\ud800.jpg"])
@pytest.mark.parametrize("cached", [False, True])
def test_a_name_that_no_file_can_have_is_one_problem_of_many(name: str, cached: bool, tmp_path: Path) -> None:
    Image.new("RGB", (40, 30), "red").save(tmp_path / "good.png")
    encoded = encode_pictures([name, tmp_path / "good.png"], cache=tmp_path / "cache" if cached else None)
    assert encoded.problems == {0: "not a name that a file can have"}


def test_warnings_are_as_before_when_pictures_close_in_another_order(tmp_path: Path) -> None:
    Image.new("RGB", (40, 30), "red").save(tmp_path / "a.png")
    before = list(warnings.filters)
    first, second = open_picture(tmp_path / "a.png"), open_picture(tmp_path / "a.png")
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert warnings.filters == before


def test_broken_exif_data_is_no_warning(tmp_path: Path) -> None:
    exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06"  # an orientation, and the rest is missing
    Image.new("RGB", (40, 30), "red").save(tmp_path / "a.jpg", exif=exif)
    assert read_picture(tmp_path / "a.jpg").size == (40, 30)


def test_numbers_that_are_none_in_a_picture_of_numbers(tmp_path: Path) -> None:
    values = np.linspace(1, 3, 100, dtype=np.float32).reshape(10, 10)
    values[0, :3] = [np.nan, np.inf, -np.inf]
    Image.fromarray(values).save(tmp_path / "measured.tif")
    Image.fromarray(np.full((10, 10), np.nan, np.float32)).save(tmp_path / "nothing.tif")
    assert np.asarray(read_picture(tmp_path / "measured.tif"))[0, :3, 0].tolist() == [0, 255, 0]
    assert np.asarray(read_picture(tmp_path / "nothing.tif")).max() == 0


def test_a_picture_that_memory_does_not_hold(tmp_path: Path) -> None:
    Image.new("RGB", (10_000, 10_000)).save(tmp_path / "large.png")
    script = """
import resource
from PIL import ImageOps, PngImagePlugin
from mrsne.encoders.decoding import PictureError, read_picture
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 100 * 2**20,) * 2)
try:
    read_picture(sys.argv[1])
except PictureError as error:
    print(error)
"""
    result = in_another_process(script, tmp_path / "large.png")
    assert result.stdout.strip() == "takes more memory than there is", result.stderr


def test_damage_found_while_decoding_is_a_picture_error(tmp_path: Path) -> None:
    Image.effect_noise((100, 100), 50).save(tmp_path / "a.png")
    (tmp_path / "a.png").write_bytes((tmp_path / "a.png").read_bytes()[:3000])
    with pytest.raises(PictureError, match="damaged or cut off"), open_picture(tmp_path / "a.png") as picture:
        picture.load()
