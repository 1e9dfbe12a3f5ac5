"""Which names are near a word in meaning, by the bundled word vectors: "puppy" is near "dog" and "pet".

What nearly all words have in common is taken out of their vectors first, which makes the nearest names better (Mu and
Viswanath 2018): the mean, and the few directions along which the vectors of frequent words vary most.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from mrsne.arrays import Float32, Int64
from mrsne.encoders.words import encode_words, load_glove

FREQUENT = 20_000  # words, from which the common directions are learned
COMMON = 5  # directions
LEAST = 0.5  # cosine from which a name is near a word; of pairs of frequent words one in a thousand has .47
BLOCK = 2_000  # words that are compared with all names at once
FUNCTION_WORDS = 100  # the most frequent words, such as "of" and "with", which say nothing beside others


@lru_cache(maxsize=1)
def _common() -> tuple[Float32, Float32]:
    """Return the mean of the frequent words' vectors, and the directions along which they vary most."""
    glove = load_glove()
    vectors = glove.vectors[:FREQUENT] * glove.scales[:FREQUENT, None]
    mean = vectors.mean(axis=0)
    spread = np.cov((vectors - mean).T)
    return mean, np.linalg.eigh(spread)[1][:, -COMMON:].T.astype(np.float32)


def directions(vectors: Float32) -> Float32:
    """Return word vectors without what all words have in common, of length 1; NaN stays NaN."""
    mean, axes = _common()
    own = vectors - mean
    own -= (own @ axes.T) @ axes
    return np.asarray(own / np.maximum(np.linalg.norm(own, axis=1, keepdims=True), 1e-12))


def function_words() -> list[str]:
    """Return the most frequent words, which say nothing beside others."""
    return list(load_glove().positions)[:FUNCTION_WORDS]


def similarities(words: Sequence[str], names: Sequence[str]) -> Float32:
    """Return the cosine of each word with each name, an array of shape (words, names); 0 where one is not known."""
    return np.asarray(np.nan_to_num(directions(encode_words(words)) @ directions(encode_words(names)).T))


def words_near(names: Sequence[str], n_words: int, count: int) -> Iterator[tuple[str, Int64, Float32]]:
    """Yield the most frequent words that are near any of the names, with up to ``count`` of these and the cosines.

    The function words come first, without names.
    """
    glove = load_glove()
    words = list(glove.positions)[:n_words]
    known = np.nan_to_num(directions(encode_words(names))).T
    nothing = np.zeros(0, np.int64), np.zeros(0, np.float32)
    yield from ((word, *nothing) for word in words[:FUNCTION_WORDS])
    for start in range(FUNCTION_WORDS, len(words), BLOCK):
        rows = slice(start, min(start + BLOCK, len(words)))
        cosines = directions(glove.vectors[rows] * glove.scales[rows, None]) @ known
        for row in np.flatnonzero(cosines.max(axis=1, initial=0) >= LEAST):
            near = np.flatnonzero(cosines[row] >= LEAST)
            near = near[np.argsort(-cosines[row, near], kind="stable")[:count]]
            yield words[start + row], near, cosines[row, near]
