"""What all commands have in common."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mrsne import __version__
from tests.cli.conftest import Invoke

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
