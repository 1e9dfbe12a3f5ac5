from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import matplotlib.image
import pytest

from mrsne import Embedding


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "mrsne", *arguments], capture_output=True, text=True, check=False)


def test_demo_writes_map_and_picture(tmp_path: Path) -> None:
    result = run("demo", "-o", str(tmp_path / "out"))
    assert result.returncode == 0, result.stderr
    assert "614 items (600 pictures, 14 tags), 1740 links" in result.stdout
    assert Embedding.load(tmp_path / "out" / "shapes.npz")["tag"].shape == (14, 2)
    picture = matplotlib.image.imread(tmp_path / "out" / "shapes.png")
    assert picture.shape[:2] == (1500, 1500)
    assert picture.std() > 0.05


@pytest.mark.parametrize("arguments", [["--help"], ["demo", "--help"]])
def test_help(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.returncode == 0
    assert "demo" in result.stdout


def test_errors_are_messages(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    result = run("demo", "-o", str(tmp_path / "file"))
    assert result.returncode == 1
    assert result.stderr.startswith("mrsne: ")
    assert "Traceback" not in result.stderr
