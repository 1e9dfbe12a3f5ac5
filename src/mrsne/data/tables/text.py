"""Texts as vectors: by the words they have, weighted by TF-IDF, or by what their words mean."""

import re
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Float32
from mrsne.encoders.words import encode_words, without_accents

MOST_WORDS = 20_000  # that texts are compared by
FEW_TEXTS = 50  # of which a word that only one has still says something
TOKEN = re.compile(r"\b[^\W\d_]\w+\b")
FEWEST_KNOWN = 0.3  # share of names with a vector, for these to be used
ADDRESS = re.compile(r"<[^>]*>|\S+@\S+")  # of mail
NAME = re.compile(r"[^\W\d_][\w.'’-]*")


@dataclass(frozen=True)
class TextModel:
    """How texts become vectors, so that new ones can be compared with old ones."""

    vocabulary: list[str] = field(default_factory=list)  # none where vectors of the words' meaning are used instead
    weights: list[float] = field(default_factory=list)  # of each word, the logarithm of how rare it is

    def vectors(self, texts: Sequence[str]) -> tuple[Any, Bool]:
        """Return the vectors of texts, of length 1, and which texts have none."""
        if not self.vocabulary:
            dense = encode_words(texts)
            without = np.asarray(np.isnan(dense).any(axis=1))
            return np.where(without[:, None], np.float32(0), dense), without
        position = {word: index for index, word in enumerate(self.vocabulary)}
        counts = _count_words(texts, position, grow=False).astype(np.float32)
        values = (1 + np.log(counts.data)) * np.array(self.weights, np.float32)[counts.indices]
        rows = np.repeat(np.arange(len(texts)), np.diff(counts.indptr))
        norms = np.sqrt(np.bincount(rows, (values * values).astype(np.float64), len(texts)))
        counts.data = (values / norms[rows]).astype(np.float32)
        return counts, np.diff(counts.indptr) == 0


def learn_sentences(texts: Sequence[str]) -> TextModel:
    """Return the words of texts, without those that most of them, or of many texts only one, has; and their weights."""
    found: dict[str, int] = {}
    counts = _count_words(texts, found, grow=True)
    words = sorted(found)
    order = [found[word] for word in words]
    documents = np.bincount(counts.indices, minlength=len(words))[order]
    occurrences = np.bincount(counts.indices, counts.data, len(words))[order].astype(np.int64)
    limits = (1, 0.8) if len(texts) < FEW_TEXTS else (2, 0.5)
    for fewest, most in (limits, (1, 1.0)):
        kept = np.flatnonzero((documents >= fewest) & (documents <= most * len(texts)))
        if len(kept) > MOST_WORDS:
            kept = np.sort(kept[(-occurrences[kept]).argsort()[:MOST_WORDS]])
        if len(kept):
            weights = np.log((1 + len(texts)) / (1 + documents[kept])) + 1
            return TextModel([words[index] for index in kept.tolist()], weights.round(6).tolist())
    return TextModel()


def _count_words(texts: Sequence[str], position: dict[str, int], grow: bool) -> sparse.csr_matrix:
    """Return how often each text has each word, by positions of words, to which new ones are added where they grow."""
    indices, counts, lengths = array("i"), array("i"), array("q", [0])
    for text in texts:
        lowered = text.lower()
        words = Counter(TOKEN.findall(lowered if lowered.isascii() else without_accents(lowered)))
        for word, count in words.items():
            index = position.setdefault(word, len(position)) if grow else position.get(word)
            if index is not None:
                indices.append(index)
                counts.append(count)
        lengths.append(len(indices))
    content = (np.array(counts, np.int64), np.array(indices, np.int32), np.array(lengths, np.int64))
    matrix = sparse.csr_matrix(content, shape=(len(texts), len(position)))
    matrix.sort_indices()
    return matrix


def name_vectors(names: Sequence[str]) -> tuple[Float32, Bool] | None:
    """Return what names mean, and which of them mean nothing that is known; None for names of people and places."""
    proper = sum(_is_proper(name) for name in names)
    if not names or 2 * proper > len(names):
        return None
    vectors = encode_words(names)
    without = np.asarray(np.isnan(vectors).any(axis=1))
    if (~without).mean() < FEWEST_KNOWN or (~without).sum() < 2:
        return None
    return np.where(without[:, None], np.float32(0), vectors).astype(np.float32), without


def _is_proper(name: str) -> bool:
    """Return whether a name is that of a person or a place: several words, all with a capital."""
    words = NAME.findall(ADDRESS.sub("", name))
    return len(words) > 1 and all(word[0].isupper() for word in words)
