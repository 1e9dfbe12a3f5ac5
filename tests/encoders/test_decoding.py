"""Pictures are decoded by Pillow alone: no other program is started, nothing hangs, no setting is left behind."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mrsne.encoders.decoding import FORMATS, PictureError, decoded_picture, open_picture, read_picture
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


def whole(picture: Image.Image) -> np.ndarray[Any, Any]:
    """Return what read_picture does, made of the whole picture at once."""
    if picture.mode in ("I", "I;16", "F"):
        values = np.asarray(picture, np.float64)
        low, high = values[np.isfinite(values)].min(), values[np.isfinite(values)].max()
        values = np.nan_to_num(values, nan=low, posinf=high, neginf=low)
        picture = Image.fromarray(((values - low) / (high - low) * 255).astype(np.uint8))
    layer = picture.convert("RGBA")
    white = Image.new("RGBA", layer.size, "white")
    white.alpha_composite(layer)
    return np.asarray(white.convert("RGB"))


@pytest.mark.parametrize("mode", ["I;16", "I", "F", "RGBA", "LA", "P", "L", "RGB"])
@pytest.mark.parametrize("height", [1, 255, 256, 257, 700])
def test_a_picture_is_the_same_in_strips_as_whole(mode: str, height: int, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    if mode in ("I;16", "I", "F"):
        kind = {"I;16": np.uint16, "I": np.int32, "F": np.float32}[mode]
        values = random.normal(30_000, 4_000, (height, 40)).astype(kind)
        if mode == "F":
            values[0, :3] = [np.nan, np.inf, -np.inf]
        picture = Image.fromarray(values)
    else:
        picture = Image.fromarray(random.integers(0, 256, (height, 40, 4), np.uint8)).convert(mode)
    options = {"transparency": 7} if mode in ("P", "L") else {"transparency": (1, 2, 3)} if mode == "RGB" else {}
    path = tmp_path / ("a.tif" if mode in ("F", "I") else "a.png")
    picture.save(path, **options)
    with Image.open(path) as saved:
        assert ("transparency" in saved.info) == bool(options)
        expected = whole(saved)
    np.testing.assert_array_equal(np.asarray(read_picture(path)), expected)


def test_sixteen_bits_of_forty_megapixels_take_little_memory(tmp_path: Path) -> None:
    Image.fromarray(np.zeros((5_000, 8_000), np.uint16)).save(tmp_path / "grey.png")
    assert (tmp_path / "grey.png").stat().st_size < 100_000
    script = """
import resource
import numpy, PIL.ImageOps, PIL.PngImagePlugin
from mrsne.encoders.decoding import read_picture
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
read_picture(sys.argv[1])
print(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))
"""
    result = in_another_process(script, tmp_path / "grey.png")
    assert int(result.stdout) < 320 * 2**20, result.stderr  # 80 MB as it is, 160 in colours


@pytest.mark.parametrize(("room", "at_once"), [(12 * 40 * 30, 1), (25 * 40 * 30, 2), (1, 1), (10**9, 6)])
def test_threads_wait_where_their_pictures_together_are_too_large(
    room: int, at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Image.new("RGB", (40, 30), "red").save(tmp_path / "a.png")
    monkeypatch.setenv("MRSNE_DECODED_BYTES", str(room))
    inside, most, lock = 0, 0, threading.Lock()
    everybody = threading.Barrier(6)

    def decode() -> None:
        nonlocal inside, most
        everybody.wait()
        with decoded_picture(tmp_path / "a.png"):
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.05)
            with lock:
                inside -= 1

    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(decode) for _ in range(6)]:
            done.result()
    assert most == at_once


def test_a_picture_beyond_the_limit_of_pillow_is_read_where_ours_is_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Image.new("1", (20_000, 10_000)).save(tmp_path / "a.png")
    limit = Image.MAX_IMAGE_PIXELS
    with pytest.raises(PictureError, match=r"180,000,000 pixels \(the environment variable MRSNE_PIXELS\)"):
        read_picture(tmp_path / "a.png")
    monkeypatch.setenv("MRSNE_PIXELS", "200000000")
    with open_picture(tmp_path / "a.png") as picture:
        assert picture.size == (20_000, 10_000)
    assert limit == Image.MAX_IMAGE_PIXELS


def tiff(entries: list[tuple[int, int, int, int]], following: int, content: bytes = b"") -> bytes:
    """Return a TIFF file with one directory of tags (tag, type, count, value) and the place of the next directory."""
    tags = b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries)) + tags + struct.pack("<I", following) + content


GREY = [(256, 3, 1, 4), (257, 3, 1, 4), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8), (278, 3, 1, 4)]


@pytest.mark.parametrize(
    ("entries", "following"),
    [
        (GREY, 8),  # the next directory is this one
        ([*GREY, (34665, 4, 1, 8)], 0),  # the EXIF data is the directory itself
        ([*GREY, (330, 4, 1, 8)], 8),  # and so is one inside it
        ([*GREY, (34675, 7, 2**31 - 1, 8)], 0),  # a colour profile of 2 GB
        ([*GREY, (270, 2, 2**32 - 1, 8)], 0),  # a description of 4 GB
        ([*GREY[:-2], (273, 4, 2**30, 8), (279, 4, 2**30, 8)], 0),  # a billion strips
        ([(256, 4, 1, 2**31 - 1), (257, 4, 1, 2**31 - 1), *GREY[2:]], 0),
    ],
)
def test_directories_in_a_circle_and_counts_of_billions_end_at_once(
    entries: list[tuple[int, int, int, int]], following: int, tmp_path: Path
) -> None:
    (tmp_path / "a.tif").write_bytes(tiff(sorted(entries), following, bytes(64)))
    script = """
import resource
from mrsne.encoders.decoding import PictureError, read_picture
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**30,) * 2)
resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
try:
    print(read_picture(sys.argv[1]).size)
except PictureError as error:
    print(error)
"""
    result = in_another_process(script, tmp_path / "a.tif")
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


def section(marker: int, content: bytes) -> bytes:
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


def saved(picture: Image.Image, **options: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, "JPEG", **options)
    return file.getvalue()


def many_scans() -> bytes:
    """36 megapixels, over which the last scan passes 3,000 times."""
    whole = saved(Image.new("RGB", (6000, 6000)), progressive=True)
    return whole[:-2] + whole[whole.rindex(b"\xff\xda") : -2] * 3000 + whole[-2:]


def many_sections() -> bytes:
    whole = saved(Image.new("RGB", (8, 8)))
    return whole[:2] + section(0xE1, b"Exif\0\0" + bytes(60_000)) * 500 + whole[2:]


def hidden_sections() -> bytes:
    """What Pillow passes over between sections: padding, an escaped byte, and an end of the file before its content."""
    sections = section(0xE1, b"Exif\0\0" + bytes(100)) + b"\xff\xff\xff\0\xff\xd9"
    whole = saved(Image.new("RGB", (8, 8)))
    return whole[:2] + sections * 500 + whole[2:]


@pytest.mark.parametrize("make", [many_scans, many_sections, hidden_sections])
def test_a_jpeg_of_many_passes_is_refused_at_once(make: Callable[[], bytes], tmp_path: Path) -> None:
    (tmp_path / "x.jpg").write_bytes(make())
    start = time.process_time()
    with pytest.raises(PictureError, match="101 scans and sections of metadata; there can be 100 at most"):
        read_picture(tmp_path / "x.jpg")
    assert time.process_time() - start < 2


def test_what_follows_a_jpeg_or_fills_its_gaps_is_no_scan(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (300, 300, 3), dtype=np.uint8)
    whole = saved(Image.fromarray(pixels), progressive=True, quality=95, exif=b"Exif\0\0II*\0\x08" + bytes(9))
    (tmp_path / "film.jpg").write_bytes(whole + b"\xff\xda\0\2" * 500)  # as telephones append a film
    (tmp_path / "padded.jpg").write_bytes(whole[:2] + b"\xff\xff\xff" + whole[2:])
    for name in ("film.jpg", "padded.jpg"):
        assert read_picture(tmp_path / name).size == (300, 300)


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


@pytest.mark.parametrize(
    "bomb",
    [
        chunk(b"iCCP", b"x\0\0" + zlib.compress(bytes(2**28))),
        chunk(b"zTXt", b"x\0\0" + zlib.compress(bytes(2**28))),
        chunk(b"iTXt", b"x\0\1\0\0\0" + zlib.compress(bytes(2**20 - 100))) * 300,
        chunk(b"IDAT", zlib.compress(bytes(2**28))),
    ],
    ids=["profile", "text", "texts", "pixels"],
)
def test_what_a_png_unpacks_to_is_limited(bomb: bytes, tmp_path: Path) -> None:
    head = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress(bytes(8 * 25)))
    (tmp_path / "x.png").write_bytes(head + bomb + rows + chunk(b"IEND", b""))
    used = "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss"
    script = f"""
import resource
from mrsne.encoders.decoding import PictureError, read_picture
import PIL.PngImagePlugin
before = {used}
try:
    read_picture(sys.argv[1])
except PictureError as error:
    assert "large" in str(error) or "memory" in str(error), error
print({used} - before)
"""
    result = in_another_process(script, tmp_path / "x.png")
    assert int(result.stdout) < 100_000, result.stderr  # kilobytes
