"""Whatever goes wrong: a message, an exit code that tells what kind it is, and a traceback only with --debug."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrsne import MRSNE, Embedding, __version__
from mrsne.cli.failures import failure
from mrsne.cli.reporter import LONGEST
from mrsne.parameters import ParameterError
from tests.cli.conftest import Fitted, Invoke


def raised(call: Any) -> BaseException:
    """Return the error of a call, with its traceback."""
    try:
        call()
    except BaseException as error:
        return error
    pytest.fail("nothing was raised")


def damaged() -> None:
    raise ParameterError("map.npz is damaged")


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_bug_says_how_to_report_it_and_debug_shows_where_it_is(
    place: str, fitted: Fitted, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty: dict[str, Any] = {}
    monkeypatch.setattr(Embedding, "load", lambda path: empty["what is not there"])
    code, printed, errors = invoke("info", fitted.path)
    assert (code, printed) == (70, "")
    assert errors.startswith("mrsne: this is a bug: KeyError: 'what is not there'\n")
    assert f"version: mrsne {__version__}" in errors
    assert f"command: mrsne info {fitted.path}\n" in errors
    assert "where:   mrsne/cli/info.py, line " in errors
    assert "in _contents; then test_failures.py, line " in errors
    assert "issue tracker" in errors
    assert "--debug" in errors
    assert "Traceback" not in errors
    arguments = ["--debug", "info", fitted.path] if place == "before" else ["info", fitted.path, "--debug"]
    code, _, shown = invoke(*arguments)
    assert code == 70
    assert shown.startswith("Traceback (most recent call last):")
    assert "Embedding.load(path)" in shown
    assert errors.splitlines()[0] in shown


def test_what_numpy_complains_about_is_a_bug_and_what_mrsne_says_is_not() -> None:
    unchecked = raised(lambda: np.ones(2) + np.ones((15, 0)))
    assert failure(unchecked, ["fit"]).message.startswith("this is a bug: ValueError: operands could not be broadcast")
    unread = raised(lambda: Embedding({"a": [[0, 1]], "b": [[0, 1, 2]]}))
    assert failure(unread, ["fit"]).code == 1
    assert failure(raised(damaged), ["fit"]) == failure(ParameterError("map.npz is damaged"), ["fit"])
    in_mrsne = raised(lambda: MRSNE(perplexity=-1).fit(np.eye(12)))
    assert (failure(in_mrsne, []).code, str(in_mrsne)) == (1, failure(in_mrsne, []).message)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (MemoryError(), 3, "not enough memory"),
        (OSError(12, "Cannot allocate memory"), 3, "not enough memory: [Errno 12] Cannot allocate memory"),
        (
            type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory"),
            3,
            "not enough memory: CUDA out of memory",
        ),
        (FileNotFoundError(2, "No such file or directory", "x.npz"), 1, "'x.npz': No such file or directory"),
        (OSError(28, "No space left on device"), 1, "[Errno 28] No space left on device"),
        (ModuleNotFoundError("No module named 'dask'", name="dask"), 1, "No module named 'dask'"),
        (ModuleNotFoundError("No module named 'mrsne.gone'", name="mrsne.gone"), 70, "this is a bug: ModuleNotFound"),
        (RecursionError("maximum recursion depth exceeded"), 70, "this is a bug: RecursionError: maximum recursion"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_every_kind_of_error_has_its_code(error: BaseException, code: int, message: str) -> None:
    found = failure(error, ["fit"])
    assert (found.code, found.message.startswith(message)) == (code, True), found


def test_an_unexpected_end_of_a_file_is_not_taken_for_the_end_of_typing(
    fitted: Fitted, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(path: Path) -> None:
        raise EOFError("no data left")

    monkeypatch.setattr(Embedding, "load", ended)
    code, _, errors = invoke("info", fitted.path)
    assert (code, errors.splitlines()[0]) == (70, "mrsne: this is a bug: EOFError: no data left")
    assert "where:   mrsne/cli/info.py" in errors


def test_a_message_is_never_longer_than_a_screen(tmp_path: Path, invoke: Invoke) -> None:
    (tmp_path / "links.csv").write_text(f"{'long ' * 1_000_000},0\n")
    arguments = ["--domain", "a=3", "--domain", "b=2", "--relation", f"a:b={tmp_path / 'links.csv'}"]
    code, _, errors = invoke("fit", *arguments, "-o", tmp_path / "map.npz")
    assert code == 1
    assert "long long" in errors
    assert len(errors) < LONGEST + 100


def test_names_from_a_file_do_not_steer_the_terminal(tmp_path: Path, invoke: Invoke) -> None:
    Embedding({"\x1b]0;owned\x07\u202e": [[0, 0]]}).save(tmp_path / "map.npz")
    code, printed, errors = invoke("info", tmp_path / "map.npz")
    assert (code, errors) == (0, "")
    assert "items of \\x1b]0;owned\\x07\\u202e: 1\n" in printed
    code, _, errors = invoke("info", tmp_path / "\x1b[2J.npz")
    assert (code, "\x1b" in errors) == (1, False)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process in this way")
def test_lack_of_memory_is_said_in_a_process_that_has_little(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((40_000, 500)))
    limited = (
        "import resource, sys; from mrsne.cli import main; import mrsne.model.estimator, mrsne.cli.options;"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize();"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 2**25, -1)); main(sys.argv[1:])"
    )
    command = [
        sys.executable,
        "-c",
        limited,
        "fit",
        "--domain",
        f"a={tmp_path / 'a.npy'}",
        "-o",
        str(tmp_path / "m.npz"),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 3, result.stderr
    assert result.stderr.startswith("mrsne: not enough memory: ")
    assert "Traceback" not in result.stderr


def test_options_that_are_wrong_have_the_code_of_typer(invoke: Invoke) -> None:
    assert invoke("fit", "--domain", "a=3", "--seed", "one")[0] == 2
    assert invoke("paint")[0] == 2


def test_json_of_a_command_that_fails_is_empty(tmp_path: Path, invoke: Invoke) -> None:
    code, printed, errors = invoke("info", tmp_path / "nowhere.npz", "--json")
    assert (code, printed) == (1, "")
    with pytest.raises(json.JSONDecodeError):
        json.loads(errors)
