"""Rebuild docs/emoji.png, the picture in the README, and its dark twin for the site: `python tools/readme_picture.py`.

It is the map that `mrsne demo` draws, made small.
"""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image

from mrsne import MRSNE, datasets, plot

SIDE = 1200  # pixels
COLOURS = 200


def main() -> None:
    """Draw the map of the emoji and write it with a reduced palette."""
    data = datasets.load_emoji()
    embedding = MRSNE(random_state=0).fit_transform(data)
    for theme, name in (("light", "emoji.png"), ("dark", "emoji-dark.png")):
        page = io.BytesIO()
        plot.map_figure(embedding, data, size=12, theme=theme).savefig(page, dpi=200)
        picture = Image.open(page).convert("RGB").resize((SIDE, SIDE), Image.Resampling.LANCZOS)
        target = Path(__file__).parents[1] / "docs" / name
        picture.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)
        print(f"wrote {name}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
