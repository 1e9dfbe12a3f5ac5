"""Made-up items in groups have the structure that is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne.datasets.groups import make_groups


def test_links_and_vectors_follow_the_groups() -> None:
    data, groups = make_groups(
        {"a": 300, "b": 40, "c": 20},
        n_groups=4,
        dimensions={"a": 8, "c": 5},
        pairs=[("a", "b"), ("b", "b")],
        random_state=1,
    )
    assert (data.vectors["b"], data.sizes) == (None, {"a": 300, "b": 40, "c": 20})
    W = data.relations["a", "b"].toarray()
    assert W.sum() == 1200
    same = groups["a"][:, None] == groups["b"][None]
    assert 0.95 <= W[same].sum() / W.sum() <= 0.98  # 95 %, and a quarter of the strays
    inside = data.relations["b", "b"].toarray()
    assert inside.diagonal().sum() == 0
    vectors: Any = data.vectors["a"]
    centres = np.array([vectors[groups["a"] == g].mean(axis=0) for g in range(4)])
    nearest = ((vectors[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == groups["a"]).mean() > 0.8


def test_the_same_seed_makes_the_same_data() -> None:
    one, two = (make_groups(random_state=3)[0] for _ in range(2))
    np.testing.assert_array_equal(one.vectors["image"], two.vectors["image"])
    assert (one.relations["image", "tag"] != two.relations["image", "tag"]).nnz == 0


def test_there_may_be_any_number_of_domains_and_links() -> None:
    single, _ = make_groups({"a": 10}, pairs=[])
    assert not single.relations
    five, _ = make_groups(dict.fromkeys("abcde", 8), random_state=0)
    assert len(five.relations) == 10
    full, _ = make_groups({"a": 3, "b": 2}, links_per_item=100, random_state=0)
    assert full.relations["a", "b"].nnz == 6


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sizes": {"a": 0}}, r"sizes\['a'\] must be a whole number of at least 1, got 0"),
        ({"n_groups": 0}, "n_groups must be a whole number"),
        ({"dimensions": -1}, "dimensions must be a whole number of at least 0, got -1"),
        ({"dimensions": {"word": 3}}, "dimensions names the domain 'word', but the domains are 'image', 'tag'"),
        ({"strays": 2}, "strays must be between 0 and 1, got 2"),
        ({"pairs": [("image", "word")]}, r"pairs must be pairs of the domains 'image', 'tag', got \('image', 'word'\)"),
        ({"links_per_item": 0}, "links_per_item must be a finite number greater than 0"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_groups(**settings)
