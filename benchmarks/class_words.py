"""Which words say a class: those of its title, its synonyms, and what has a similar meaning.

Synonyms are fixed by a rule, not by hand. By WordNet 3.1, a word is counted for a word of a title if it is among the
lemmas of one of that word's first three senses (as a noun, a verb or an adjective), or a kind of what its first two
senses as a noun stand for (a hyponym, however far below; not of "object", which almost everything is a kind of).
``class_words.json`` has those that occur in the data; ``tools/build_class_words.py`` writes it. WordNet is
Princeton University's; its licence is beside.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np

from mrsne.encoders.words import encode_words

TABLE = Path(__file__).with_name("class_words.json")
CLOSE = 0.5  # cosine of the vectors of two words that mean nearly the same
UNSPECIFIC = {"and", "of", "other", "to", "the"}
WAYS = ("title", "synonym", "meaning")

Parts = Mapping[str, Collection[str]]


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, without what a plural adds."""
    found = re.split(r"[^a-z0-9+]+", text.lower())
    return [singular(word) for word in found if len(word) > 1 and word not in UNSPECIFIC]


def singular(word: str) -> str:
    if len(word) < 4:
        return word
    return re.sub(r"(?<=[^s])s$", "", re.sub(r"(?<=sh|ch|ss)es$|(?<=x)es$", "", re.sub("ies$", "y", word)))


@cache
def synonyms() -> dict[str, frozenset[str]]:
    return {title: frozenset(words) for title, words in json.loads(TABLE.read_text()).items()}


def says(words: Iterable[str], title: str, parts: Parts, way: str) -> bool:
    """Return whether one of the words says a class.

    Parameters
    ----------
    words : iterable of str
    title : str
        Of the class.
    parts : mapping of str to collection of str
        Titles of the classes that a class consists of, if any.
    way : {"title", "synonym", "meaning"}
        title: a word of its title, singular or plural, or one that begins with it. synonym: also a word of the title of
        one of its parts, or a synonym or a kind of a word of its own title. meaning: as title, or a word vector with a
        cosine of at least 0.5 to one of these.
    """
    said = [token for word in words for token in tokens(word)]
    return any(_is_said(token, title, way, tuple(parts.get(title, ()))) for token in said)


@cache
def _is_said(token: str, title: str, way: str, parts: tuple[str, ...]) -> bool:
    wanted = tokens(title)
    if token in wanted or any(len(word) > 3 and token.startswith(word) for word in wanted):
        return True
    if way == "synonym":
        of_parts = any(token in tokens(part) for part in parts)
        return of_parts or any(token in synonyms().get(word, ()) for word in wanted)
    return way == "meaning" and bool(wanted) and max(_cosine(token, word) for word in wanted) >= CLOSE


@cache
def _cosine(a: str, b: str) -> float:
    x, y = np.nan_to_num(encode_words([a, b])).astype(np.float64)
    return float(x @ y / max(float(np.linalg.norm(x) * np.linalg.norm(y)), 1e-9))
