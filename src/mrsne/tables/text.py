"""Texts as vectors: by the words they have, weighed by TF-IDF, or by what their words mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.encoders.words import encode_words

MOST_WORDS = 20_000  # that texts are compared by
FEW_TEXTS = 50  # of which a word that only one has still says something
TOKEN = r"(?u)\b[^\W\d_]\w+\b"
FEWEST_KNOWN = 0.3  # share of names with a vector, for these to be used
ADDRESS = re.compile(r"<[^>]*>|\S+@\S+")  # of mail
NAME = re.compile(r"[^\W\d_][\w.'’-]*")


@dataclass(frozen=True)
class TextModel:
    """How texts become vectors, so that new ones can be compared with old ones.

    Attributes
    ----------
    vocabulary : list of str
        The words; none where vectors of their meaning are used instead.
    weights : list of float
        Of each word, the logarithm of how rare it is.
    """

    vocabulary: list[str] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)

    def vectors(self, texts: Sequence[str]) -> tuple[Any, NDArray[np.bool_]]:
        """Return the vectors of texts, and which texts have none."""
        if not self.vocabulary:
            dense = encode_words(texts)
            without = np.asarray(np.isnan(dense).any(axis=1))
            return np.where(without[:, None], np.float32(0), dense), without
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.preprocessing import normalize

        counter = CountVectorizer(vocabulary=self.vocabulary, token_pattern=TOKEN, strip_accents="unicode")
        counts = sparse.csr_matrix(counter.transform(texts), dtype=np.float32)
        counts.data = 1 + np.log(counts.data)
        matrix = sparse.csr_matrix(normalize(counts.multiply(np.array(self.weights, np.float32)[None, :]).tocsr()))
        return matrix, np.diff(matrix.indptr) == 0


def learn_sentences(texts: Sequence[str]) -> TextModel:
    """Return the words of texts, without those that most of them, or of many texts only one, has; and their weights.

    Examples
    --------
    >>> learn_sentences(["the storm at sea", "the sea in a storm", "the calm lake", "the calm morning"]).vocabulary
    ['at', 'calm', 'in', 'lake', 'morning', 'sea', 'storm']
    """
    from sklearn.feature_extraction.text import CountVectorizer

    limits = (1, 0.8) if len(texts) < FEW_TEXTS else (2, 0.5)
    for fewest, most in (limits, (1, 1.0)):
        counter = CountVectorizer(
            min_df=fewest, max_df=most, max_features=MOST_WORDS, token_pattern=TOKEN, strip_accents="unicode"
        )
        try:
            counts = counter.fit_transform(texts)
        except ValueError:  # no word is left
            continue
        documents = np.bincount(counts.indices, minlength=counts.shape[1])
        weights = np.log((1 + len(texts)) / (1 + documents)) + 1
        return TextModel([str(word) for word in counter.get_feature_names_out()], weights.round(6).tolist())
    return TextModel()


def name_vectors(names: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.bool_]] | None:
    """Return what names mean, and which of them mean nothing that is known; None for names of people and places.

    Examples
    --------
    >>> vectors, without = name_vectors(["sea", "storm", "xqzy"])
    >>> vectors.shape, without.tolist()
    ((3, 100), [False, False, True])
    >>> name_vectors(["Turner, Joseph", "William Blake"]) is None
    True
    """
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
