"""Emoji and their keywords, bundled."""

import numpy as np

from mrsne.data.relational import RelationalData
from mrsne.datasets.files import bundled_arrays, bundled_pictures

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

    content = bundled_arrays("emoji")
    about, vectors, links = content["about"], content["vectors"], content["links"]
    words = encode_words(about["keywords"])
    return RelationalData(
        {"image": vectors.astype(np.float32), "tag": words},
        {("image", "tag"): {"image": links[:, 0], "tag": links[:, 1]}},
        names={"image": about["names"], "tag": about["keywords"]},
        missing={"tag": np.isnan(words).any(axis=1)},
        pictures={"image": bundled_pictures("emoji", "RGBA", SIDE, len(vectors))},
    )


def emoji_groups() -> list[str]:
    """Return the group of each emoji, such as "animals & nature", in the order of :func:`load_emoji`."""
    return list(bundled_arrays("emoji")["about"]["groups"])
