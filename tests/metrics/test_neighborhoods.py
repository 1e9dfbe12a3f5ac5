"""How well neighbourhoods of vectors and of links are kept."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.manifold import trustworthiness as sklearn_trustworthiness

from mrsne import Embedding, RelationalData, metrics
from mrsne.metrics.neighborhoods import membership, rank_penalties
from mrsne.metrics.report_card import harmonic_mean, kept_links
from tests.metrics import brute_force
from tests.metrics.brute_force import orders


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("steps", [2, 1000])
@pytest.mark.parametrize("k", [1, 2])
def test_both_scores_are_their_definitions_for_dense_and_sparse_vectors(seed: int, steps: int, k: int) -> None:
    random = np.random.default_rng(seed)
    X, Y = random.integers(0, steps, (6, 3)) / 3, random.integers(0, steps, (6, 2)) / 3
    missing = np.array([False, False, True, False, False, False])
    embedding, data = Embedding({"image": Y}), RelationalData({"image": X}, missing={"image": missing})
    X, Y = X[~missing], embedding["image"][~missing]
    for vectors in (data, RelationalData({"image": sparse.csr_matrix(data.vectors["image"])}, missing=data.missing)):
        preserved = metrics.neighborhood_preservation(embedding, vectors, "image", k=k)
        assert preserved == pytest.approx(brute_force.preservation(X, Y, k), abs=1e-12)
        assert metrics.trustworthiness(embedding, vectors, k=k) == pytest.approx(brute_force.trust(X, Y, k), abs=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_trustworthiness_without_ties_is_scikit_learns(metric: str) -> None:
    random = np.random.default_rng(3)
    X, Y = random.normal(size=(200, 8)), random.normal(size=(200, 2)).astype(np.float32)
    score = metrics.trustworthiness(Embedding({"x": Y}), RelationalData({"x": X}), k=7, metric=metric)
    assert score == pytest.approx(sklearn_trustworthiness(X, Y, n_neighbors=7, metric=metric), abs=1e-12)


def test_the_first_domain_with_vectors_is_scored() -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    data = RelationalData({"tag": 5, "image": X}, {("image", "tag"): np.eye(5)[np.arange(30) % 5]})
    embedding = Embedding({"tag": np.zeros((5, 2)), "image": X})
    assert metrics.trustworthiness(embedding, data) == 1.0
    with pytest.raises(ValueError, match="no domain of the data has vectors"):
        metrics.trustworthiness(Embedding({"a": [[0], [1]]}), RelationalData({"a": 2}))


@pytest.mark.parametrize("steps", [2, 1000], ids=["many ties", "no ties"])
@pytest.mark.parametrize("seed", range(4))
def test_kept_links_are_their_definition(seed: int, steps: int) -> None:
    random = np.random.default_rng(seed)
    distances = random.integers(0, steps, (5, 6)) / 3
    linked = random.random((5, 6)) < 0.4
    linked[0], linked[1], linked[2:, 0] = False, True, True
    found = kept_links(distances, linked, 2)
    assert np.isnan(found[:2]).all()  # without links, and with all candidates among the nearest
    for row in range(2, 5):
        m = int(linked[row].sum())
        places = max(m, 2)
        kept = np.mean([linked[row][order[:places]].sum() / m for order in orders(dict(enumerate(distances[row])))])
        assert found[row] == pytest.approx((kept - places / 6) / (1 - places / 6), abs=1e-12)


def test_an_item_at_infinity_is_no_candidate() -> None:
    distances, linked = np.array([[1.0, 2.0, 3.0, np.inf]]), np.array([[True, False, False, False]])
    assert kept_links(distances, linked, 2)[0] == 1.0
    assert kept_links(distances[:, [1, 2, 0, 3]], linked, 1)[0] == pytest.approx((0 - 1 / 3) / (2 / 3))


def test_links_of_a_map_at_random_are_kept_as_by_chance() -> None:
    random = np.random.default_rng(0)
    distances, linked = random.random((4000, 50)), random.random((4000, 50)) < 0.1
    scores = kept_links(distances, linked, 10)
    assert abs(np.nanmean(scores)) < 4 * np.nanstd(scores) / np.sqrt(4000)


def test_penalties_counted_one_by_one_are_those_of_the_whole_order() -> None:
    random = np.random.default_rng(0)
    by_vector, in_map = random.integers(0, 40, (30, 50)).astype(float), random.random((30, 50))
    counted = rank_penalties(by_vector, membership(in_map, 3), 3)
    ordered = [
        np.mean([sum(max(0, r - 3) for r in ranks) for ranks in _ranks(by_vector[i], np.argsort(in_map[i])[:3])])
        for i in range(30)
    ]
    np.testing.assert_allclose(counted, ordered, atol=1e-12)


def _ranks(by_vector: np.ndarray, nearest: np.ndarray) -> list[list[float]]:
    """Every combination of ranks that the nearest can have, each by itself: a mean of sums is a sum of means."""
    groups = [(by_vector < by_vector[j]).sum() + 1 + np.arange((by_vector == by_vector[j]).sum()) for j in nearest]
    return [[float(r) for r in combination] for combination in np.stack(np.meshgrid(*groups), -1).reshape(-1, 3)]


def test_an_item_that_keeps_nothing_of_one_kind_is_badly_placed() -> None:
    assert harmonic_mean(0.0, 1.0) == 0
    assert harmonic_mean(0.0, 0.0) == 0
    assert harmonic_mean(-0.2, 0.5) == 0
    assert harmonic_mean(0.4, 0.4) == pytest.approx(0.4)
    assert np.isnan(harmonic_mean(np.nan, np.nan))
