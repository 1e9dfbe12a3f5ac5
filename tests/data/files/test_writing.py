"""An older file stays until the new one is complete, whatever happens; what killed writers leave is removed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO

import pytest
from matplotlib.figure import Figure

from mrsne.data.files.problems import Problems
from mrsne.data.files.writing import ABANDONED, write_atomically, write_figure, write_text
from mrsne.data.tables.reading import write_table
from mrsne.regular_files import IrregularFileError
from tests.data.files.hostile_files import PATIENCE, in_another_process

WRITER = """
import sys, time
from mrsne.data.files.writing import write_atomically

def write(file):
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.readline()
    file.write(b" and half")

write_atomically(sys.argv[1], write)
"""


def waiting_writer(path: Path) -> subprocess.Popen[str]:
    """Start a process that has written half of a file, and writes the rest when it gets a line."""
    command = [sys.executable, "-c", WRITER, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    return process


def test_a_writer_that_fails_leaves_the_older_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("older")

    def write(file: IO[bytes]) -> None:
        file.write(b"new")
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        write_atomically(tmp_path / "file", write)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "older")]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_full_disk_leaves_the_older_picture(ending: str, tmp_path: Path) -> None:
    script = """
import resource
from matplotlib.figure import Figure
from mrsne.data.files.writing import write_figure
figure = Figure(figsize=(8, 8))
figure.add_subplot().plot(range(1000))
write_figure(sys.argv[1], figure)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    write_figure(sys.argv[1], figure, dpi=300)
except OSError as error:
    print(error)
"""
    path = tmp_path / f"map.{ending}"
    result = in_another_process(script, path)
    assert result.stdout == f"[Errno 27] File too large: '{path}'\n", result.stderr
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert path.stat().st_size > 2000


def test_what_a_killed_writer_leaves_is_removed_an_hour_later(tmp_path: Path) -> None:
    (tmp_path / "map.npz").write_text("older")
    process = waiting_writer(tmp_path / "map.npz")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (leftover,) = (path for path in tmp_path.iterdir() if path.suffix == ".partial")
    assert re.fullmatch(r"\.map\.npz\.[0-9a-f]{8}\.partial", leftover.name)
    assert (tmp_path / "map.npz").read_text() == "older"
    write_text(tmp_path / "map.npz", "newer")
    assert leftover.exists()
    an_hour_ago = time.time() - ABANDONED - 1
    os.utime(leftover, (an_hour_ago, an_hour_ago))
    write_text(tmp_path / "other.npz", "of another name")
    assert leftover.exists()
    write_text(tmp_path / "map.npz", "newest")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.npz", "other.npz"]


def test_what_a_living_writer_has_written_so_far_stays(tmp_path: Path) -> None:
    process = waiting_writer(tmp_path / "file")
    write_text(tmp_path / "file", "of this process")
    assert (tmp_path / "file").read_text() == "of this process"
    process.communicate("go on\n", timeout=PATIENCE)
    assert process.returncode == 0
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "half and half")]


def test_threads_that_write_the_same_file_leave_one_of_theirs(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def write(text: str) -> None:
        try:
            for _ in range(50):
                write_text(tmp_path / "file", text)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(letter * 1000,)) for letter in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert len(set((tmp_path / "file").read_text())) == 1


def test_only_files_are_taken_for_leftovers(tmp_path: Path) -> None:
    """A link of such a name is not followed, a pipe not waited for, and neither is removed."""
    (tmp_path / "precious").write_text("mine")
    os.symlink("precious", tmp_path / ".file.00000000.partial")
    os.mkfifo(tmp_path / ".file.11111111.partial")
    (tmp_path / ".file.2222.partial").write_text("not a name of ours")
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0), follow_symlinks=False)
    write_text(tmp_path / "file", "new")
    assert len(list(tmp_path.iterdir())) == 5
    assert (tmp_path / "precious").read_text() == "mine"


def test_errors_name_the_file_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: '[^']*/nowhere/file'$"):
        write_text(tmp_path / "nowhere" / "file", "text")

    def refuse(file: IO[bytes]) -> None:
        raise OSError("encoder error")

    with pytest.raises(OSError, match=r"'[^']*/file' cannot be written \(encoder error\)"):
        write_atomically(tmp_path / "file", refuse)


def test_a_link_stays_and_the_file_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    os.symlink("elsewhere/real.txt", tmp_path / "link.txt")
    for text in ("first", "second"):
        write_text(tmp_path / "link.txt", text)
        assert (tmp_path / "elsewhere" / "real.txt").read_text() == text
    assert (tmp_path / "link.txt").is_symlink()


def test_permissions_of_the_older_file_are_kept(tmp_path: Path) -> None:
    (tmp_path / "private").write_text("older")
    (tmp_path / "private").chmod(0o600)
    (tmp_path / "shared").write_text("older")
    (tmp_path / "shared").chmod(0o666)
    for name, mode in (("private", 0o600), ("shared", 0o666)):
        write_text(tmp_path / name, "newer")
        assert (tmp_path / name).stat().st_mode & 0o777 == mode


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_text(tmp_path / "new", "text")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_nothing_but_a_file_is_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    os.symlink("/dev/null", tmp_path / "nothing")
    (tmp_path / "folder").mkdir()
    for name, kind in (("pipe", "pipe"), ("nothing", "device"), ("folder", "folder")):
        with pytest.raises(IrregularFileError, match=f"is a {kind}, not a file"):
            write_text(tmp_path / name, "text")
    os.symlink("circle", tmp_path / "circle")
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        write_text(tmp_path / "circle", "text")
    assert len(list(tmp_path.iterdir())) == 4


def test_a_write_protected_file_is_not_replaced(tmp_path: Path) -> None:
    script = """
import os
from mrsne.data.files.writing import write_text
if os.getuid() == 0:
    os.setuid(65534)  # nothing is protected from root
try:
    write_text("file", "newer")
except PermissionError as error:
    print(error)
"""
    tmp_path.chmod(0o777)
    (tmp_path / "file").write_text("older")
    (tmp_path / "file").chmod(0o444)
    command = [sys.executable, "-c", script]
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert result.stdout == "'file' is write-protected\n", result.stderr
    assert (tmp_path / "file").read_text() == "older"


@pytest.mark.parametrize("letter", ["x", "\u00e9", "\U0001f415"])
def test_names_as_long_as_the_system_allows(letter: str, tmp_path: Path) -> None:
    name = letter * (255 // len(letter.encode()))
    for text in ("first", "second"):
        write_text(tmp_path / name, text)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_any_text_can_be_written(tmp_path: Path) -> None:
    problems = Problems()
    problems.add("kind", "caf\udce9.jpg", "\ud800")  # a file name in Latin-1, and half of a pair
    write_table(tmp_path / "left-out.csv", problems.columns())
    content = (tmp_path / "left-out.csv").read_bytes()
    assert content == b"problem,where,what\r\nkind,caf\xe9.jpg,\xef\xbf\xbd\r\n"


def test_figures_are_written_in_the_format_of_their_ending(tmp_path: Path) -> None:
    for ending, start in ((".PNG", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        write_figure(tmp_path / f"map{ending}", Figure(figsize=(1, 1)))
        assert (tmp_path / f"map{ending}").read_bytes().startswith(start)
