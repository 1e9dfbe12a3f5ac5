"""Words and phrases into vectors, from a bundled part of GloVe."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from mrsne.arrays import Float32
from mrsne.parameters import ParameterError, describe

SHORTEST_PART = 3  # letters of a part of a compound
BETWEEN = re.compile(r"[^\W\d_]+")  # runs of letters
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
PLURALS = (("ies", "y"), ("ves", "f"), ("es", ""), ("s", ""), ("'s", ""))


@dataclass(frozen=True)
class Glove:
    """The bundled words and their vectors, the most frequent first."""

    positions: dict[str, int]
    vectors: NDArray[np.int8]
    scales: Float32
    longest: int  # letters of a word


@lru_cache(maxsize=1)
def load_glove() -> Glove:
    with files("mrsne.encoders").joinpath("models", "glove-100d.npz").open("rb") as file, np.load(file) as content:
        words = content["words"].tobytes().decode().split("\n")
        positions = {word: index for index, word in enumerate(words)}
        return Glove(positions, content["vectors"], content["scales"], max(map(len, words)))


def encode_words(words: Sequence[str]) -> Float32:
    """Return a vector for each word or phrase: words with similar meanings have similar vectors.

    A phrase is the mean of its words; hyphens, underscores, capitals inside a word and anything else that is not a
    letter separate words. A plural that is not known stands for its singular, a compound for its two parts, and a word
    with accents for the same without. The words are English.

    Parameters
    ----------
    words : list of str

    Returns
    -------
    vectors : array of shape (n, 100), float32
        GloVe, from 100,000 words. NaN where no part of a phrase is known: give those as ``missing`` to
        :class:`mrsne.RelationalData`.

    See Also
    --------
    mrsne.encoders.encode_images : Vectors for pictures.

    Examples
    --------
    >>> vectors = encode_words(["cat", "dog", "tax", "xqzy"])
    >>> bool(vectors[0] @ vectors[1] > 2 * vectors[0] @ vectors[2])
    True
    >>> np.isnan(vectors).any(axis=1).tolist()
    [False, False, False, True]
    """
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise ParameterError(f"words must be a list of words, got {describe(words)}")
    glove = load_glove()
    vectors = np.full((len(words), glove.vectors.shape[1]), np.nan, np.float32)
    for index, phrase in enumerate(words):
        tokens = [token.lower() for run in BETWEEN.findall(phrase) for token in CAMEL.split(run)]
        parts = [position for token in tokens for position in _positions(token, glove)]
        if parts:
            vectors[index] = np.mean(glove.vectors[parts] * glove.scales[parts, None], axis=0)
    return vectors


def without_accents(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def splits_of(word: str) -> list[tuple[str, str]]:
    """Return the pairs of parts that a compound may have."""
    return [(word[:i], word[i:]) for i in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)]


def _positions(token: str, glove: Glove) -> list[int]:
    """Return the positions of a token, of its singular, or of the two parts of a compound."""
    if len(token) > 2 * glove.longest:
        return []  # not even a compound, and looking at its parts would take the square of its length
    position = glove.positions
    singulars = (token[: -len(end)] + other for end, other in PLURALS if token.endswith(end))
    for form in (token, without_accents(token), *singulars):
        if form in position:
            return [position[form]]
    compounds = [[position[a], position[b]] for a, b in splits_of(token) if a in position and b in position]
    return min(compounds, key=max, default=[])
