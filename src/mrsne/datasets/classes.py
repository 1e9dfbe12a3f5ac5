"""Made-up images that have the attributes of their class, as in Animals with Attributes."""

from typing import Any

import numpy as np

from mrsne.arrays import Int64
from mrsne.data.relational import RelationalData
from mrsne.parameters import ParameterError, check_integer, check_number, random_numbers

LATENT_DIMENSIONS = 10  # of the space in which classes and attributes have their positions


def make_classes(
    n_classes: int = 20,
    images_per_class: int = 40,
    n_tags: int = 85,
    *,
    share: float = 0.35,
    noise: float = 1.0,
    random_state: Any = None,
) -> tuple[RelationalData, Int64]:
    """Make images whose tags are those of their class, with vectors for both.

    Parameters
    ----------
    n_classes, images_per_class, n_tags : int
    share : float, default=0.35
        Share of the tags that a class has: those nearest to it in a latent space.
    noise : float, default=1
        Standard deviation of the noise in the vectors of images, relative to that of the vectors without it.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    data : RelationalData
        Domains "image" (64-d) and "tag" (32-d).
    classes : array of int
        The class of every image.

    See Also
    --------
    mrsne.datasets.make_groups : Groups whose links are fewer and less regular.
    mrsne.datasets.load_awa2 : The data that it stands in for.

    Examples
    --------
    >>> data, classes = make_classes(3, 4, 10, random_state=0)
    >>> data
    RelationalData(image: 12 items, 64-d; tag: 10 items, 32-d; image-tag: 48 links)
    """
    for name, value in (("n_classes", n_classes), ("images_per_class", images_per_class), ("n_tags", n_tags)):
        check_integer(name, value, minimum=1)
    check_number("noise", noise, minimum=0)
    if not 0 < check_number("share", share, above=0) <= 1:
        raise ParameterError(f"share must be greater than 0 and at most 1, got {share!r}")
    random = random_numbers(random_state)
    centres, tags = random.normal(size=(n_classes, LATENT_DIMENSIONS)), random.normal(size=(n_tags, LATENT_DIMENSIONS))
    count = max(1, round(share * n_tags))
    nearest = np.argsort(-(centres @ tags.T), axis=1)[:, :count]
    table = np.zeros((n_classes, n_tags))
    np.put_along_axis(table, nearest, 1, axis=1)
    classes = np.repeat(np.arange(n_classes), images_per_class)
    to_image, to_tag = (random.normal(size=(LATENT_DIMENSIONS, width)) for width in (64, 32))
    images = centres[classes] @ to_image
    images += noise * images.std() * random.normal(size=images.shape)
    vectors = {"image": images.astype(np.float32), "tag": (tags @ to_tag).astype(np.float32)}
    return RelationalData(vectors, {("image", "tag"): table[classes]}), classes
