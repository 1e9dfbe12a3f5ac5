"""Made-up images have the tags of their class, and vectors that show it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne.datasets.classes import make_classes


def test_the_images_of_a_class_have_the_same_tags_and_similar_vectors() -> None:
    data, classes = make_classes(5, 20, 30, share=0.2, noise=0.3, random_state=0)
    W = data.relations["image", "tag"].toarray()
    for label in range(5):
        assert len(np.unique(W[classes == label], axis=0)) == 1
    np.testing.assert_array_equal(W.sum(axis=1), 6)
    vectors: Any = data.vectors["image"]
    centres = np.array([vectors[classes == label].mean(axis=0) for label in range(5)])
    nearest = ((vectors[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(nearest, classes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_classes": 0}, "n_classes must be a whole number of at least 1, got 0"),
        ({"share": 1.5}, "share must be greater than 0 and at most 1, got 1.5"),
        ({"noise": -1}, "noise must be a finite number of at least 0, got -1"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_classes(**settings)
