"""A damaged file of machine code is compiled again, and one that cannot be written is done without."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.data.files.hostile_files import in_another_process

LOOP = """
import os, resource, shutil
from pathlib import Path
folder = Path(sys.argv[1])
os.environ["NUMBA_CACHE_DIR"] = str(folder)
import numpy as np
from mrsne.loops import Kernel, handover
from mrsne.matrices import _scale

def hits():
    "Run a loop as a new process would, and return how much of its code was on disk."
    handover.cache_clear()
    loop = Kernel(_scale.function, "i8[:] i8[:] i4[:] f4[:] f8[:] f4[:]!")
    result = np.empty(2, np.float32)
    starts = np.arange(3)
    loop.alone(2, starts, starts, np.array([1, 0], np.int32), np.full(2, 3, np.float32), np.array([2.0, 5.0]), result)
    assert result.tolist() == [30, 30]
    return [sum(code.stats.cache_hits.values()) for code in (loop.compiled().code, handover("run_job"))]

def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :]

def files(ending):
    return sorted(folder.rglob("*" + ending))
"""
DAMAGES = {
    "empty": "b''",
    "cut": "content[: len(content) // 2]",
    "random": "np.random.default_rng(0).bytes(len(content))",
    "one bit": "flipped(content)",
}


def test_damaged_files_are_compiled_again(tmp_path: Path) -> None:
    """Machine code with one bit flipped would be run; what is unpickled before it is checked can ask for any memory."""
    damages = "\n".join(
        f"""
for path in files({ending!r}):
    content = path.read_bytes()
    path.write_bytes({damage})
print({name!r}, {ending!r}, hits(), hits())
"""
        for ending in (".nbi", ".nbc")
        for name, damage in DAMAGES.items()
    )
    result = in_another_process(LOOP + "hits()\n" + damages, tmp_path)
    assert result.returncode == 0, result.stderr
    expected = [f"{name} {ending} [0, 0] [1, 1]" for ending in (".nbi", ".nbc") for name in DAMAGES]
    assert result.stdout.splitlines() == expected
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("obstacle", "reason"),
    [
        ("resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))", "File too large"),
        ("for path in files(''): path.is_file() and (path.unlink(), path.mkdir())", "Is a directory"),
        ("shutil.rmtree(folder); folder.write_text('')", ""),  # numba looks for another folder
    ],
    ids=["full disk", "folder instead of a file", "file instead of a folder"],
)
def test_loops_run_where_their_code_cannot_be_kept(obstacle: str, reason: str, tmp_path: Path) -> None:
    script = LOOP + f"hits()\n{obstacle}\n" + "handover.cache_clear()\n"
    script += "import mrsne.loops\nmrsne.loops.code_version = lambda: 'another'\n" * bool(reason == "File too large")
    result = in_another_process(script + "print(hits(), hits())", tmp_path / "code")
    assert result.returncode == 0, result.stderr
    if reason:
        assert result.stdout == "[0, 0] [0, 0]\n"
        assert result.stderr.count("machine code cannot be kept") == 1
        assert reason in result.stderr


@pytest.mark.parametrize(("first", "kind"), [*enumerate(["ENOSPC", "EDQUOT", "EACCES", "EROFS"], 1)])
def test_loops_run_whatever_operation_on_their_folder_fails(first: int, kind: str, tmp_path: Path) -> None:
    script = f"""
import itertools
from numba.core.caching import CacheImpl
import mrsne.loops
from tests.anomalies.faults import failing
del CacheImpl._locator_classes[1:]  # other folders, where numba would keep the code of this test
for at in itertools.count({first}, 7):
    mrsne.loops.code_version = lambda: f"version {{at}}"
    with failing(folder, {kind!r}, at) as disk:
        assert hits() == [0, 0]
    if disk.count < at:
        break
    hits()
    assert hits() == [1, 1]
print(at)
"""
    result = in_another_process(LOOP + script, tmp_path / "code")
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) > 20
    assert os.strerror(getattr(errno, kind)) in result.stderr


def test_warm_up_says_that_nothing_was_kept(tmp_path: Path) -> None:
    script = """
import os, resource
os.environ["NUMBA_CACHE_DIR"] = sys.argv[1]
import mrsne.warm_up
from mrsne.cli import main
if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
    mrsne.warm_up.names = lambda: ["mrsne.matrices._sums"]
    sys.argv = ["mrsne", "warm-up"]
    main()
"""
    result = in_another_process(script, tmp_path / "code")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "machine code cannot be kept" in result.stderr
    assert "Traceback" not in result.stderr
