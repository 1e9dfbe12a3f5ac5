"""Lists of words for items as links to the words that are frequent enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mrsne.datasets import DatasetError


def links_to_words(
    lists: Sequence[Sequence[str]], min_count: int, what: str
) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the words that at least ``min_count`` items have, sorted, and the links of items to them.

    Examples
    --------
    >>> links_to_words([["dog", "pet"], ["dog", ""], ["cat"]], 2, "word")
    (['dog'], [(0, 0), (1, 0)])
    """
    distinct = [[word for word in dict.fromkeys(words) if word] for words in lists]
    counts = Counter(word for words in distinct for word in words)
    kept = sorted(word for word, count in counts.items() if count >= min_count)
    if not kept:
        raise DatasetError(f"no {what} occurs {min_count} times")
    position = {word: index for index, word in enumerate(kept)}
    return kept, [(row, position[word]) for row, words in enumerate(distinct) for word in words if word in position]
