"""Draw docs/benchmark.png from docs/benchmark.csv, which `python -m benchmarks --out FOLDER` has written."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.report import picture, read  # noqa: E402

if __name__ == "__main__":
    picture(read(ROOT / "docs" / "benchmark.csv"), ROOT / "docs" / "benchmark.png")
    print("docs/benchmark.png")
