"""CDMCA is CCA on duplicated pairs, without duplicating them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cca_zoo.linear import RidgeCCA
from numpy.typing import NDArray
from scipy import linalg
from sklearn.cross_decomposition import CCA

from mrsne import RelationalData, metrics
from mrsne.baselines.cdmca import CDMCA
from mrsne.baselines.whitening import gaussian_kernel, median_distance
from tests.conftest import Animals, tagged

Array = NDArray[np.float64]


def weighted_case(seed: int = 0, weights: tuple[int, ...] = (0, 0, 0, 1, 2)) -> tuple[Array, Array, NDArray[np.int64]]:
    """Vectors of two domains that share a theme, and whole-numbered weights between them."""
    random = np.random.default_rng(seed)
    X, T = random.normal(size=(40, 6)), random.normal(size=(12, 4))
    X[:, :2] += np.repeat(np.eye(2), 20, axis=0) * 3
    T[:, 0] += np.repeat([0, 3], 6)
    W = random.choice(weights, size=(40, 12))
    W[:20, :6] += random.integers(0, 2, (20, 6))
    return X, T, W


def duplicated(X: Any, T: Any, W: NDArray[np.int64]) -> tuple[Array, Array]:
    """One row for every unit of weight."""
    rows, columns = np.nonzero(W)
    times = W[rows, columns]
    return X[np.repeat(rows, times)], T[np.repeat(columns, times)]


def fitted(X: Array, T: Array, W: Any, **settings: Any) -> CDMCA:
    data = RelationalData({"image": X, "tag": T}, {("image", "tag"): W})
    return CDMCA(**{"n_components": 4, **settings}).fit(data)


def correlations_over_links(model: CDMCA, W: NDArray[np.int64]) -> Array:
    left, right = duplicated(model.embedding_["image"], model.embedding_["tag"], W)
    K = left.shape[1]
    return np.asarray(np.corrcoef(left.T.astype(float), right.T.astype(float))[np.arange(K), K + np.arange(K)])


def test_without_regularisation_it_is_scikit_learns_cca_on_duplicated_pairs() -> None:
    X, T, W = weighted_case()
    model = fitted(X, T, W, regularization=0)
    left, right = CCA(n_components=4, tol=1e-14, max_iter=100_000).fit_transform(*duplicated(X, T, W))
    expected = np.corrcoef(left.T, right.T)[np.arange(4), 4 + np.arange(4)]
    np.testing.assert_allclose(model.correlations_, expected, atol=1e-9)
    np.testing.assert_allclose(correlations_over_links(model, W), expected, atol=1e-6)  # coordinates are float32


@pytest.mark.parametrize("regularization", [0.0, 0.01, 0.5])
def test_with_regularisation_it_is_cca_zoos_ridge_cca_on_duplicated_pairs(regularization: float) -> None:
    X, T, W = weighted_case(1)
    views: list[Any] = list(duplicated(X, T, W))
    m = len(views[0])
    # cca-zoo takes (1 − c) Σ + c I with Σ = Σ (x − μ)(x − μ)ᵀ/(m − 1), which is λ α m/(m − 1) = c/(1 − c) here
    ridges = [regularization * Z.var(axis=0).mean() * m / (m - 1) for Z in views]
    peer = RidgeCCA(n_components=4, shrinkage=[ridge / (1 + ridge) for ridge in ridges]).fit(views)
    left, right = peer.transform(views)
    expected = np.corrcoef(left.T, right.T)[np.arange(4), 4 + np.arange(4)]
    model = fitted(X, T, W, regularization=regularization)
    np.testing.assert_allclose(correlations_over_links(model, W), expected, atol=1e-5)
    if regularization == 0:
        np.testing.assert_allclose(model.correlations_, expected, atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_weight_is_as_many_links(kernel: str) -> None:
    X, T, W = weighted_case(2)
    left, right = duplicated(X, T, W)
    strength = 0.01 if kernel == "linear" else 0  # with a kernel λ is relative to the variance per item: more items now
    together = fitted(X, T, W, kernel=kernel, bandwidth=3.0, regularization=strength)
    apart = fitted(left, right, np.eye(len(left)), kernel=kernel, bandwidth=3.0, regularization=strength)
    np.testing.assert_allclose(together.correlations_, apart.correlations_, atol=1e-7)


def test_weights_need_not_be_whole_numbers() -> None:
    X, T, W = weighted_case(3)
    np.testing.assert_allclose(fitted(X, T, W).correlations_, fitted(X, T, W / 7.3).correlations_, atol=1e-12)


def test_the_kernel_version_solves_its_dual_problem() -> None:
    """K₁ M₁^½ … by brute force: maximise aᵀK₁WK₂b with aᵀ(K₁M₁K₁ + κ₁K₁)a = 1, K centred by the weights."""
    X, T, W = weighted_case(4)
    model = fitted(X, T, W, kernel="rbf", bandwidth={"image": 3.0, "tag": 2.0}, regularization=0.01)
    shares = W.sum(axis=1) / W.sum(), W.sum(axis=0) / W.sum()
    kernels, within = [], []
    for Z, share, width in zip((X, T), shares, (3.0, 2.0), strict=True):
        centring = np.eye(len(Z)) - np.outer(np.ones(len(Z)), share)
        K = centring @ gaussian_kernel(Z, width) @ centring.T
        strength = 0.01 * float(share @ np.diag(K)) / len(Z)
        kernels.append(K)
        within.append(K @ np.diag(share) @ K + strength * K + 1e-13 * np.eye(len(Z)))
    cross = kernels[0] @ (W / W.sum()) @ kernels[1]
    H = np.block([[np.zeros((40, 40)), cross], [cross.T, np.zeros((12, 12))]])
    expected = linalg.eigh(H, linalg.block_diag(*within), eigvals_only=True)[::-1][:4]
    np.testing.assert_allclose(model.correlations_, expected, atol=1e-5)


def test_three_domains_solve_the_general_eigenproblem() -> None:
    random = np.random.default_rng(5)
    vectors = {name: random.normal(size=(n, p)) for name, n, p in (("image", 30, 5), ("tag", 12, 4), ("user", 9, 3))}
    pairs: dict[Any, Any] = {
        ("image", "tag"): random.random((30, 12)),
        ("user", "image"): random.random((9, 30)),
        ("tag", "tag"): np.triu(random.random((12, 12)), 1),
    }
    model = CDMCA(3, regularization=0).fit(RelationalData(vectors, pairs))
    W = np.zeros((51, 51))
    W[:30, 30:42], W[42:, :30] = pairs["image", "tag"], pairs["user", "image"]
    W = W + W.T
    W[30:42, 30:42] = (pairs["tag", "tag"] + pairs["tag", "tag"].T) / 2
    M = W.sum(axis=1)
    X = np.zeros((51, 12))
    for name, rows, columns in (
        ("image", slice(0, 30), slice(0, 5)),
        ("tag", slice(30, 42), slice(5, 9)),
        ("user", slice(42, 51), slice(9, 12)),
    ):
        X[rows, columns] = vectors[name] - np.average(vectors[name], axis=0, weights=M[rows])
    expected, A = linalg.eigh(
        X.T @ W @ X, linalg.block_diag(*(X[:, c].T * M @ X[:, c] for c in (slice(0, 5), slice(5, 9), slice(9, 12))))
    )
    np.testing.assert_allclose(model.correlations_, expected[::-1][:3], atol=1e-10)
    coordinates, solution = model.embedding_.stacked.astype(float), X @ A[:, ::-1][:, :3]
    for k in range(3):
        assert abs(np.corrcoef(coordinates[:, k], solution[:, k])[0, 1]) == pytest.approx(1, abs=1e-6)


def test_a_domain_without_vectors_has_one_hot_ones() -> None:
    X, _, W = weighted_case(6)
    none = RelationalData({"image": X, "tag": 12}, {("image", "tag"): W})
    one_hot = RelationalData({"image": X, "tag": np.eye(12)}, {("image", "tag"): W})
    assert CDMCA(3).fit_transform(none) == CDMCA(3).fit_transform(one_hot)


def test_an_item_without_a_vector_is_at_the_mean_of_the_others() -> None:
    X, T, W = weighted_case(7)
    mask = np.arange(40) == 5
    filled = X.copy()
    filled[5] = X[~mask].mean(axis=0)
    X[5] = np.nan
    missing = RelationalData({"image": X, "tag": T}, {("image", "tag"): W}, missing={"image": mask})
    np.testing.assert_array_equal(
        CDMCA().fit_transform(missing)["image"], fitted(filled, T, W, n_components=2).embedding_["image"]
    )


def test_there_may_be_more_dimensions_than_items_and_unlinked_items() -> None:
    random = np.random.default_rng(8)
    W = np.eye(10, 6)
    model = fitted(random.normal(size=(10, 50)), random.normal(size=(6, 30)), W, n_components=5)
    assert model.embedding_["image"].shape == (10, 5)
    assert np.isfinite(model.embedding_.stacked).all()
    assert model.correlations_.min() > 0.9


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_linked_animals_and_words_come_close(animals: Animals, kernel: str) -> None:
    embedding = CDMCA(kernel=kernel).fit_transform(animals.data)
    assert metrics.link_auc(embedding, animals.data, ("image", "tag")) > 0.7


def test_the_median_distance_of_many_items_is_that_of_a_sample_and_1_if_all_are_equal() -> None:
    assert median_distance(np.array([[0.0], [1.0], [3.0]])) == 2.0
    assert median_distance(np.zeros((5, 2))) == 1.0
    X = np.random.default_rng(0).normal(size=(5000, 3))
    assert median_distance(X) == pytest.approx(median_distance(X[:1000]), rel=0.05)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"n_components": 0}, "n_components must be a whole number of at least 1, got 0"),
    ({"n_components": 5}, "n_components must be at most 4, the rank of the problem, got 5"),
    ({"kernel": "poly"}, "kernel must be one of 'linear', 'rbf', got 'poly'"),
    ({"regularization": -1}, "regularization must be a finite number of at least 0, got -1"),
    ({"ridge": "mean"}, "ridge must be one of 'relative', 'absolute', got 'mean'"),
    ({"centred": 1}, "centred must be True or False, got 1"),
    ({"kernel": "rbf", "bandwidth": 0}, "bandwidth must be a finite number greater than 0, got 0"),
    ({"kernel": "rbf", "bandwidth": "mean"}, "bandwidth must be one of 'median', got 'mean'"),
    ({"kernel": "rbf", "bandwidth": {"image": 1}}, "bandwidth has no value for the domain 'tag'"),
]


@pytest.mark.parametrize(("settings", "message"), BAD)
def test_bad_settings_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fitted(*weighted_case(), **settings)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_vectors_that_do_not_vary_have_no_components(kernel: str) -> None:
    for value in (0.0, 0.1, 1e5 / 3):
        data = RelationalData({"image": np.full((13, 3), value), "tag": 4}, {("image", "tag"): np.eye(13, 4) + 0.1})
        assert CDMCA(kernel=kernel).max_components(data) == 0
    with pytest.raises(ValueError, match="there is nothing to correlate"):
        CDMCA(kernel=kernel).fit(data)


def test_one_domain_with_a_graph_inside_has_components() -> None:
    X = np.random.default_rng(0).normal(size=(20, 3))
    data = RelationalData({"paper": X}, {("paper", "paper"): np.eye(20, k=1)})
    assert CDMCA().max_components(data) == 3
    assert CDMCA().fit(data).embedding_["paper"].shape == (20, 2)


def test_the_scale_of_vectors_does_not_matter() -> None:
    X, T, W = weighted_case()
    for scale in (1e160, 1e-160):
        np.testing.assert_allclose(fitted(X * scale, T, W).correlations_, fitted(X, T, W).correlations_, atol=1e-9)


def test_data_without_relations_is_refused() -> None:
    array: Any = np.eye(3)
    with pytest.raises(ValueError, match="data must be a RelationalData, got an array"):
        CDMCA().fit(array)
    with pytest.raises(ValueError, match="CDMCA learns from links, but data has no relation"):
        CDMCA().fit(RelationalData({"image": np.eye(3)}))


def test_an_item_without_a_vector_or_a_link_has_a_place_too() -> None:
    embedding = CDMCA().fit(tagged()).embedding_
    assert embedding["tag"].shape == (4, 2)
    assert np.isfinite(embedding["tag"]).all()


def pyrcca(views: list[Array], kernel: str, strength: float = 0.01) -> tuple[Array, list[Array]]:
    """What Pyrcca solves for one row of each view for each link: sums, not means, and λ as it is."""
    if kernel == "linear":
        blocks = [Z.T for Z in views]
    else:
        grams = [np.exp(-((Z[:, None] - Z[None]) ** 2).sum(axis=2) / 2) for Z in views]
        blocks = [K / linalg.eigvalsh(K).max() for K in grams]
    sizes = [len(block) for block in blocks]
    cross = blocks[0] @ blocks[1].T
    left = np.block([[np.zeros((sizes[0],) * 2), cross], [cross.T, np.zeros((sizes[1],) * 2)]])
    right = linalg.block_diag(*(block @ block.T + strength * np.eye(len(block)) for block in blocks))
    values, vectors = linalg.eigh(left, right)
    parts = np.split(vectors[:, ::-1][:, :2], [sizes[0]])
    return values[::-1][:2], [block.T @ part for block, part in zip(blocks, parts, strict=True)]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_as_the_paper_describes_it_it_is_pyrcca_on_duplicated_pairs(kernel: str) -> None:
    X, T, W = weighted_case(9, weights=(0, 0, 1))
    X, T, W = X[::3], T[::3], W[::3, ::3]
    data = RelationalData({"image": X, "tag": T}, {("image", "tag"): W})
    model = CDMCA.paper(kernel=kernel).fit(data)
    correlations, maps = pyrcca(list(duplicated(X, T, W)), kernel)
    np.testing.assert_allclose(model.correlations_, correlations, atol=1e-9)
    ours = duplicated(model.embedding_["image"], model.embedding_["tag"], W)
    factor = np.sqrt(W.sum())  # Pyrcca's coordinates have a sum of squares of 1, ours a mean
    for mine, theirs in zip(ours, maps, strict=True):
        signs = np.sign((mine * theirs).sum(axis=0))
        np.testing.assert_allclose(mine / factor, theirs * signs, atol=1e-6)  # coordinates are float32


def test_an_absolute_ridge_depends_on_the_scale_of_the_vectors_and_a_relative_one_does_not() -> None:
    X, T, W = weighted_case()
    for ridge, differs in (("relative", False), ("absolute", True)):
        first, second = (fitted(scale * X, T, W, regularization=1.0, ridge=ridge) for scale in (1.0, 0.1))
        assert bool(np.abs(first.correlations_ - second.correlations_).max() > 1e-3) is differs
