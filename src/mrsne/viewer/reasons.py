"""The strongest affinities of all items, packed when they are asked for; ``web/src/reasons.ts`` reads them."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Float64, UInt8
from mrsne.backends.cpu.shared_links import what_is_shared
from mrsne.data.identity import identity
from mrsne.data.outline import Outline
from mrsne.data.relational import RelationalData
from mrsne.metrics.memory import memory_of

COUNT = 6  # affinities of an item to its own kind, and as many to others
CHUNK = 4096  # items in a part
PAGE_ITEMS = 20_000  # most items of a page whose reasons are in it
SERVED_ITEMS = 200_000  # most items of a map whose reasons are computed when somebody asks


def reasons_panel(
    embedding: Mapping[str, Any], data: Outline | None, most: int, settings: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any] | None, dict[str, Callable[[], Any]]]:
    """Return what a page reads of the reasons of a map with at most ``most`` items: a description, and parts.

    There is none where it is not known how, or of what, the map was made; where settings are given, it is known.
    """
    if not isinstance(data, RelationalData) or data.n_items > most or list(embedding) != list(data.sizes):
        return None, {}
    alike = ["vector" if data.count_vectors(name) >= 2 else what_is_shared(data, name) for name in data.sizes]
    if not (data.pairs or "vector" in alike) or getattr(embedding, "similarity", "euclidean") != "euclidean":
        return None, {}
    known = _settings_with(embedding, data) if settings is None else settings
    if known is None:
        return None, {}
    memory = memory_of(embedding)

    def affinities() -> sparse.csr_matrix:
        from mrsne.metrics.reasons import map_affinities

        return map_affinities(data, known, memory)  # computed for the first part, unless the fit has left it there

    parts = {number: partial(_packed, affinities, data.sizes, number) for number in range(-(-data.n_items // CHUNK))}
    return {"chunk": CHUNK, "alike": alike}, {f"reasons-{number}": part for number, part in parts.items()}


def _settings_with(embedding: Any, data: RelationalData) -> Mapping[str, Any] | None:
    """Return the settings that a map was made with, if it keeps them and was not made of other data than is shown."""
    if getattr(embedding, "settings", None) is None and getattr(embedding, "relation_norm", None) is None:
        return None
    from mrsne.metrics.reasons import settings_of  # and what computes P̃, which a page without reasons does not need

    made_of = None if getattr(embedding, "_data", None) is data else getattr(embedding, "data_identity", None)
    return settings_of(embedding) if made_of is None or made_of == identity(data) else None


def _packed(affinities: Callable[[], sparse.csr_matrix], sizes: Mapping[str, int], number: int) -> tuple[UInt8, ...]:
    from mrsne.metrics.reasons import strongest

    items = np.arange(number * CHUNK, min((number + 1) * CHUNK, sum(sizes.values())))
    found = strongest(affinities(), sizes, items, COUNT)
    counts = np.bincount(found.rows, minlength=len(items)).astype(np.uint8)
    targets = found.others.astype("<u4").view(np.uint8).reshape(-1, 4)
    # bytes of equal meaning side by side, which compress best
    return _quantised(found.by_domain), counts, _quantised(found.shares), targets.T


def _quantised(shares: Float64) -> UInt8:
    """Return shares as bytes b of (b / 255)², which tells small ones apart."""
    return np.round(255 * np.sqrt(np.clip(shares, 0, 1))).astype(np.uint8)
