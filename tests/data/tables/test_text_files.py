"""Text in any encoding."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrsne.data.tables.known_items import read_names
from mrsne.regular_files import IrregularFileError, read_text
from tests.data.files.hostile_files import hostile_files


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_names_in_any_encoding(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_bytes("caf\u00e9\r\n\r\ngr\u00f6\u00dfe\r\n".encode(encoding))
    assert read_names(tmp_path / "names.txt") == ["caf\u00e9", "gr\u00f6\u00dfe"]


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00\xd8a\x00", b"\xef\xbb\xbf\xed\xa0\x80", b"\xed\xa0\x80", b"\x81\x8d"]
)
def test_bytes_that_mean_nothing_are_marked_and_can_be_written_again(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_bytes(content)
    assert read_text(tmp_path / "names.txt").encode("utf-8").decode("utf-8")


def test_only_files_are_read(tmp_path: Path) -> None:
    for name in hostile_files(tmp_path, ".txt"):
        with pytest.raises(IrregularFileError, match=name):
            read_names(tmp_path / name)
    with pytest.raises(FileNotFoundError, match="there is no file of names"):
        read_names(tmp_path / "nowhere.txt")
