"""Word vectors from a GloVe text file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mrsne.datasets.files import DatasetError, lines, numbers

SHORTEST_PART = 3  # letters


def glove_vectors(path: Path, words: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return a vector for every word, and which words have none.

    A word that is not in the file is split into two that are, such as "longneck" into "long" and "neck": of all such
    splits the one whose rarer part is most frequent (the file lists frequent words first). Its vector is their mean.

    Parameters
    ----------
    path : Path
        Lines of a word and its numbers, separated by spaces.
    words : sequence of str
    """
    splits = {word: _splits(word.lower()) for word in words}
    vocabulary = {part for word in words for pair in splits[word] for part in pair} | {word.lower() for word in words}
    rank: dict[str, int] = {}
    vector_of: dict[str, NDArray[np.float64]] = {}
    width: int | None = None
    for number, line in lines(path):
        word, _, rest = line.partition(" ")
        if width is None or word in vocabulary:
            expected = "a word and numbers" if width is None else f"a word and {width} numbers"
            row = numbers(path, number, rest, width, expected)
            width = len(row)
            if word in vocabulary:
                rank[word], vector_of[word] = number, row
    if not width:
        raise DatasetError(f"{str(path)!r} is empty; expected lines of a word and numbers")
    vectors, missing = np.zeros((len(words), width)), np.zeros(len(words), dtype=bool)
    for index, word in enumerate(words):
        known_splits = [pair for pair in splits[word] if pair[0] in vector_of and pair[1] in vector_of]
        if word.lower() in vector_of:
            vectors[index] = vector_of[word.lower()]
        elif known_splits:
            first, second = min(known_splits, key=lambda pair: max(rank[part] for part in pair))
            vectors[index] = (vector_of[first] + vector_of[second]) / 2
        else:
            missing[index] = True
    return vectors, missing


def _splits(word: str) -> list[tuple[str, str]]:
    return [(word[:i], word[i:]) for i in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)]
