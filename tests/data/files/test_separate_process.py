"""What goes wrong in a process that reads a file is an error of the caller, whatever becomes of that process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mrsne.data.files.separate_process import read_in_another_process
from mrsne.data.tables.table import TableError
from tests.data.files.hostile_files import PATIENCE
from tests.data.tables.test_anndata_files import cell_file, points


def crash(path: Path) -> None:
    os.abort()


def hang(path: Path) -> None:
    while path:
        pass


def fill_memory(path: Path) -> bytes:
    return bytes(10**11)


def refuse(path: Path, why: str) -> None:
    raise TableError(f"{path} {why}")


def answer_in_words(path: Path) -> str:
    print("what libraries print is no answer")  # noqa: T201
    return path.read_text()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "x.h5ad").write_text("content")
    return tmp_path / "x.h5ad"


def test_what_is_returned_and_raised_comes_back(path: Path) -> None:
    assert read_in_another_process(answer_in_words, path) == "content"
    with pytest.raises(TableError, match=r"x\.h5ad is odd$"):
        read_in_another_process(refuse, path, "is odd")


@pytest.mark.parametrize(("read", "end"), [(crash, "SIGABRT"), (hang, "SIGXCPU")])
def test_a_crash_or_hang_names_the_file_and_the_limits(
    read: Callable[[Path], None], end: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MRSNE_READING_MILLISECONDS", "1000")
    words = rf"x\.h5ad' is damaged, or takes more than 1,000 milliseconds .*_MILLISECONDS.*_BYTES.* ended with {end}$"
    with pytest.raises(TableError, match=words):
        read_in_another_process(read, path, error=TableError)


def test_memory_is_limited(path: Path) -> None:
    with pytest.raises(MemoryError, match=r"x\.h5ad' .* more than 6,442,451,644 bytes .* MRSNE_READING_BYTES\)$"):
        read_in_another_process(fill_memory, path)


def test_a_program_needs_no_guard_and_may_have_threads(tmp_path: Path) -> None:
    """Multiprocessing would run the program again in the new process."""
    (tmp_path / "program.py").write_text("""
import sys, threading
from mrsne.data.tables.reading import open_table
threading.Thread(target=threading.Event().wait, daemon=True).start()
print(open_table(sys.argv[1]).size)
""")
    path = cell_file(tmp_path / "cells.h5ad", X_pca=points())
    command: list[str | Path] = [sys.executable, tmp_path / "program.py", path]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert result.stdout == "60\n", result.stderr
