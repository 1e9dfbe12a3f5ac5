"""A command that cannot write its picture leaves the older one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from tests.data.files.hostile_files import PATIENCE

SCRIPT = """
import resource, sys
from pathlib import Path
from mrsne.cli import main

def run():
    try:
        main()
    except SystemExit as end:
        return end.code

first = run()
if "plot" in sys.argv:
    smallest, largest = 0, Path("map.png").stat().st_size
else:  # the picture fails, and not what is written before it
    smallest, largest = Path("map.data.npz").stat().st_size, Path("map.png").stat().st_size
assert smallest < largest - 1000, (smallest, largest)
resource.setrlimit(resource.RLIMIT_FSIZE, (largest - 500, largest - 500))
print(first, run())
"""


@pytest.mark.parametrize("command", ["plot", "map"])
def test_a_full_disk_leaves_the_older_picture(command: str, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    for index in range(3):
        Image.new("RGB", (32, 32), (80 * index, 200 - 60 * index, 90)).save(tmp_path / "photos" / f"{index}.png")
    making = ["map", "photos", "-o", "map.png", "--no-cache", "--json"]
    start = [sys.executable, "-c", SCRIPT]
    if command == "plot":
        subprocess.run([sys.executable, "-m", "mrsne", *making], check=True, cwd=tmp_path, timeout=2 * PATIENCE)
    arguments = making if command == "map" else ["plot", "map.npz", "-o", "map.png", "--json"]
    result = subprocess.run(
        [*start, *arguments], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=2 * PATIENCE
    )
    assert result.stdout.endswith("0 1\n"), result.stderr
    assert (tmp_path / "map.png").read_bytes().endswith(b"IEND\xaeB`\x82")
    assert not list(tmp_path.glob(".*.partial"))
    assert result.stderr.startswith("mrsne: 'map.png' cannot be written (File too large); ")
    assert result.stderr.count("\n") == 1
