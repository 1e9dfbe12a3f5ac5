"""`mrsne map` of a folder that a stranger filled: it ends, starts nothing, and lists what was left out."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.data.files.hostile_files import PATIENCE, hostile_files


@pytest.mark.parametrize("cached", [False, True])
def test_every_file_is_in_the_map_or_in_the_list(cached: bool, tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    reasons = hostile_files(folder, ".jpg")
    for index in range(3):
        Image.new("RGB", (32, 32), (80 * index, 200 - 60 * index, 90)).save(folder / f"good {index}.png")
    Image.new("RGB", (40, 30), "red").save(folder / "holiday.jpg", "EPS")
    os.symlink("good 0.png", folder / "link.png")
    os.symlink(".", folder / "loop")
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "gs").write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\n")
    (tmp_path / "programs" / "gs").chmod(0o755)
    command = [sys.executable, "-m", "mrsne", "map", str(folder), "-o", str(tmp_path / "map.html"), "--json"]
    command += ["--cache", str(tmp_path / "cache")] if cached else ["--no-cache"]
    environment = os.environ | {"PATH": f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}"}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=2 * PATIENCE)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["items"]["image"] == 4
    assert not (tmp_path / "started").exists()
    with open(tmp_path / "map.left-out.csv", encoding="utf-8", newline="") as file:
        listed = {row["where"]: row["what"] for row in csv.DictReader(file) if row["problem"].endswith("read")}
    assert listed == reasons | {"holiday.jpg": "not a picture, or of a format that is not read"}
