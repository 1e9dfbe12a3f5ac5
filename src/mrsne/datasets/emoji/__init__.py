"""Emoji and their keywords, bundled."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.data import RelationalData

SIDE = 64  # pixels


def load_emoji() -> RelationalData:
    """Return 1,636 emoji and the 997 keywords that at least three of them have.

    Returns
    -------
    data : RelationalData
        Domain "image": the emoji, with the features that :func:`mrsne.encoders.encode_images` computes (1,280-d), names
        and pictures. Domain "tag": the keywords, with GloVe vectors (100-d) and names; a few have no vector. An emoji
        is linked to its keywords.

    See Also
    --------
    mrsne.datasets.load_icons : Three kinds.
    mrsne.datasets.make_shapes : Made pictures and tags.

    Notes
    -----
    Pictures are Noto Emoji (Apache License 2.0); keywords are those of the Unicode CLDR, from emojibase; there are no
    flags. ``tools/build_emoji.py`` rebuilds the files.

    Examples
    --------
    >>> import mrsne
    >>> data = mrsne.datasets.load_emoji()
    >>> data
    RelationalData(image: 1636 items, 1280-d; tag: 997 items, 100-d; image-tag: 6726 links)
    >>> data.names["image"][0], data.pictures["image"].shape
    ('grinning face', (1636, 64, 64, 4))
    """
    from mrsne.encoders.words import encode_words

    about, vectors, links = _content()
    words = encode_words(about["keywords"])
    return RelationalData(
        {"image": vectors.astype(np.float32), "tag": words},
        {("image", "tag"): {"image": links[:, 0], "tag": links[:, 1]}},
        names={"image": about["names"], "tag": about["keywords"]},
        missing={"tag": np.isnan(words).any(axis=1)},
        pictures={"image": _pictures(len(vectors))},
    )


def emoji_groups() -> list[str]:
    """Return the group of each emoji, such as "animals & nature", in the order of :func:`load_emoji`."""
    return list(_content()[0]["groups"])


def _content() -> tuple[dict[str, Any], NDArray[np.float16], NDArray[np.int16]]:
    with files("mrsne.datasets.emoji").joinpath("emoji.npz").open("rb") as file, np.load(file) as content:
        return json.loads(content["about"].tobytes()), content["vectors"], content["links"]


def _pictures(count: int) -> NDArray[np.uint8]:
    """Return the pictures of the sprite sheet."""
    from mrsne.encoders.decoding import open_picture

    with files("mrsne.datasets.emoji").joinpath("emoji.webp").open("rb") as file, open_picture(file) as picture:
        sheet = np.asarray(picture.convert("RGBA"))
    rows, columns = sheet.shape[0] // SIDE, sheet.shape[1] // SIDE
    tiles = sheet.reshape(rows, SIDE, columns, SIDE, 4).transpose(0, 2, 1, 3, 4).reshape(-1, SIDE, SIDE, 4)
    return np.ascontiguousarray(tiles[:count])
