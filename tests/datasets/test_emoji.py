"""The bundled emoji."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import mrsne
from mrsne.datasets.emoji import emoji_groups


def test_emoji_have_pictures_names_vectors_and_keywords() -> None:
    data = mrsne.datasets.load_emoji()
    assert data.sizes == {"image": 1636, "tag": 997}
    position = {name: index for index, name in enumerate(data.names["image"])}
    W = data.relations["image", "tag"]
    keywords = {data.names["tag"][j] for j in W[position["dog face"]].indices}
    assert {"animal", "dog", "pet"} <= keywords
    assert W.sum(axis=0).min() >= 3
    pictures = data.pictures["image"]
    assert pictures.shape == (1636, 64, 64, 4)
    heart = pictures[position["red heart"]]
    assert heart[32, 32, 3] == 255
    assert heart[32, 32, 0] > 180 > 120 > heart[32, 32, 1]
    vectors: Any = data.vectors["image"]
    assert np.isfinite(vectors).all()
    groups = np.array(emoji_groups())
    assert groups[position["dog face"]] == groups[position["cat face"]] != groups[position["red heart"]]


def test_the_bundle_is_small_and_says_where_it_comes_from() -> None:
    folder = Path(mrsne.datasets.emoji.__file__).parent
    assert sum(file.stat().st_size for file in folder.iterdir() if file.suffix in (".npz", ".webp")) < 5_000_000
    notice = (folder / "NOTICE.md").read_text()
    for source in ("Noto Emoji", "Apache License", "CLDR", "tools/build_emoji.py"):
        assert source in notice


def test_bundled_vectors_are_those_of_the_encoder() -> None:
    data = mrsne.datasets.load_emoji()
    vectors: Any = data.vectors["image"]
    from PIL import Image

    from mrsne.encoders.decoding import _on_white, centre_crop
    from mrsne.encoders.networks import load_network

    network = load_network("efficientnet-lite0")
    chosen = [0, 500, 1000]
    crops = [
        centre_crop(_on_white(Image.fromarray(data.pictures["image"][i])), network.side, margin=1.0) for i in chosen
    ]
    encoded, bundled = network.encode(np.stack(crops)), vectors[chosen]
    similarity = (encoded * bundled).sum(axis=1) / np.linalg.norm(encoded, axis=1) / np.linalg.norm(bundled, axis=1)
    assert similarity.min() > 0.9  # the pictures were compressed after they had been encoded
