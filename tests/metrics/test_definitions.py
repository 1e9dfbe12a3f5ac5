"""Every score is its definition: on data with and without ties, with isolated items, for two domains and for more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.manifold import trustworthiness as sklearn_trustworthiness
from sklearn.metrics import roc_auc_score

from mrsne import Embedding, RelationalData, metrics
from mrsne.metrics.ordering import Order
from tests.metrics import brute_force

Case = tuple[Embedding, RelationalData]


def random_case(seed: int, steps: int, three: bool = False) -> Case:
    """Items on a grid of few steps, so that many are tied; some items have no link."""
    random = np.random.default_rng(seed)
    sizes = {"image": 5, "tag": 3, **({"user": 1} if three else {})}
    W = (random.random((5, 3)) < 0.4) * random.integers(1, 3, (5, 3))
    W[3] = 0
    W[0, 0], W[1, 0] = 1, 0
    relations: dict[Any, Any] = {("tag", "image"): W.T}
    if three:
        relations["image", "user"] = np.array([[1], [0], [2], [0], [1]])
        relations["image", "image"] = random.integers(0, 2, (5, 5)) + np.eye(5, k=1)
    coordinates = {name: random.integers(0, steps, (n, 2)) / 3 for name, n in sizes.items()}
    return Embedding(coordinates), RelationalData(sizes, relations)


cases = pytest.mark.parametrize(
    "case", [random_case(seed, steps, three) for seed in range(4) for steps in (3, 1000) for three in (False, True)]
)
truths = pytest.mark.parametrize("within", ["shared", "identical", np.eye(5, k=2) + np.eye(5, k=-1)])


@cases
@pytest.mark.parametrize("target", ["image", "tag"])
@truths
def test_hit_rate_and_count(case: Case, target: str, within: Any) -> None:
    embedding, data = case
    ks = list(range(1, data.sizes[target] + (target != "image")))
    expected = [brute_force.hits(embedding, data, k, "image", target, within) for k in ks]
    rate = metrics.hit_rate(embedding, data, ks, query="image", target=target, within=within)
    count = metrics.hit_count(embedding, data, ks, query="image", target=target, within=within)
    np.testing.assert_allclose(rate, [e[0] for e in expected], rtol=0, atol=1e-12)
    np.testing.assert_allclose(count, [e[1] for e in expected], rtol=0, atol=1e-12)
    assert metrics.hit_rate(embedding, data, 2, "image", target, within) == rate[1]


@cases
@truths
def test_reconstruction(case: Case, within: Any) -> None:
    embedding, data = case
    false, true = brute_force.roc(embedding, data, "image", list(data.sizes), within)
    fpr, tpr = metrics.reconstruction_roc(embedding, data, query="image", within=within)
    np.testing.assert_allclose(fpr, false, rtol=0, atol=1e-12)
    np.testing.assert_allclose(tpr, true, rtol=0, atol=1e-12)
    area = float(((false[1:] - false[:-1]) * (true[1:] + true[:-1]) / 2).sum())
    assert metrics.reconstruction_auc(embedding, data, "image", within) == pytest.approx(area, abs=1e-12)


@cases
def test_link_auc(case: Case) -> None:
    embedding, data = case
    W = data.relation("image", "tag").toarray()
    expected = brute_force.link_auc(embedding, "image", "tag", W, W)
    assert metrics.link_auc(embedding, data, ("image", "tag")) == pytest.approx(expected, abs=1e-12)
    assert metrics.link_auc(embedding, data, ("tag", "image")) == pytest.approx(expected, abs=1e-12)
    held_out = sparse.csr_matrix(([1], ([1], [0])), shape=W.shape)
    expected = brute_force.link_auc(embedding, "image", "tag", held_out.toarray(), W)
    found = metrics.link_auc(embedding, data, ("image", "tag"), held_out=held_out)
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_link_inside_a_domain_has_no_direction_and_items_are_no_pairs_with_themselves() -> None:
    chain = np.eye(30, k=1)
    embedding = Embedding({"a": np.arange(30.0)[:, None]})
    for W in (chain, chain.T, chain + chain.T, chain + np.eye(30)):
        assert metrics.link_auc(embedding, RelationalData({"a": 30}, {("a", "a"): W}), ("a", "a")) == 1.0


@given(st.integers(0, 10_000))
def test_the_first_places_of_an_order_are_those_of_the_whole(seed: int) -> None:
    random = np.random.default_rng(seed)
    distances = random.integers(0, random.integers(1, 12), (5, 30)).astype(float)
    values = random.random((5, 30)) < 0.3
    whole, part = Order(distances), Order(distances, 6)
    np.testing.assert_array_equal(whole.first[:, :6], part.first[:, :6])
    np.testing.assert_array_equal(whole.size[:, :6], part.size[:, :6])
    np.testing.assert_array_equal(whole.sum_of_group(values)[:, :6], part.sum_of_group(values)[:, :6])


def test_link_auc_by_inner_product_is_scikit_learns() -> None:
    random = np.random.default_rng(1)
    W = random.random((40, 9)) < 0.3
    embedding = Embedding({"image": random.normal(size=(40, 2)), "tag": random.normal(size=(9, 2))})
    data = RelationalData({"image": 40, "tag": 9}, {("image", "tag"): W})
    similarity = embedding["image"].astype(np.float64) @ embedding["tag"].astype(np.float64).T
    expected = roc_auc_score(W.ravel(), similarity.ravel())
    found = metrics.link_auc(embedding, data, ("image", "tag"), similarity="inner")
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("steps", [2, 1000])
@pytest.mark.parametrize("k", [1, 2])
def test_neighborhood_scores(seed: int, steps: int, k: int) -> None:
    random = np.random.default_rng(seed)
    X, Y = random.integers(0, steps, (6, 3)) / 3, random.integers(0, steps, (6, 2)) / 3
    missing = np.array([False, False, True, False, False, False])
    embedding, data = Embedding({"image": Y}), RelationalData({"image": X}, missing={"image": missing})
    X, Y = X[~missing], embedding["image"][~missing]
    for vectors in (data, RelationalData({"image": sparse.csr_matrix(data.vectors["image"])}, missing=data.missing)):
        found = metrics.neighborhood_preservation(embedding, vectors, "image", k=k)
        assert found == pytest.approx(brute_force.preservation(X, Y, k), abs=1e-12)
        assert metrics.trustworthiness(embedding, vectors, k=k) == pytest.approx(brute_force.trust(X, Y, k), abs=1e-12)


def test_trustworthiness_without_ties_is_scikit_learns() -> None:
    random = np.random.default_rng(3)
    X, Y = random.normal(size=(200, 8)), random.normal(size=(200, 2)).astype(np.float32)
    found = metrics.trustworthiness(Embedding({"x": Y}), RelationalData({"x": X}), k=7)
    assert found == pytest.approx(sklearn_trustworthiness(X, Y, n_neighbors=7), abs=1e-12)
    cosine = metrics.trustworthiness(Embedding({"x": Y}), RelationalData({"x": X}), k=7, metric="cosine")
    assert cosine == pytest.approx(sklearn_trustworthiness(X, Y, n_neighbors=7, metric="cosine"), abs=1e-12)


@given(st.integers(0, 10_000))
def test_the_order_of_items_does_not_matter(seed: int) -> None:
    embedding, data = random_case(seed, 3)
    order = np.random.default_rng(seed).permutation(5)
    mixed = Embedding({"image": embedding["image"][order], "tag": embedding["tag"]})
    other = data.subset({"image": order})
    for score in (metrics.hit_rate, metrics.hit_count):
        for target in ("image", "tag"):
            here, there = (score(e, d, 2, "image", target) for e, d in ((embedding, data), (mixed, other)))
            assert here == pytest.approx(there, abs=1e-12)


def test_a_map_on_one_spot_scores_like_chance() -> None:
    data = random_case(0, 2)[1]
    embedding = Embedding({name: np.zeros((n, 2)) for name, n in data.sizes.items()})
    assert metrics.reconstruction_auc(embedding, data) == pytest.approx(0.5, abs=1e-12)
    assert metrics.link_auc(embedding, data, ("image", "tag")) == 0.5


def test_variance_ratio() -> None:
    random = np.random.default_rng(0)
    a, b = random.normal(size=(50, 3)).astype(np.float32), 2 * random.normal(size=(20, 3)).astype(np.float32)
    expected = np.trace(np.cov(a.astype(float).T)) / np.trace(np.cov(b.astype(float).T))
    assert metrics.variance_ratio(Embedding({"a": a, "b": b}), "a", "b") == pytest.approx(expected, abs=1e-12)
    assert metrics.variance_ratio(Embedding({"a": a, "b": np.zeros((2, 3))}), "a", "b") == np.inf
