"""Every script of the gallery and the tutorials runs by itself, and writes what its page shows."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
SCRIPTS = sorted([*(DOCS / "gallery").glob("*.py"), *(DOCS / "tutorials").glob("*.py")])
QUICK = {"graph", "museum", "papers", "table"}
NEEDS = {"cells": "scanpy", "cluster": "distributed", "figure1": "torch", "photos": "onnxruntime"}


@pytest.mark.parametrize(
    "script", [pytest.param(s, id=s.stem, marks=[] if s.stem in QUICK else [pytest.mark.slow]) for s in SCRIPTS]
)
def test_a_script_runs_and_writes_what_its_page_shows(script: Path, tmp_path: Path) -> None:
    needed = NEEDS.get(script.stem)
    if needed and importlib.util.find_spec(needed) is None:
        pytest.skip(f"{script.name} needs {needed}, as it says")
    for table in script.parent.glob("*.csv"):
        shutil.copy(table, tmp_path)
    paths = [str(DOCS / "_ext"), os.environ.get("PYTHONPATH", "")]
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "MPLBACKEND": "agg"}
    command = [sys.executable, "-W", "error::UserWarning:__main__", str(script)]
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [path for path in tmp_path.iterdir() if path.suffix in (".html", ".png")]


def test_every_script_has_its_place_in_the_gallery() -> None:
    namespace: dict[str, tuple[str, ...]] = {}
    exec((DOCS / "_ext" / "example_order.py").read_text(encoding="utf-8"), namespace)
    assert sorted(namespace["ORDER"]) == sorted(script.name for script in SCRIPTS)
