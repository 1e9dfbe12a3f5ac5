"""What holds for every score: chance, the order of items, blocks of queries, and that good maps score well."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrsne import Embedding, metrics
from mrsne.metrics import distances
from tests.metrics.cases import Case, random_case


def test_a_map_on_one_spot_scores_like_chance() -> None:
    data = random_case(0, 2)[1]
    embedding = Embedding({name: np.zeros((n, 2)) for name, n in data.sizes.items()})
    assert metrics.reconstruction_auc(embedding, data) == pytest.approx(0.5, abs=1e-12)
    assert metrics.link_auc(embedding, data, ("image", "tag")) == 0.5


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_the_order_of_items_does_not_matter(seed: int) -> None:
    embedding, data = random_case(seed, 3)
    order = np.random.default_rng(seed).permutation(5)
    permuted = Embedding({"image": embedding["image"][order], "tag": embedding["tag"]}), data.subset({"image": order})
    for score in (metrics.hit_rate, metrics.hit_count):
        for target in ("image", "tag"):
            expected = score(embedding, data, 2, "image", target)
            assert score(*permuted, 2, "image", target) == pytest.approx(expected, abs=1e-12)


def test_the_size_of_blocks_changes_nothing(fitted: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    def scores() -> list[float]:
        return [
            metrics.reconstruction_auc(*fitted, "photo"),
            metrics.hit_rate(*fitted, 3, "photo", "photo"),
            metrics.link_auc(*fitted, ("photo", "tag")),
            metrics.trustworthiness(*fitted, "photo"),
        ]

    in_one_block = scores()
    monkeypatch.setattr(distances, "BLOCK", 1)
    np.testing.assert_allclose(scores(), in_one_block, rtol=0, atol=1e-12)


def test_a_good_map_scores_better_than_the_same_map_with_shuffled_photos(fitted: Case) -> None:
    embedding, data = fitted
    shuffled = Embedding({**embedding, "photo": np.random.default_rng(0).permutation(embedding["photo"])})
    pair = ("photo", "tag")
    assert metrics.reconstruction_auc(embedding, data) > metrics.reconstruction_auc(shuffled, data) + 0.2
    assert metrics.link_auc(embedding, data, pair) > metrics.link_auc(shuffled, data, pair) + 0.2
    kept, lost = (metrics.neighborhood_preservation(Y, data, "photo") for Y in (embedding, shuffled))
    assert kept > lost + 0.2
