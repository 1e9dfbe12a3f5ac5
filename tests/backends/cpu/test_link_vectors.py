"""Vectors from links, in cases that can be checked by hand; what they are good for is tested with the weights."""

from __future__ import annotations

import numpy as np

from mrsne import RelationalData
from mrsne.backends.cpu.link_vectors import agreement, link_vectors, weighted_links

FOUR_KINDS = [(photo, photo % 4) for photo in range(40)]


def test_rare_links_weigh_more() -> None:
    data = RelationalData({"photo": 3, "tag": 2}, {("photo", "tag"): [(0, 0), (1, 0), (2, 0), (2, 1)]})
    expected = np.array([[1, 0], [1, 0], [0.509, 0.861]])
    np.testing.assert_allclose(weighted_links(data, "photo").toarray(), expected, atol=5e-4)


def test_items_with_the_same_links_have_the_same_vector() -> None:
    vectors = link_vectors(RelationalData({"photo": 40, "tag": 5}, {("photo", "tag"): FOUR_KINDS}), "photo")
    assert vectors is not None
    assert vectors.shape == (40, 4)
    np.testing.assert_allclose(vectors[0], vectors[4], atol=1e-6)
    assert not np.allclose(vectors[0], vectors[1])


def test_vectors_of_the_kinds_that_links_tell_agree_with_them() -> None:
    data = RelationalData({"photo": np.eye(4)[np.arange(40) % 4], "tag": 4}, {("photo", "tag"): FOUR_KINDS})
    np.testing.assert_allclose(agreement(data, "photo", "euclidean"), 1)
