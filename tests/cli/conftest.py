"""The command line in this process: much faster than a new one for each call."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mrsne.cli import main

Invoke = Callable[..., tuple[int, str, str]]


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Invoke:
    """Run a command as `mrsne` does and return its exit code and what it printed, on both streams."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["mrsne", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return call
