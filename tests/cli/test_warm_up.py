"""After ``mrsne warm-up`` nothing is left to compile, and while something is, those who wait are told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mrsne
from mrsne.warm_up import compile_all, loops, names
from tests.cli.conftest import run, summary_of
from tests.cli.json_keys import check_keys
from tests.data.files.hostile_files import in_another_process

QUICK = ["mrsne.matrices._sums", "mrsne.backends.cpu.search.duplicates._hash_rows", "serve"]


def test_loops_of_every_module_are_found() -> None:
    source = Path(mrsne.__file__).parent
    found = set()
    for path in source.rglob("*.py"):
        if re.search(r"^\s*@kernel\(|[= ]kernel\(.*\)\(_", path.read_text("utf-8"), re.MULTILINE):
            found.add("mrsne." + ".".join(path.relative_to(source).with_suffix("").parts))
    assert found == {loop.function.__module__ for found_loops in loops().values() for loop in found_loops}


def test_maps_use_no_other_loops_than_those_that_are_compiled_ahead(tmp_path: Path) -> None:
    """Fits of all sizes, new items, a page: every loop that has run here by then, but for other tests' settings."""
    script = """
import gc, warnings
import numpy as np
from mrsne import MRSNE, datasets
from mrsne.warm_up import loops
from mrsne.loops import Kernel
warnings.simplefilter("ignore")
data, _ = datasets.make_shapes(300, random_state=0)
model = MRSNE(perplexity=5, max_iter=60, random_state=0)
embedding = model.fit_transform(data)
embedding.to_html(sys.argv[1] + "/map.html", data)
random = np.random.default_rng(0)
for n, kind in ((1_500, np.float32), (6_000, np.float64), (11_000, np.float32)):
    X = random.normal(size=(n, 4)).astype(kind)
    model = MRSNE(perplexity=5, max_iter=2, random_state=0).fit(X)
    model.transform(X[:3])
used = [each for each in gc.get_objects() if isinstance(each, Kernel) and each.machine_code is not None]
known = {id(loop) for all_of_name in loops().values() for loop in all_of_name}
print(len(used) > 30, sorted(each.function.__qualname__ for each in used if id(each) not in known))
"""
    result = in_another_process(script, tmp_path)
    assert result.stdout == "True []\n", result.stderr


def test_loops_are_compiled_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))
    steps: list[int] = []
    first = compile_all(QUICK, 2, steps.append)
    assert steps == [1, 2, 3]
    assert sum(result.loops for result in first) == sum(result.new for result in first) == 4
    assert all(result.folder is not None and result.folder.startswith(str(tmp_path / "code")) for result in first)
    again = compile_all(QUICK, 2, steps.append)
    assert sum(result.new for result in again) == 0


def test_the_bar_tells_that_something_is_compiled_only_where_it_is(tmp_path: Path) -> None:
    script = """
import os
os.environ["NUMBA_CACHE_DIR"] = sys.argv[1]
from mrsne.warm_up import compile_loops
from mrsne.loops import notify_of_compiling
heard = []
with notify_of_compiling(heard.append):
    compile_loops("mrsne.matrices._sums")
print(heard)
"""
    heard = in_another_process(script, tmp_path / "code").stdout  # the loop, and what hands it to threads
    assert heard in ("[True, False]\n", "[True, False, True, False]\n")
    assert in_another_process(script, tmp_path / "code").stdout == "[]\n"


def test_the_progress_bar_says_so(tmp_path: Path) -> None:
    script = """
import os
os.environ["NUMBA_CACHE_DIR"] = sys.argv[1]
os.environ |= {"FORCE_COLOR": "1", "COLUMNS": "200", "TERM": "xterm"}
import numba
from mrsne.layout.progress import progress_bar, stage
with stage("Neighbours", True):
    numba.njit("i8(i8)")(lambda number: number + 1)
with progress_bar(3, 0, True) as report:
    report(1, 0.5)
    numba.njit("i8(i8)")(lambda number: number + 2)
"""
    shown = in_another_process(script, tmp_path / "code").stderr
    assert shown.count("compiling (first use)") >= 1
    assert "Neighbours" in shown


def test_without_a_terminal_one_line_says_so_once(tmp_path: Path) -> None:
    script = """
import os
os.environ["NUMBA_CACHE_DIR"] = sys.argv[1]
from mrsne.cli.reporter import Reporter
from mrsne.warm_up import compile_loops
report = Reporter(False)
for name in ("_sums", "_scale"):
    with report.warnings_as_notes():
        compile_loops("mrsne.matrices." + name)
"""
    said = "compiling loops for this computer, which takes some seconds and happens only once\n"
    assert in_another_process(script, tmp_path / "code").stderr == said
    assert in_another_process(script, tmp_path / "code").stderr == ""


def test_a_folder_that_keeps_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mrsne.warm_up.names", lambda: QUICK[:1])
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("NUMBA_CACHE_LOCATOR_CLASSES", "UserProvidedCacheLocator")  # as where no folder is writable
    code, _, errors = run("warm-up")
    assert code == 1
    assert "machine code cannot be kept" in errors
    assert "set NUMBA_CACHE_DIR" in errors


def test_what_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mrsne.warm_up.names", lambda: QUICK)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))
    printed = summary_of("warm-up", "--jobs", "2")
    check_keys("warm-up", printed)
    assert (printed["loops"], printed["compiled"], printed["processes"]) == (4, 4, 2)
    assert printed["folder"] == str(tmp_path / "code")


def test_a_process_that_ends_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mrsne.warm_up.names", lambda: ["no such loop"])
    code, _, errors = run("warm-up")
    assert code == 1
    assert "no such loop could not be compiled (KeyError" in errors


def test_names_are_all_there_once() -> None:
    assert sorted(names()) == sorted([*loops(), "run_job", "serve"])


@pytest.mark.slow
def test_after_a_whole_warm_up_a_fit_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))
    printed = summary_of("warm-up")
    assert printed["compiled"] == printed["loops"]
    script = """
import numpy as np
from mrsne import MRSNE
from mrsne.loops import notify_of_compiling
X = np.random.default_rng(0).normal(size=(11_000, 4)).astype(np.float32)
heard = []
with notify_of_compiling(heard.append):
    for n in (300, 1_500, 11_000):
        MRSNE(perplexity=5, max_iter=2, random_state=0).fit(X[:n])
print(heard)
"""
    result = in_another_process(script)
    assert result.stdout == "[]\n", result.stderr
