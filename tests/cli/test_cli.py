"""What all commands have in common."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mrsne import __version__
from tests.cli.conftest import Invoke

FORMATS = Path(__file__).parents[1] / "formats" / __version__
COMMANDS = ["demo", "map", "fit", "view", "place", "update"]
COMMANDS += ["export", "regions", "evaluate", "plot", "reproduce", "info"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str, invoke: Invoke) -> None:
    code, printed, _ = invoke(command, "--help")
    assert (code, f"Example: mrsne {command}" in printed) == (0, True)
    assert command in invoke("--help")[1]


def test_the_version_is_printed(invoke: Invoke) -> None:
    assert invoke("--version") == (0, f"mrsne {__version__}\n", "")


def test_python_runs_the_module_and_errors_are_messages(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mrsne", "info", str(tmp_path / "nowhere.npz")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.startswith("mrsne: ")
    assert "nowhere.npz" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="the shell of Windows cannot close a stream")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_needs_no_streams(closed: str, tmp_path: Path) -> None:
    """A file that is opened later must not get what is printed."""
    shutil.copytree(FORMATS, tmp_path, dirs_exist_ok=True)
    for rest in ("info table.npz", "export table.npz -o items.csv"):
        command = f"exec '{sys.executable}' -m mrsne {rest} {closed}"
        result = subprocess.run(command, cwd=tmp_path, shell=True, capture_output=True, text=True, check=False)
        assert (result.returncode, result.stderr) == (0, "")
    assert (tmp_path / "items.csv").read_text().startswith("kind,")
