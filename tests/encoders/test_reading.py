"""Thumbnails from the cache are those of the files, and files are read again when they may have changed."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import helper
from PIL import Image

from mrsne.encoders import decoding
from mrsne.encoders.cache import FILE, Cache, file_digest, file_entry, known_file, with_checksum
from mrsne.encoders.images import Encoded, encode_pictures
from mrsne.encoders.reading import PictureCache, Pixels, picture_digests
from tests.encoders.models import save_mean_model, save_model


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_mean_model(tmp_path_factory.mktemp("model") / "mean.onnx")


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """Photographs of several shapes, one of them smaller than a thumbnail."""
    random = np.random.default_rng(0)
    sizes = [(64, 48), (30, 70), (12, 9), (50, 50)]
    for index, (width, height) in enumerate(sizes):
        noise = random.integers(0, 256, (height, width, 3), dtype=np.uint8)
        Image.fromarray(noise).save(tmp_path / f"{index}.jpg")
    return [tmp_path / f"{index}.jpg" for index in range(len(sizes))]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is ten seconds ahead, so that files just written are old."""
    now = time.time_ns
    monkeypatch.setattr("mrsne.encoders.cache.time.time_ns", lambda: now() + 10_000_000_000)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all files that are opened for reading, by whatever in this process."""
    names: list[str] = []
    original = os.open

    def noting(path: Any, *arguments: Any, **options: Any) -> int:
        names.append(os.path.basename(os.fsdecode(path)))
        return original(path, *arguments, **options)

    monkeypatch.setattr("mrsne.regular_files.os.open", noting)
    return names


def encoded(paths: list[Path], model: Path | str, folder: Path, side: int = 16) -> Encoded:
    return encode_pictures(paths, model=model, cache=folder / "cache", thumbnail_side=side)


def small(found: Encoded) -> NDArray[np.uint8]:
    assert found.thumbnails is not None
    return found.thumbnails


@pytest.mark.usefixtures("later")
def test_a_second_run_opens_no_picture_and_gives_the_same_bits(
    paths: list[Path], model: Path, tmp_path: Path, opened: list[str]
) -> None:
    first = encoded(paths, model, tmp_path)
    assert sorted(opened) == ["0.jpg", "1.jpg", "2.jpg", "3.jpg"]  # once each
    opened.clear()
    second = encoded(paths, model, tmp_path)
    assert opened == []
    assert (first.n_known, second.n_known) == (0, 4)
    plain = encode_pictures(paths, model=model, thumbnail_side=16)
    np.testing.assert_array_equal(small(second), small(plain))
    np.testing.assert_array_equal(small(first), small(plain))
    np.testing.assert_array_equal(second.vectors, first.vectors)


def test_a_copy_elsewhere_is_read_but_not_decoded(
    paths: list[Path], model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = encoded(paths, model, tmp_path)
    copy = tmp_path / "elsewhere.jpg"
    copy.write_bytes(paths[1].read_bytes())

    def refuse(file: Any) -> Any:
        raise AssertionError("decoded again")

    monkeypatch.setattr("mrsne.encoders.decoding.decoded_picture", refuse)
    again = encoded([copy], model, tmp_path)
    assert not again.problems
    np.testing.assert_array_equal(small(again)[0], small(first)[1])


@pytest.mark.usefixtures("later")
def test_another_width_decodes_again_and_keeps_both(
    paths: list[Path], model: Path, tmp_path: Path, opened: list[str]
) -> None:
    encoded(paths, model, tmp_path)
    assert small(encoded(paths, model, tmp_path, side=24)).shape == (4, 24, 24, 4)
    opened.clear()
    for side in (16, 24):
        encoded(paths, model, tmp_path, side)
    assert opened == []


@pytest.mark.usefixtures("later")
def test_a_file_replaced_by_another_of_the_same_size_and_times_is_noticed(
    paths: list[Path], model: Path, tmp_path: Path
) -> None:
    Image.new("RGB", (40, 30), "red").save(tmp_path / "red.bmp")
    Image.new("RGB", (40, 30), "blue").save(tmp_path / "blue.bmp")
    picture = tmp_path / "picture.bmp"
    picture.write_bytes((tmp_path / "red.bmp").read_bytes())
    before = picture.stat()
    first = encoded([picture], model, tmp_path)
    with open(picture, "r+b") as file:  # in place: the inode stays
        file.write((tmp_path / "blue.bmp").read_bytes())
    os.utime(picture, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = picture.stat()
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)
    second = encoded([picture], model, tmp_path)
    assert (small(first)[0, 8, 8, :3] == (255, 0, 0)).all()
    assert (small(second)[0, 8, 8, :3] == (0, 0, 255)).all()


def test_a_file_that_may_still_change_within_a_tick_of_the_clock_is_read_again(
    paths: list[Path], model: Path, tmp_path: Path, opened: list[str]
) -> None:
    encoded(paths, model, tmp_path)
    opened.clear()
    encoded(paths, model, tmp_path)
    assert sorted(opened) == ["0.jpg", "1.jpg", "2.jpg", "3.jpg"]


@pytest.mark.usefixtures("later")
def test_a_file_that_changes_while_it_is_read_gets_no_stamp(tmp_path: Path) -> None:
    path = tmp_path / "growing"
    path.write_bytes(b"0" * 100)

    class Growing:
        """A file to which somebody writes as soon as it is read."""

        def __init__(self, file: IO[bytes]) -> None:
            self.file = file

        def __getattr__(self, name: str) -> Any:
            if name == "readinto" and path.stat().st_size == 100:
                path.write_bytes(b"1" * 101)
            return getattr(self.file, name)

    with open(path, "rb") as file:
        assert file_digest(Growing(file))[1] is None  # type: ignore[arg-type]
        digest, stamp = file_digest(file)
    assert stamp is not None
    with Cache(tmp_path / "cache") as cache:
        cache.put([file_entry(path, digest, stamp)])
        known = known_file(path, cache)
    assert known is not None
    assert known.digest == digest
    assert known.is_at(path)
    assert not known.is_at(tmp_path / "cache" / FILE)
    assert not known.is_at(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "stored", [b"", b"short", "text", None, 3.5, b"\0" * 200], ids=["empty", "short", "text", "null", "number", "zeros"]
)
@pytest.mark.usefixtures("later")
def test_damaged_thumbnails_are_made_again_and_replaced(
    stored: Any, paths: list[Path], model: Path, tmp_path: Path
) -> None:
    expected = small(encoded(paths, model, tmp_path))
    database = sqlite3.connect(tmp_path / "cache" / FILE, isolation_level=None)
    database.execute("UPDATE entries SET content = ? WHERE kind LIKE 'thumbnails %' AND rowid % 2", (stored,))
    assert database.execute("SELECT changes()").fetchone()[0] > 0
    with pytest.warns(UserWarning, match=r"cache.sqlite' has damaged thumbnails; ") as caught:
        found = encoded(paths, model, tmp_path)
    assert len(caught) == 1
    np.testing.assert_array_equal(small(found), expected)
    np.testing.assert_array_equal(small(encoded(paths, model, tmp_path)), expected)  # a warning would be an error


@pytest.mark.usefixtures("later")
def test_a_single_flipped_bit_of_a_thumbnail_is_damage(paths: list[Path], model: Path, tmp_path: Path) -> None:
    expected = small(encoded(paths, model, tmp_path))
    database = sqlite3.connect(tmp_path / "cache" / FILE, isolation_level=None)
    ((stored,),) = database.execute("SELECT content FROM entries WHERE kind LIKE 'thumbnails %' LIMIT 1").fetchall()
    flipped = bytearray(stored)
    flipped[len(flipped) // 2] ^= 1
    database.execute("UPDATE entries SET content = ? WHERE content = ?", (bytes(flipped), stored))
    with pytest.warns(UserWarning, match="damaged thumbnails"):
        np.testing.assert_array_equal(small(encoded(paths, model, tmp_path)), expected)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize(
    ("stored", "trouble"), [(7, "has damaged digests"), (with_checksum(b""), None), (with_checksum(b"digest"), None)]
)
def test_damaged_stamps_mean_that_files_are_read(
    stored: Any, trouble: str | None, paths: list[Path], model: Path, tmp_path: Path, opened: list[str]
) -> None:
    expected = small(encoded(paths, model, tmp_path))
    database = sqlite3.connect(tmp_path / "cache" / FILE, isolation_level=None)
    database.execute("UPDATE entries SET content = ? WHERE key = ?", (stored, os.fsencode(paths[1])))
    opened.clear()
    with nullcontext() if trouble is None else pytest.warns(UserWarning, match=f"cache.sqlite' {trouble}"):
        np.testing.assert_array_equal(small(encoded(paths, model, tmp_path)), expected)
    assert len(opened) == 1


def test_what_another_version_of_decoding_gave_is_not_taken(
    paths: list[Path], model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    original = decoding.decoded_picture

    def counting(source: Any) -> Any:
        calls.append(1)
        return original(source)

    monkeypatch.setattr("mrsne.encoders.decoding.decoded_picture", counting)
    for version, n_known in ((1, 0), (1, 4), (2, 0), (2, 4), (1, 4)):
        monkeypatch.setattr("mrsne.encoders.decoding.DECODING", version)
        calls.clear()
        assert encoded(paths, model, tmp_path).n_known == n_known
        assert len(calls) == 4 - n_known


def test_vectors_and_thumbnails_are_both_of_one_version_of_decoding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Cache(tmp_path / "cache") as cache:
        for version in (1, 2):
            monkeypatch.setattr("mrsne.encoders.decoding.DECODING", version)
            kept = PictureCache(cache, "model", 3, 16)
            assert (kept.known_vectors, kept.known_thumbnails) == (set(), set())
            new = Pixels("picture.png", b"digest", crop=np.zeros((1, 1, 3), np.uint8), vector=np.ones(3, np.float32))
            kept.put([replace(new, packed=b"picture")])


@pytest.mark.usefixtures("later")
def test_no_picture_is_hashed_twice(
    paths: list[Path], model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What looks for changes hands its digests on, also to pictures that are decoded then."""
    hashed: list[int] = []
    original = hashlib.file_digest

    def counting(*arguments: Any) -> Any:
        hashed.append(1)
        return original(*arguments)

    monkeypatch.setattr("hashlib.file_digest", counting)
    with Cache(tmp_path / "cache") as cache:
        digests = picture_digests(paths, cache)
    assert encoded(paths, model, tmp_path).contents == digests
    assert encoded(paths, model, tmp_path, side=24).contents == digests
    assert len(hashed) == 4


def test_another_bundled_network_has_vectors_of_its_own(
    paths: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, n_known in (("ReduceMean", 0), ("ReduceMean", 4), ("ReduceMax", 0), ("ReduceMean", 4)):
        folder = tmp_path / name / "models"
        folder.mkdir(parents=True, exist_ok=True)
        node = helper.make_node(name, ["x"], ["y"], axes=[2, 3], keepdims=0)
        save_model(folder / "efficientnet-lite0.onnx", node, side=224)
        monkeypatch.setattr("mrsne.encoders.networks.files", lambda package, folder=folder: folder.parent)
        assert encoded(paths, "efficientnet-lite0", tmp_path).n_known == n_known


@pytest.fixture
def many(tmp_path: Path, later: None) -> list[Path]:
    """Settled ones, whose digests can be kept; every third is empty."""
    paths = [tmp_path / f"{index}.png" for index in range(700)]
    for index, path in enumerate(paths):
        path.write_bytes(b"" if index % 3 == 0 else b"%d" % index)
    return paths


def test_digests_are_written_many_at_a_time(many: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every write waits for the disk."""
    sizes: list[int] = []
    original = Cache.put

    def counting(self: Cache, entries: Any) -> None:
        rows = list(entries)
        sizes.append(len(rows))
        original(self, rows)

    monkeypatch.setattr(Cache, "put", counting)
    with Cache(tmp_path / "digests") as cache:
        digests = picture_digests(many, cache)
        assert [digest == b"" for digest in digests] == [index % 3 == 0 for index in range(700)]
        assert (len(sizes), sum(sizes)) == (2, 466)
        assert picture_digests(many, cache) == digests
        assert sum(sizes) == 466


def test_digests_are_kept_after_an_interrupt(many: list[Path], tmp_path: Path) -> None:
    def interrupted() -> Iterator[Path]:
        yield from many[:100]
        raise KeyboardInterrupt

    with Cache(tmp_path / "digests") as cache:
        with pytest.raises(KeyboardInterrupt):
            picture_digests(interrupted(), cache)
        unknown = [known_file(path, cache) is None for path in many[:101]]
        assert unknown == [index % 3 == 0 for index in range(100)] + [True]
