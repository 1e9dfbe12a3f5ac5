"""Rebuild the bundled emoji from their public sources.

Writes into src/mrsne/datasets/emoji: emoji.npz (vectors of the pictures in half precision, links, names) and emoji.webp
(the pictures, 64 pixels wide, 41 in a row). Pictures come from the npm package emoji-datasource-google (Noto, Apache
License 2.0), keywords from emojibase-data (Unicode CLDR). Flags are left out; keywords are used at least three times.

Usage: npm pack emoji-datasource-google emojibase-data
       python tools/build_emoji.py emoji-datasource-google-16.0.0.tgz emojibase-data-17.0.0.tgz
"""

from __future__ import annotations

import io
import json
import sys
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from mrsne.encoders.decoding import centre_crop
from mrsne.encoders.networks import load_network

FOLDER = Path(__file__).parent.parent / "src" / "mrsne" / "datasets" / "emoji"
SIDE, COLUMNS = 64, 41
LEFT_OUT = ("component", "flags")
FEWEST = 3  # emoji of a keyword


def main(pictures: str, keywords: str) -> None:
    """Join both packages by code point, encode the pictures, and write what load_emoji reads."""
    with tarfile.open(keywords) as package:
        entries, messages = (read(package, f"package/en/{name}.json") for name in ("data", "messages"))
    groups = [group["message"] for group in messages["groups"]]
    keys = [group["key"] for group in messages["groups"]]
    with tarfile.open(pictures) as package:
        images = {code(e["unified"]): e["image"] for e in read(package, "package/emoji.json") if e["has_img_google"]}
        wanted = [
            e for e in entries if "group" in e and keys[e["group"]] not in LEFT_OUT and code(e["hexcode"]) in images
        ]
        counts = Counter(tag for e in wanted for tag in set(e.get("tags", ())))
        tags = sorted(tag for tag, count in counts.items() if count >= FEWEST)
        drawn = [open_picture(package, f"package/img/google/64/{images[code(e['hexcode'])]}") for e in wanted]
    position = {tag: index for index, tag in enumerate(tags)}
    links = [
        (i, position[tag]) for i, e in enumerate(wanted) for tag in sorted(set(e.get("tags", ()))) if tag in position
    ]
    network = load_network("efficientnet-lite0")
    crops = [centre_crop(on_white(picture), network.side, margin=1.0) for picture in drawn]  # an emoji fills its frame
    vectors = np.concatenate([network.encode(np.stack(crops[i : i + 32])) for i in range(0, len(crops), 32)])
    sheet = Image.new("RGBA", (COLUMNS * SIDE, -(-len(drawn) // COLUMNS) * SIDE))
    for index, picture in enumerate(drawn):
        sheet.paste(picture, (index % COLUMNS * SIDE, index // COLUMNS * SIDE))
    FOLDER.mkdir(parents=True, exist_ok=True)
    sheet.save(FOLDER / "emoji.webp", quality=75, alpha_quality=80, method=6)
    about = {
        "names": [e["label"] for e in wanted],
        "characters": [e["emoji"] for e in wanted],
        "groups": [groups[e["group"]] for e in wanted],
        "keywords": tags,
    }
    text = np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), dtype=np.uint8)
    np.savez_compressed(
        FOLDER / "emoji.npz", vectors=vectors.astype(np.float16), links=np.array(links, np.int16), about=text
    )
    size = sum(file.stat().st_size for file in FOLDER.glob("emoji.*")) / 1e6
    print(f"{len(wanted)} emoji, {len(tags)} keywords, {len(links)} links: {size:.2f} MB")


def read(package: tarfile.TarFile, name: str) -> Any:
    """Return the content of a JSON file of a package."""
    file = package.extractfile(name)
    assert file is not None
    return json.load(file)


def code(hexcode: str) -> str:
    """Return code points without the mark that asks for a coloured picture, which only one of the sources writes."""
    return "-".join(part for part in hexcode.upper().split("-") if part != "FE0F")


def open_picture(package: tarfile.TarFile, name: str) -> Image.Image:
    """Return a picture with its transparency."""
    file = package.extractfile(name)
    assert file is not None
    return Image.open(io.BytesIO(file.read())).convert("RGBA").resize((SIDE, SIDE), Image.Resampling.LANCZOS)


def on_white(picture: Image.Image) -> Image.Image:
    """Return a picture without transparency."""
    white = Image.new("RGBA", picture.size, "white")
    white.alpha_composite(picture)
    return white.convert("RGB")


if __name__ == "__main__":
    main(*sys.argv[1:])
