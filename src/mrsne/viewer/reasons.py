"""The strongest affinities of all items in parts, made when they are asked for; ``web/src/reasons.ts`` reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.data import Outline, RelationalData
from mrsne.data.identity import identity
from mrsne.metrics.memory import Memory, memory_of
from mrsne.metrics.reasons import map_affinities, settings_of, strongest
from mrsne.viewer.compression import compressed
from mrsne.viewer.details import Coordinates

COUNT = 6  # affinities of an item to its own kind, and as many to others
CHUNK = 4096  # items in a part
PAGE_ITEMS = 20_000  # most items of a page whose reasons are in it
SERVED_ITEMS = 200_000  # most items of a map whose reasons are computed when somebody asks


class Reasons:
    """The strongest affinities of a map's items.

    Parameters
    ----------
    data : RelationalData
    settings : mapping of str to object
        Of its affinities, which are computed when the first part is asked for, unless they are known.
    memory : Memory
        Of the map, which knows them.

    Attributes
    ----------
    about : dict
        What the page reads: items of a part, and of each kind by what its items are alike, "vector" or "links".
    parts : mapping of str to function
    """

    def __init__(self, data: RelationalData, settings: Mapping[str, Any], memory: Memory) -> None:
        self._data, self._settings, self._memory = data, settings, memory
        alike = ["vector" if data.count_vectors(name) >= 2 else "links" for name in data.sizes]
        self.about: dict[str, Any] = {"chunk": CHUNK, "alike": alike}
        self.parts: dict[str, Callable[[], bytes]] = {
            f"reasons-{number}": partial(self._part, number) for number in range(-(-data.n_items // CHUNK))
        }

    def _part(self, number: int) -> bytes:
        P = map_affinities(self._data, self._settings, self._memory)
        items = np.arange(number * CHUNK, min((number + 1) * CHUNK, self._data.n_items))
        found = strongest(P, self._data.sizes, items, COUNT)
        counts = np.bincount(found.rows, minlength=len(items)).astype(np.uint8)
        targets = found.others.astype("<u4").view(np.uint8).reshape(-1, 4)
        # bytes of equal meaning side by side, which compress best
        return compressed(_quantised(found.by_domain), counts, _quantised(found.shares), targets.T)


def _quantised(shares: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return shares as bytes b of (b / 255)², which tells small ones apart."""
    return np.round(255 * np.sqrt(np.clip(shares, 0, 1))).astype(np.uint8)


def reasons_of(embedding: Coordinates, data: Outline | None, most: int, settings: Any = None) -> Reasons | None:
    """Return the reasons of a map of at most so many items; None where it is not known how, or of what, it was made.

    Where settings are given, the data is taken to be that of the map.

    Examples
    --------
    >>> import mrsne
    >>> data = mrsne.RelationalData({"x": np.eye(5)})
    >>> embedding = mrsne.Embedding({"x": np.eye(5, 2)}, settings={"perplexity": 2})
    >>> sorted(reasons_of(embedding, data, 5).parts), reasons_of(embedding, data, 4)
    (['reasons-0'], None)
    """
    known = settings_of(embedding) if settings is None else settings
    if known is None or not isinstance(data, RelationalData) or data.n_items > most:
        return None
    if list(embedding) != list(data.sizes):  # positions on the page are those of the embedding
        return None
    if settings is None and not _is_made_of(embedding, data):
        return None
    tied = bool(data.pairs) or any(data.count_vectors(name) >= 2 for name in data.sizes)
    is_known = tied and getattr(embedding, "similarity", "euclidean") == "euclidean"
    return Reasons(data, known, memory_of(embedding)) if is_known else None


def _is_made_of(embedding: Any, data: RelationalData) -> bool:
    """Return whether a map was made of some data, as far as it tells: people may show other data, with fewer links."""
    if getattr(embedding, "_data", None) is data:
        return True
    made_of = getattr(embedding, "data_identity", None)
    return made_of is None or made_of == identity(data)
