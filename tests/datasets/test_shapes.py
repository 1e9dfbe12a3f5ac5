"""Drawn pictures show what their tags say."""

from __future__ import annotations

import numpy as np
import pytest

from mrsne.datasets.shapes import make_shapes


def test_the_same_seed_draws_the_same_pictures() -> None:
    first, second = make_shapes(50, random_state=3), make_shapes(50, random_state=3)
    np.testing.assert_array_equal(first[1], second[1])
    assert (first[0].relations["picture", "tag"] != second[0].relations["picture", "tag"]).nnz == 0


def test_tags_say_what_pictures_show() -> None:
    data, pictures = make_shapes(200, random_state=0)
    red = data.names["tag"].index("red")
    tagged = data.relations["picture", "tag"][:, [red]].toarray().ravel() > 0
    ink = pictures[:, 16, 16, :3].astype(int)
    assert (ink[tagged, 0] > ink[tagged, 2]).all()
    assert pictures.shape == (200, 32, 32, 4)


def test_a_count_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="n_pictures must be a whole number of at least 1, got 0"):
        make_shapes(0)
