"""Icons, their aliases and their authors, bundled: three kinds."""

import numpy as np

from mrsne.data.relational import RelationalData
from mrsne.datasets.files import bundled_arrays, bundled_pictures

SIDE = 40  # pixels
INK = (86, 107, 148)  # red, green and blue of an icon: to be seen on white and on black


def load_icons() -> RelationalData:
    """Return 7,447 icons, the words for them, and the people who drew them.

    Returns
    -------
    data : RelationalData
        Domain "icon" with 64 principal components of the features that :func:`mrsne.encoders.encode_images` computes,
        names, pictures and the columns "tag" (the first of the package's own) and "version" (when it came). Domain
        "alias": the words of names and aliases that at least three icons have, with GloVe vectors where these are
        known. Domain "author", without vectors. An icon is linked to its aliases and its author.

    See Also
    --------
    mrsne.datasets.load_emoji : Two kinds.
    mrsne.datasets.load_debian : Three kinds, from apt's package lists.

    Notes
    -----
    Icons are those of the npm package ``@mdi/svg`` 7.4.47 (Apache License 2.0); ``tools/build_icons.py`` rebuilds the
    files.

    Examples
    --------
    >>> import mrsne
    >>> data = mrsne.datasets.load_icons()
    >>> data.sizes["icon"], list(data.relations), data.names["icon"][:2]
    (7447, [('icon', 'alias'), ('icon', 'author')], ('ab-testing', 'abacus'))
    """
    from mrsne.encoders.words import encode_words

    content = bundled_arrays("icons")
    about = content["about"]
    vectors = content["vectors"].astype(np.float32) * content["scale"]
    links = {name: content[f"{name}_links"].astype(np.int64) for name in ("alias", "author")}
    words = encode_words(about["aliases"])
    ink = bundled_pictures("icons", "L", SIDE, len(vectors))
    coloured = np.broadcast_to(np.array(INK, np.uint8), (*ink.shape[:3], 3))
    return RelationalData(
        {"icon": vectors, "alias": words, "author": len(about["authors"])},
        {("icon", name): {"icon": pairs[:, 0], name: pairs[:, 1]} for name, pairs in links.items()},
        names={"icon": about["names"], "alias": about["aliases"], "author": about["authors"]},
        missing={"alias": np.isnan(words).any(axis=1)},
        pictures={"icon": np.concatenate([coloured, ink], axis=3)},  # clear where there is no ink
        columns={"icon": {"tag": about["tags"], "version": about["versions"]}},
    )
