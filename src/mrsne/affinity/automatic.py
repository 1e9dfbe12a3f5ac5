"""What weights="auto" asks of the data: neighbours by links, and how well vectors agree with links."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.affinity.settings import CheckedAffinitySettings
from mrsne.affinity.shares import DERIVED_SHARE, SMALLEST_SHARE, Shares, share_of_links, share_out
from mrsne.backends.base import Backend
from mrsne.data import Outline

logger = logging.getLogger("mrsne")


def vectors_from_links(
    data: Outline, items: Mapping[str, Any], backend: Backend
) -> dict[str, tuple[Any, NDArray[np.bool_]]]:
    """Return vectors made from links for domains that have no neighbour graph of their own, and who has one."""
    linked = {name for pair in data.pairs for name in pair}
    found = {name: backend.link_vectors(data, name) for name in data.sizes if name in linked and name not in items}
    return {name: made for name, made in found.items() if made is not None}


def shares_of(
    data: Outline,
    items: Mapping[str, NDArray[np.bool_]],
    derived: Mapping[str, Any],
    checked: CheckedAffinitySettings,
    backend: Backend,
) -> Shares:
    """Return how items share out their mass: more to links where vectors agree with them less."""
    totals = {pair: backend.link_totals(data, pair) for pair in data.pairs}
    linked = {name for pair in data.pairs for name in pair}
    shares: dict[str, float] = {}
    for name in items:
        if name in derived:
            shares[name] = DERIVED_SHARE
        elif name in linked and isinstance(checked.weights, str) and checked.weights == "auto":
            known = backend.agreement(data, name, checked.metric[name])
            shares[name] = SMALLEST_SHARE if known is None else share_of_links(known)
            if known is not None:
                logger.info("%s: vectors agree with links to %.0f %%", name, 100 * known)
    return share_out(data.sizes, items, totals, shares)
