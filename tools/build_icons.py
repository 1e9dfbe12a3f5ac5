"""Rebuild the bundled icons from their public source.

Writes into src/mrsne/datasets/icons: icons.npz (vectors of the pictures as 64 principal components in 8 bits, links,
names) and icons.webp (the pictures, 40 pixels wide, 87 in a row, bright where an icon has ink). The source is the npm
package @mdi/svg (Material Design Icons, Apache License 2.0). Aliases are the words of an icon's name and of its aliases
that at least three icons have; authors are those of at least three icons.

Usage: npm pack @mdi/svg
       python tools/build_icons.py mdi-svg-7.4.47.tgz
"""

from __future__ import annotations

import json
import re
import sys
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mrsne.encoders.networks import load_network

FOLDER = Path(__file__).parent.parent / "src" / "mrsne" / "datasets" / "icons"
SIDE, COLUMNS = 40, 87
FEWEST = 3  # icons of an alias or an author
COMPONENTS = 64
GRID = 24  # units of an icon's drawing
CODES = {"moveTo": 1, "lineTo": 2, "qCurveTo": 3, "curveTo": 4, "closePath": 79, "endPath": 79}  # of matplotlib
BATCH = 64
DRAWING = re.compile(r'<path d="([^"]*)"')


def main(package: str) -> None:
    """Draw and encode the icons, and write what load_icons reads."""
    about, drawings = read_package(package)
    words = [words_of(icon) for icon in about]
    aliases = frequent(words)
    authors = frequent([[icon["author"]] for icon in about])
    network = load_network("efficientnet-lite0")
    vectors = []
    for start in range(0, len(about), BATCH):
        crops = [on_white(rasterised(drawings[icon["name"]], network.side)) for icon in about[start : start + BATCH]]
        vectors.append(network.encode(np.stack(crops)))
        print(f"\r{start + len(crops)} of {len(about)} icons", end="", flush=True)
    sheet = Image.new("L", (COLUMNS * SIDE, -(-len(about) // COLUMNS) * SIDE), 0)
    for index, icon in enumerate(about):
        ink = Image.fromarray(rasterised(drawings[icon["name"]], SIDE)[..., 3])
        sheet.paste(ink, (index % COLUMNS * SIDE, index // COLUMNS * SIDE))
    FOLDER.mkdir(parents=True, exist_ok=True)
    sheet.save(FOLDER / "icons.webp", quality=50, method=6)
    codes, scale = compressed(np.concatenate(vectors))
    text = {
        "names": [icon["name"] for icon in about],
        "tags": [(icon["tags"] or [None])[0] for icon in about],
        "versions": [icon["version"] for icon in about],
        "aliases": aliases,
        "authors": authors,
    }
    np.savez_compressed(
        FOLDER / "icons.npz",
        about=np.frombuffer(json.dumps(text, ensure_ascii=False).encode(), np.uint8),
        vectors=codes,
        scale=np.float32(scale),
        alias_links=links(words, aliases),
        author_links=links([[icon["author"]] for icon in about], authors),
    )
    size = sum(file.stat().st_size for file in FOLDER.glob("icons.*")) / 1e6
    print(f"\n{len(about)} icons, {len(aliases)} aliases, {len(authors)} authors: {size:.2f} MB")


def read_package(package: str) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return what the package says of its icons, by name, and their drawings."""
    with tarfile.open(package) as archive:
        meta = archive.extractfile("package/meta.json")
        assert meta is not None
        about = sorted(json.load(meta), key=lambda icon: icon["name"])
        drawings = {}
        for icon in about:
            file = archive.extractfile(f"package/svg/{icon['name']}.svg")
            assert file is not None
            found = DRAWING.search(file.read().decode())
            assert found is not None
            drawings[icon["name"]] = found[1]
    return about, drawings


def rasterised(drawing: str, side: int) -> NDArray[np.uint8]:
    """Return the drawing of an icon as a picture, black on nothing."""
    from fontTools.pens.recordingPen import RecordingPen  # fontTools comes with matplotlib
    from fontTools.svgLib.path import parse_path
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    pen = RecordingPen()
    parse_path(drawing, pen)
    points = [point for _, stroke in pen.value for point in stroke or ((0.0, 0.0),)]  # of a closing stroke any
    codes = [CODES[name] for name, stroke in pen.value for _ in stroke or (None,)]
    figure = Figure(figsize=(1, 1), dpi=side)
    figure.patch.set_alpha(0)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, GRID), ylim=(GRID, 0))
    axes.axis("off")
    axes.add_patch(PathPatch(Outline(points, codes), facecolor="black", linewidth=0))
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.array(canvas.buffer_rgba(), dtype=np.uint8)


def words_of(icon: dict[str, Any]) -> list[str]:
    """Return the words of an icon's name and of its aliases, each once."""
    words = [word for name in (icon["name"], *icon["aliases"]) for word in re.split(r"[-_\s]+", name.lower())]
    return list(dict.fromkeys(word for word in words if len(word) > 1))


def frequent(lists: list[list[str]]) -> list[str]:
    """Return the words that are in enough lists, in alphabetical order."""
    counts = Counter(word for words in lists for word in words if word)
    return sorted((word for word, count in counts.items() if count >= FEWEST), key=str.casefold)


def links(lists: list[list[str]], known: list[str]) -> NDArray[np.int16]:
    """Return pairs of an icon and a word."""
    position = {word: index for index, word in enumerate(known)}
    pairs = [(index, position[word]) for index, words in enumerate(lists) for word in words if word in position]
    return np.array(pairs, np.int16)


def on_white(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return an icon in black on white, as the network takes pictures."""
    return np.repeat(255 - picture[..., 3:4], 3, axis=2)


def compressed(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], float]:
    """Return the first principal components in 8 bits, and what a step of these is."""
    centred = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    components = centred @ axes[:COMPONENTS].T
    scale = float(np.quantile(np.abs(components), 0.9999)) / 127
    kept = float((components**2).sum() / (centred**2).sum())
    print(f"\n{COMPONENTS} components keep {kept:.1%} of the variance")
    return np.clip(np.round(components / scale), -127, 127).astype(np.int8), scale


if __name__ == "__main__":
    main(*sys.argv[1:])
