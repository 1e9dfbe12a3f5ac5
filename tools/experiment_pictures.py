"""Rebuild the pictures in docs/experiments.md from reports of `mrsne reproduce`.

Usage: python tools/experiment_pictures.py photos13=REPORT emoji=REPORT icons=REPORT
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).parent.parent / "docs" / "experiments"
WIDTH, COLOURS = 1400, 64
PARTS = ("maps", "roc", "figure-05", "figure-07", "perplexity")


def main(*reports: str) -> None:
    """Copy the pictures of each report that the docs show, made small."""
    DOCS.mkdir(exist_ok=True)
    for report in reports:
        name, _, folder = report.partition("=")
        for part in PARTS:
            if not Path(folder, f"{part}.png").exists():
                continue
            picture = Image.open(Path(folder, f"{part}.png")).convert("RGB")
            height = round(picture.height * WIDTH / picture.width)
            resized = picture.resize((WIDTH, height), Image.Resampling.LANCZOS)
            small = resized.quantize(COLOURS, dither=Image.Dither.NONE)
            target = DOCS / f"{name}-{part}.png"
            small.save(target, optimize=True)
            print(f"wrote {target.name}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
