"""How much every item is linked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrsne.data.relational import RelationalData


def link_strength(data: RelationalData, domain: str) -> NDArray[np.float64]:
    """Return the weight of all links of each item of a domain.

    Examples
    --------
    >>> import mrsne
    >>> data = mrsne.RelationalData({"photo": 3, "tag": 2}, {("photo", "tag"): [(0, 0), (1, 0), (2, 1)]})
    >>> link_strength(data, "tag")
    array([2., 1.])
    """
    total = np.zeros(data.sizes[domain])
    for pair, W in data.relations.items():
        for side, name in enumerate(pair):
            if name == domain:
                total += np.asarray(W.sum(axis=1 - side)).ravel()
    return total
