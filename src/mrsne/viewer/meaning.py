"""Words that are near the names on a map in meaning, for its search; ``web/src/meaning.ts`` reads them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mrsne.arrays import UInt8
from mrsne.viewer.details import Details

WORDS = 50_000  # the most frequent English words, of which those that are near no name are left out
NAMES = 4_000  # most names that they are compared with, the most linked ones
COUNT = 4  # most names of a word


def meaning_panel(
    details: Details, starts: Mapping[str, int]
) -> tuple[dict[str, Any] | None, dict[str, Callable[[], Any]]]:
    """Return what a page reads of words and the names that they are near: a description, and parts.

    Items with pictures are found through what they are linked to, not by their own names.
    """
    kinds = [kind for kind in details.names if kind not in details.pictures]
    if not kinds or not details.relations:
        return None, {}
    names = [name for kind in kinds for name in details.names[kind]]
    items = np.concatenate([starts[kind] + np.arange(len(details.names[kind])) for kind in kinds])
    strengths = np.concatenate([details.strength(kind, len(details.names[kind])) for kind in kinds])
    chosen = np.argsort(-strengths, kind="stable")[:NAMES]

    def packed() -> tuple[Any, ...]:
        from mrsne.encoders.meaning import words_near  # and the word vectors, which other pages do not need

        found = list(words_near([names[at] for at in chosen], WORDS, COUNT))
        near = np.concatenate([chosen[:0], *(chosen[own] for _, own, _ in found)])
        cosines = np.concatenate([np.zeros(0, np.float32), *(values for *_, values in found)])
        words = np.frombuffer("\n".join(word for word, *_ in found).encode(), np.uint8)
        counts = np.array([len(own) for _, own, _ in found], np.uint8)
        planes: UInt8 = items[near].astype("<u4").view(np.uint8).reshape(-1, 4).T  # bytes of equal meaning side by side
        sizes = np.array([len(found), len(near)], np.uint32)
        return sizes, counts, np.round(255 * np.clip(cosines, 0, 1)).astype(np.uint8), planes, words

    return {"words": WORDS}, {"meaning": packed}
