from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import pytest

from mrsne import Embedding


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "mrsne", *arguments], capture_output=True, text=True, check=False)


def test_demo_writes_map_and_picture_and_says_how_good_it_is(tmp_path: Path) -> None:
    result = run("demo", "-o", str(tmp_path / "out"), "--json")
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert (summary["emoji"], summary["keywords"], summary["links"]) == (1636, 997, 6726)
    assert summary["emoji_with_a_keyword_of_theirs_among_the_10_nearest"] > 0.8
    assert Embedding.load(tmp_path / "out" / "emoji.npz")["tag"].shape == (997, 2)
    picture = matplotlib.image.imread(tmp_path / "out" / "emoji.png")
    assert picture.shape[:2] == (1800, 1800)
    assert picture.std() > 0.05


@pytest.mark.parametrize("command", ["demo", "map", "reproduce"])
def test_help_has_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.returncode == 0
    assert f"Example: mrsne {command}" in result.stdout
    assert command in run("--help").stdout


def test_errors_are_messages(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    result = run("demo", "-o", str(tmp_path / "file"))
    assert result.returncode == 1
    assert result.stderr.startswith("mrsne: ")
    assert "Traceback" not in result.stderr
