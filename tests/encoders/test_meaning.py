"""Which names are near a word in meaning."""

from __future__ import annotations

import numpy as np

from mrsne.encoders.meaning import FUNCTION_WORDS, LEAST, function_words, similarities, words_near

NAMES = ["dog", "car", "ocean", "xqzy", "doctor"]


def test_a_word_is_nearest_to_the_name_that_means_the_same() -> None:
    cosines = similarities(["puppy", "automobile", "sea", "physician"], NAMES)
    assert cosines.argmax(axis=1).tolist() == [0, 1, 2, 4]
    assert (cosines.max(axis=1) > LEAST).all()


def test_a_name_is_as_near_to_itself_as_can_be_and_an_unknown_one_to_nothing() -> None:
    cosines = similarities(["dog", "xqzy"], NAMES)
    np.testing.assert_allclose(cosines[0, 0], 1, atol=1e-6)
    assert not cosines[1].any()
    assert not cosines[:, 3].any()


def test_words_come_with_the_names_they_are_near_the_nearest_first() -> None:
    found = list(words_near(NAMES, 20_000, 2))
    assert [word for word, *_ in found[:FUNCTION_WORDS]] == function_words()
    assert not any(len(names) for _, names, _ in found[:FUNCTION_WORDS])
    near = {word: (names.tolist(), cosines) for word, names, cosines in found[FUNCTION_WORDS:]}
    assert near["dogs"][0][0] == 0
    assert near["surgeon"][0] == [4]
    assert "algebra" not in near
    for names, cosines in near.values():
        assert 1 <= len(names) <= 2
        assert (np.diff(cosines) <= 0).all()
        assert (cosines >= LEAST).all()
    words = list(near)
    np.testing.assert_allclose([near[word][1][0] for word in words], similarities(words, NAMES).max(axis=1), atol=1e-5)
