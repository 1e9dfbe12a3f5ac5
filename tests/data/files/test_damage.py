"""Whatever goes wrong inside a file is one kind of error, with the file's name in it."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne.data.files.damage import file_errors, open_arrays
from mrsne.parameters import FileContentError
from mrsne.regular_files import IrregularFileError
from tests.data.files.hostile_files import hostile_files


class SavedThingError(FileContentError):
    """A file is not a saved thing."""


def member(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def array_header(text: str) -> bytes:
    """Return an array's header without its numbers."""
    return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(text)) + text.encode()


def save_archive(path: Path, kind: int = zipfile.ZIP_STORED, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return path


def read_all(path: Path) -> dict[str, Any]:
    with open_arrays(path, "a saved thing", SavedThingError) as arrays:
        return dict(arrays)


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (lambda: zlib.decompress(b"no"), "Error -3 while decompressing data"),
        (lambda: zipfile.ZipFile(io.BytesIO(b"no")), "File is not a zip file"),
        (lambda: struct.unpack("<d", b"no"), "unpack requires a buffer of 8 bytes"),
        (lambda: int(float("inf")), "cannot convert float infinity to integer"),
        (lambda: json.loads("[" * 100_000), "it is nested too deeply"),
        (lambda: b"\xff".decode(), "'utf-8' codec can't decode byte 0xff"),
        (lambda: "\ud800".encode(), "'utf-8' codec can't encode character"),
        (lambda: dict[str, int]()["format"], "it has no 'format'"),
        (lambda: np.load(io.BytesIO()), "No data left in file"),
        (lambda: np.lib.format.read_array(io.BytesIO(b"\x93NUMPY\x09\x00")), r"we only support format version"),
        (lambda: np.empty(3).reshape(2, 2), "cannot reshape"),
        (lambda: int("9" * 5000), "Exceeds the limit"),
        (lambda: float(10**400), "int too large to convert to float"),
        (lambda: (_ for _ in ()).throw(NotImplementedError()), "NotImplementedError"),
        (lambda: (_ for _ in ()).throw(OSError(22, "Invalid argument")), "Invalid argument"),
    ],
)
def test_every_failure_becomes_one_kind_of_error(failure: Callable[[], object], reason: str) -> None:
    message = rf"^'x.npz' is not a saved thing, or is damaged \(.*{reason}"
    with pytest.raises(SavedThingError, match=message), file_errors("x.npz", "a saved thing", SavedThingError):
        failure()


def test_advice_ends_the_message() -> None:
    with (
        pytest.raises(FileContentError, match=r"is damaged \(no\); delete it$"),
        file_errors("x", "y", advice="delete it"),
    ):
        raise ValueError("no")


def test_what_a_decoder_quotes_is_cut_short() -> None:
    with pytest.raises(FileContentError) as caught, file_errors("x", "a table"):
        raise ValueError("got\n" + "x" * 10**8)
    assert len(str(caught.value)) < 300
    assert "got xxx" in str(caught.value)


def test_what_is_no_fault_of_the_content_stays_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_all(tmp_path / "nowhere")
    with pytest.raises(IrregularFileError, match="is a folder, not a file"):
        read_all(tmp_path)
    with (
        pytest.raises(SavedThingError, match=r"^of another version$"),
        file_errors("x", "a saved thing", SavedThingError),
    ):
        raise SavedThingError("of another version")
    with pytest.raises(KeyboardInterrupt), file_errors("x", "a saved thing"):
        raise KeyboardInterrupt


def test_pipes_and_endless_links_are_not_waited_for(tmp_path: Path) -> None:
    for name, reason in hostile_files(tmp_path, ".npz").items():
        with pytest.raises(IrregularFileError, match=reason):
            read_all(tmp_path / name)


def test_an_array_that_no_memory_holds_is_named(tmp_path: Path) -> None:
    shape = "(999999999999999,)"
    save_archive(tmp_path / "x.npz", a=array_header(f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}\n"))
    with pytest.raises(MemoryError, match=r"x.npz' needs more memory than there is, or is damaged \("):
        read_all(tmp_path / "x.npz")


def test_an_array_that_says_it_is_shorter_than_it_is(tmp_path: Path) -> None:
    save_archive(tmp_path / "x.npz", a=member(np.arange(1000)).replace(b"(1000,)", b"(0100,)"))
    with pytest.raises(SavedThingError):
        read_all(tmp_path / "x.npz")
    save_archive(tmp_path / "x.npz", a=member(np.arange(1000)).replace(b"(1000,)", b"(100,) "))
    with pytest.raises(SavedThingError, match="'a' is longer than it says"):
        read_all(tmp_path / "x.npz")


def test_a_member_that_is_no_array(tmp_path: Path) -> None:
    save_archive(tmp_path / "x.npz", a=b"no array")
    with pytest.raises(SavedThingError, match="magic string is not correct"):
        read_all(tmp_path / "x.npz")


def test_pickled_objects_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.array([{}], dtype=object))
    with pytest.raises(SavedThingError, match="Object arrays cannot be loaded when allow_pickle=False"):
        read_all(tmp_path / "x.npz")


@pytest.mark.parametrize("depth", [100, 3_000, 9_000])
@pytest.mark.parametrize("piece", ["(", "-", "[", "not "])
def test_headers_that_are_nested_deeply(piece: str, depth: int, tmp_path: Path) -> None:
    save_archive(tmp_path / "x.npz", a=array_header(piece * (depth // len(piece)) + "1\n"))
    with pytest.raises((SavedThingError, MemoryError), match=r"x\.npz"):
        read_all(tmp_path / "x.npz")


def test_a_compressed_archive_that_unpacks_to_far_more_than_it_says(tmp_path: Path) -> None:
    """Ten megabytes in ten kilobytes, under a header that says ten numbers: read as far as it says, and refused."""
    content = member(np.arange(10)) + b"\0" * 10**7
    save_archive(tmp_path / "x.npz", zipfile.ZIP_DEFLATED, a=content)
    with pytest.raises(SavedThingError, match="'a' is longer than it says"):
        read_all(tmp_path / "x.npz")


@pytest.mark.parametrize("compressed", [False, True])
def test_any_flip_of_a_bit_is_harmless_or_an_error(compressed: bool, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    whole = {"a": random.normal(size=(20, 3)).round(1), "names": np.array(["one", "two"])}
    (np.savez_compressed if compressed else np.savez)(tmp_path / "x.npz", **whole)  # type: ignore[arg-type]
    content = (tmp_path / "x.npz").read_bytes()
    errors = 0
    for _ in range(500):
        flipped = bytearray(content)
        flipped[random.integers(len(content))] ^= 1 << random.integers(8)
        (tmp_path / "x.npz").write_bytes(flipped)
        try:
            arrays = read_all(tmp_path / "x.npz")
        except SavedThingError:
            errors += 1
            continue
        for name in arrays.keys() & whole.keys():  # a name may have changed
            np.testing.assert_array_equal(arrays[name], whole[name])
    assert errors > 250


@pytest.mark.parametrize("length", [0, 1, 21, 22, 100, 300])
def test_files_that_are_cut_off(length: int, tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.arange(100))
    os.truncate(tmp_path / "x.npz", length)
    with pytest.raises(SavedThingError, match=r"x.npz' is not a saved thing, or is damaged \("):
        read_all(tmp_path / "x.npz")
