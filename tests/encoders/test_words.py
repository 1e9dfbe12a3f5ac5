"""Words, phrases, plurals and compounds have vectors; unknown ones are marked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne.encoders.words import encode_words
from tests.data.files.hostile_files import in_another_process


def cosine(a: Any, b: Any) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_similar_words_have_similar_vectors() -> None:
    dog, cat, parliament = encode_words(["dog", "Cat", "parliament"])
    assert cosine(dog, cat) > 0.6 > cosine(dog, parliament) + 0.3


@pytest.mark.parametrize(
    ("phrase", "words"),
    [
        ("hot dog", ["hot", "dog"]),
        ("hot-dog", ["hot", "dog"]),
        ("hot_dog", ["hot", "dog"]),
        ("HotDog", ["hot", "dog"]),
        ("dog!", ["dog"]),
        ("hot, xqzy 7 dog", ["hot", "dog"]),
        ("longneck", ["long", "neck"]),
        ("meatteeth", ["meat", "teeth"]),
    ],
)
def test_phrases_are_the_mean_of_their_words(phrase: str, words: list[str]) -> None:
    found, expected = encode_words([phrase]), encode_words(words).mean(axis=0)
    np.testing.assert_allclose(found[0], expected, rtol=1e-5)


@pytest.mark.parametrize(("plural", "singular"), [("axolotls", "axolotl"), ("hairdos", "hairdo")])
def test_unknown_plurals_stand_for_their_singulars(plural: str, singular: str) -> None:
    many, one = encode_words([plural, singular])
    assert np.isnan(one).any() or cosine(many, one) > 0.5


def test_accents_do_not_matter() -> None:
    with_accents, without = encode_words(["caf\u00e9", "cafe"])
    assert cosine(with_accents, without) > 0.99


def test_words_without_a_vector_are_marked() -> None:
    vectors = encode_words(["dog", "xqzy", "", "42", "🐕", "ékklmnö"])
    assert [bool(np.isnan(row).all()) for row in vectors[:5]] == [False, True, True, True, True]
    assert encode_words([]).shape == (0, 100)


def test_one_word_is_not_a_list() -> None:
    words: Any = "dog"
    with pytest.raises(ValueError, match="words must be a list of words, got 'dog'"):
        encode_words(words)


def test_words_without_end_and_halves_of_letters_do_no_harm() -> None:
    script = """
import numpy as np
from mrsne.encoders.words import encode_words
words = ["x" * 10**6, chr(0xD800), chr(0xDCE9) + "dog", "dog " * 10**5]
print(np.isnan(encode_words(words)).any(axis=1).tolist())
"""
    assert in_another_process(script).stdout == "[True, True, False, False]\n"
