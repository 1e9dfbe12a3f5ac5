"""Files are opened, and links that lead to files; anything else is named and never waited for."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from mrsne.regular_files import IrregularFileError, open_regular
from tests.data.files.hostile_files import hostile_files, in_another_process


def test_a_file_is_read_through_any_number_of_links(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    os.symlink("file", tmp_path / "one")
    os.symlink("one", tmp_path / "two")
    for name in ("file", "one", "two"):
        with open_regular(tmp_path / name) as file:
            assert file.read() == b"content"


def test_whatever_is_not_a_file_is_named_at_once(tmp_path: Path) -> None:
    reasons = hostile_files(tmp_path, ".jpg") | {".": "a folder, not a file"}
    script = """
from mrsne.regular_files import IrregularFileError, open_regular
for name in sys.argv[1:]:
    try:
        open_regular(name)
    except IrregularFileError as error:
        print(error.reason)
"""
    result = in_another_process(script, *(tmp_path / name for name in reasons))
    assert result.stdout.splitlines() == list(reasons.values()), result.stderr


@pytest.mark.parametrize("name", ["with\0zero", "surrogate\ud800"])
def test_names_that_no_file_can_have(name: str, tmp_path: Path) -> None:
    with pytest.raises(IrregularFileError, match="is not a name that a file can have"):
        open_regular(os.path.join(tmp_path, name))


def test_nothing_there_and_nothing_allowed_are_errors_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no such file: .*nowhere"):
        open_regular(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        open_regular(tmp_path / "file" / "inside")


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    script = """
import os
from mrsne.regular_files import open_regular
name = sys.argv[1]
before = os.stat(name)
os.unlink(name)
os.mkfifo(name)
os.stat = lambda path, **options: before
print(open_regular(name).read())
"""
    (tmp_path / "file").write_text("content")
    result = in_another_process(script, tmp_path / "file")
    assert result.stdout == "b''\n", result.stderr


def test_the_error_survives_a_worker_process(tmp_path: Path) -> None:
    error = pickle.loads(pickle.dumps(IrregularFileError("x", "a pipe, not a file")))
    assert (str(error), error.reason) == ("'x' is a pipe, not a file", "a pipe, not a file")
