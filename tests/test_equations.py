"""The code against the paper: every equation against a dense computation in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import mrsne
from tests import reference
from tests.conftest import Animals, clusters

RANDOM = np.random.default_rng(11)
PHOTOS, WORDS, PLACES = RANDOM.normal(size=(60, 7)), RANDOM.normal(size=(25, 4)), RANDOM.normal(size=(18, 3))
TAGGED = (RANDOM.random((60, 25)) < 0.2) * RANDOM.integers(1, 4, (60, 25))
TAGGED[np.arange(25), np.arange(25)] = 1
TAGGED[7] = 0  # a photo without tags
TAKEN = RANDOM.random((18, 60)) * (RANDOM.random((18, 60)) < 0.3)
FRIENDS = RANDOM.random((60, 60)) * (RANDOM.random((60, 60)) < 0.1)

INPUTS: dict[str, tuple[dict[str, Any], dict[tuple[str, str], Any]]] = {
    "one domain": ({"photo": PHOTOS}, {}),
    "two domains": ({"photo": PHOTOS, "word": WORDS}, {("photo", "word"): TAGGED}),
    "no vectors on one side": ({"photo": PHOTOS, "word": 25}, {("photo", "word"): TAGGED}),
    "three domains": (
        {"photo": PHOTOS, "word": WORDS, "place": PLACES},
        {("photo", "word"): TAGGED, ("place", "photo"): TAKEN, ("word", "place"): np.ones((25, 18))},
    ),
    "a graph inside a domain": (
        {"photo": PHOTOS, "word": 25},
        {("photo", "photo"): FRIENDS, ("photo", "word"): TAGGED},
    ),
}
EXPLICIT = {
    "one domain": {"photo": 1.0},
    "two domains": {"photo": 5.0, "word": 1.0, ("photo", "word"): 4.0},
    "no vectors on one side": {"photo": 0.3, ("photo", "word"): 0.7},
    "three domains": {
        "photo": 0.2, "word": 0.1, "place": 0.1, ("photo", "word"): 0.3, ("place", "photo"): 0.2, ("word", "place"): 0.1
    },
    "a graph inside a domain": {"photo": 0.2, ("photo", "photo"): 0.5, ("photo", "word"): 0.3},
}  # fmt: skip


@pytest.mark.parametrize("norm", ["unnorm", "norm", "pmi"])
@pytest.mark.parametrize("weights", ["size", "equal", "balanced", "explicit"])
@pytest.mark.parametrize("case", INPUTS)
def test_joint_affinities_are_those_of_the_paper(case: str, weights: str, norm: str) -> None:
    vectors, relations = INPUTS[case]
    chosen: Any = EXPLICIT[case] if weights == "explicit" else weights
    perplexity = dict.fromkeys(vectors, 6.0)
    data = mrsne.RelationalData(vectors, relations)
    P = mrsne.joint_affinities(data, perplexity=6.0, relation_norm=norm, weights=chosen)
    expected = reference.joint(vectors, relations, perplexity, norm, chosen)

    assert P.dtype == np.float32
    assert (P != P.T).nnz == 0
    assert abs(P.sum(dtype=np.float64) - 1) < 1e-6
    # float32 has 24 bits: 6e-8 relative; entries below its smallest normal number become 0
    np.testing.assert_allclose(P.toarray(), expected, rtol=1e-6, atol=1e-37)
    if weights == "balanced":
        np.testing.assert_allclose(P.sum(axis=1, dtype=np.float64), 1 / data.n_items, rtol=1e-6)


@pytest.mark.filterwarnings("error")
def test_the_perplexity_of_all_pairs_may_be_anything_below_the_number_of_others() -> None:
    """85 tags, as in the paper, and perplexities beyond a third of the others."""
    tags, images = clusters(85, seed=3, n_clusters=6, dimension=20), clusters(60, seed=4, dimension=8)
    linked = (np.random.default_rng(5).random((60, 85)) < 0.1).astype(float)
    vectors, relations = {"image": images, "tag": tags}, {("image", "tag"): linked}
    data = mrsne.RelationalData(vectors, relations)
    for model in (mrsne.MRSNE.paper(perplexity=50, max_iter=1), mrsne.MRSNE(perplexity=50, max_iter=1)):
        P = model.set_params(relation_norm="pmi", weights="size", random_state=0).fit(data).affinities_.toarray()
        expected = reference.joint(vectors, relations, {"image": 50.0, "tag": 50.0}, "pmi", "size")
        np.testing.assert_allclose(P, expected, rtol=1e-6, atol=1e-37)
    for perplexity in (28.5, 50, 83.9):
        alone = mrsne.joint_affinities(mrsne.RelationalData({"tag": tags}), perplexity=perplexity).toarray()
        np.testing.assert_allclose(alone, reference.neighbor_graph(tags, perplexity), rtol=1e-6, atol=1e-37)


def test_nearest_neighbors_only_lose_the_tail() -> None:
    X = clusters(1500)
    data = mrsne.RelationalData({"photo": X})
    near = mrsne.joint_affinities(data, perplexity=10, neighbors="approximate").toarray()
    whole = mrsne.joint_affinities(data, perplexity=10, neighbors="exact").toarray()
    assert 30 * 1500 <= np.count_nonzero(near) <= 2 * 30 * 1500
    # what lies beyond 3·perplexity neighbours is given to those within
    assert 0 < 0.5 * np.abs(near - whole).sum() < 0.05


@pytest.mark.parametrize("n_components", [1, 2, 3, 5])
@pytest.mark.parametrize("spread", [1e-4, 1e-2, 1.0, 20.0])
def test_exact_gradient_and_divergence_are_those_of_the_paper(n_components: int, spread: float) -> None:
    P = reference.joint(*INPUTS["two domains"], {"photo": 6.0, "word": 6.0}, "pmi", "size")
    Y = (spread * np.random.default_rng(2).normal(size=(85, n_components))).astype(np.float32)
    kl, gradient = mrsne.kl_gradient(P, Y, method="exact")
    assert abs(kl - reference.divergence(P, Y)) < 1e-5
    exact = reference.gradient(P, Y)
    assert np.linalg.norm(gradient - exact) < 1e-4 * np.linalg.norm(exact)


def test_sparse_and_dense_affinities_give_the_same_gradient() -> None:
    """Dense P̃ takes one pass over all pairs, sparse P̃ two sums: the same numbers."""
    P = mrsne.joint_affinities(mrsne.RelationalData({"photo": clusters(1200)}), perplexity=5, neighbors="approximate")
    Y = (5 * np.random.default_rng(0).normal(size=(1200, 2))).astype(np.float32)
    assert P.nnz < 1200**2 / 8
    padded = P.toarray() + np.float32(1e-30)
    kl, gradient = mrsne.kl_gradient(P, Y, method="exact")
    kl_dense, gradient_dense = mrsne.kl_gradient(padded, Y, method="exact")
    assert abs(kl - kl_dense) < 1e-6
    np.testing.assert_allclose(gradient, gradient_dense, atol=1e-5 * np.abs(gradient).max())


@pytest.mark.parametrize("method", ["exact", "fft"])
def test_gradient_is_the_slope_of_the_divergence(method: str) -> None:
    P = reference.joint(*INPUTS["two domains"], {"photo": 6.0, "word": 6.0}, "pmi", "size")
    random = np.random.default_rng(3)
    Y = random.normal(size=(85, 2)).astype(np.float32)
    direction = random.normal(size=(85, 2))
    step = 1e-4
    slope = (reference.divergence(P, Y + step * direction) - reference.divergence(P, Y - step * direction)) / (2 * step)
    gradient = mrsne.kl_gradient(P, Y, method=method)[1]
    # central differences are off by step²; single precision by 1e-6 of the norms
    assert abs((gradient * direction).sum() - slope) < 1e-5 * np.linalg.norm(gradient) * np.linalg.norm(direction)


def test_algorithm_1_is_that_of_the_paper(animals: Animals) -> None:
    """After 50 iterations from the same start the map is that of the dense double-precision algorithm."""
    model = mrsne.MRSNE.paper(max_iter=50, random_state=4)
    embedding = model.fit_transform(animals.data)
    assert model.n_iter_ == 50
    start = 1e-2 * np.random.RandomState(4).standard_normal((animals.data.n_items, 2))
    P = model.affinities_.toarray().astype(np.float64)
    expected = reference.algorithm_1(P, start.astype(np.float32), 50)
    assert np.abs(embedding.stacked - expected).max() < 1e-3 * np.abs(expected).max()


def test_algorithm_1_lowers_its_learning_rate() -> None:
    data = mrsne.RelationalData({"photo": PHOTOS, "word": WORDS}, {("photo", "word"): TAGGED})
    embedding = mrsne.MRSNE.paper(perplexity=6, random_state=0, max_iter=450).fit_transform(data)
    P = mrsne.joint_affinities(data, perplexity=6, neighbors="exact").toarray().astype(np.float64)
    start = (1e-2 * np.random.RandomState(0).standard_normal((85, 2))).astype(np.float32)
    expected = reference.algorithm_1(P, start, 450)
    never_lowered = reference.algorithm_1(P, reference.algorithm_1(P, start, 400), 50, rate=100.0)
    actual = reference.divergence(P, embedding.stacked)
    assert abs(actual - reference.divergence(P, expected)) < 1e-4
    assert abs(actual - reference.divergence(P, never_lowered)) > 1e-4


def test_unsorted_repeated_and_zero_entries_are_the_same_graph() -> None:
    """Explicit zeros, unsorted and repeated entries of W are the same graph."""
    messy = sparse.coo_matrix(([1.0, 2.0, 0.0, 1.0], ([0, 2, 1, 0], [1, 0, 1, 1])), shape=(3, 2))
    clean = np.array([[0, 2.0], [0, 0], [2.0, 0]])
    vectors = {"a": np.eye(3), "b": 2}
    first = mrsne.joint_affinities(mrsne.RelationalData(vectors, {("a", "b"): messy}))
    second = mrsne.joint_affinities(mrsne.RelationalData(vectors, {("a", "b"): clean}))
    np.testing.assert_array_equal(first.toarray(), second.toarray())
