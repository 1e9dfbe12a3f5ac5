"""Vectors on which a search in single precision, or on ties, goes astray."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

import mrsne
from mrsne.backends.cpu.search.duplicates import distinct_places
from mrsne.backends.rows import prepare
from tests.backends.cpu.test_search import cloud, recall_of
from tests.conftest import clusters
from tests.search import nearest_neighbors, nearest_to


@pytest.mark.parametrize("noise", [1e-6, 1e-7, 1e-14])
def test_columns_of_rounding_errors_do_not_set_the_scale(noise: float) -> None:
    """As after a PCA with more components than the data has dimensions."""
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(size=(2000, 5)), noise * random.normal(size=(2000, 8))], axis=1)
    found, expected = nearest_neighbors(X, 20), nearest_neighbors(np.ascontiguousarray(X[:, :5]), 20)
    same = [len(set(a) & set(b)) for a, b in zip(found.indices.tolist(), expected.indices.tolist(), strict=True)]
    assert np.mean(same) > 19.9


def narrow_groups(n: int, width: float) -> NDArray[np.float64]:
    """Two groups at a distance of 1."""
    random = np.random.default_rng(0)
    apart = np.zeros((2, 8))
    apart[1, 0] = 1
    return random.permutation(np.repeat(apart, n // 2, axis=0)) + width * random.normal(size=(n, 8))


@pytest.mark.parametrize(("width", "stray"), [(1e-3, 0), (1e-5, 0), (1e-5, 1e25), (1e-9, 1e25)])
@pytest.mark.parametrize("n", [3000, 12_000])
def test_groups_narrower_than_single_precision_can_tell(n: int, width: float, stray: float) -> None:
    X = narrow_groups(n, width)
    X[7] += stray
    found = nearest_neighbors(X, 20)
    true = recall_of(found.indices, X, np.arange(0, n, n // 100))
    assert true >= (1 if n == 3000 else 0.94)
    assert found.recall == pytest.approx(true, abs=0.02)


def test_a_narrow_group_among_others_has_a_second_look() -> None:
    """One of a hundred, so that most are searched in single precision."""
    X = cloud(12_000, 4).astype(np.float64)
    group = np.arange(0, 12_000, 100)
    X[group] = X[0] + 1e-6 * X[group]
    found = nearest_neighbors(X, 20)
    assert recall_of(found.indices, X, group) > 0.99
    some = nearest_to(X[group], X, 21, exactly=False)  # themselves too
    np.testing.assert_array_equal(some.indices[:, 0], group)
    np.testing.assert_array_equal(some.indices[:, 1:], found.indices[group])


def test_narrow_groups_of_sparse_rows() -> None:
    X = sparse.random_array((1000, 200), density=0.05, random_state=np.random.default_rng(0)).toarray()
    X[:400] = X[0] * (1 + 1e-5 * np.random.default_rng(1).normal(size=(400, 200)))
    found = nearest_neighbors(prepare(sparse.csr_matrix(X), "euclidean"), 20)
    assert recall_of(found.indices, X, np.arange(400)) == 1


def test_many_rows_far_out_have_their_true_neighbours() -> None:
    """Farther than the search can see: all of them look like one point to it."""
    X = cloud(3000, 4).astype(np.float64)
    X[::30] = 1e20 + 1e18 * X[::30]
    found = nearest_neighbors(X, 10)
    assert recall_of(found.indices, X, np.arange(0, 3000, 30)) == 1


@pytest.mark.parametrize("X", [np.eye(1500), np.random.default_rng(0).integers(0, 2, (4000, 12)).astype(float)])
def test_one_hot_and_binary_rows(X: Any) -> None:
    P = mrsne.joint_affinities(mrsne.RelationalData({"item": X}), perplexity=10)
    assert P.indices.min() >= 0
    assert P.indices.max() < len(X)
    assert abs(P - P.T).max() == 0
    assert P.sum() == pytest.approx(1, abs=1e-5)


def test_recall_counts_neighbours_that_are_as_near() -> None:
    """Of a thousand items at the same distance any will do."""
    X = np.zeros((12_000, 60), np.float32)
    random = np.random.default_rng(0)
    X[np.arange(12_000)[:, None], random.integers(0, 60, (12_000, 4))] = 1
    assert nearest_neighbors(X, 30).recall > 0.95


@pytest.mark.parametrize("n_pca", [None, 3])
@pytest.mark.parametrize("scale", [1e-16, 1.0, 1e16])
def test_fitted_vectors_land_on_themselves_at_any_scale(scale: float, n_pca: int | None) -> None:
    X = scale * clusters(300).astype(np.float64)
    for form in (np.asarray, sparse.csr_matrix):
        model = mrsne.MRSNE(perplexity=10, max_iter=100, random_state=0, n_pca=n_pca).fit(form(X))
        np.testing.assert_array_equal(model.transform(form(X[:5])), model.embedding_[:5])


@pytest.mark.parametrize("dtype", [">f8", np.longdouble])
def test_other_floating_point_types_keep_their_digits(dtype: Any) -> None:
    X = 1e8 + clusters(500).astype(np.float64)
    P = mrsne.joint_affinities(mrsne.RelationalData({"item": X}))
    other = mrsne.joint_affinities(mrsne.RelationalData({"item": X.astype(dtype)}))
    np.testing.assert_allclose(other.toarray(), P.toarray(), rtol=1e-5)


def test_new_vectors_beyond_the_fitted_precision_are_refused() -> None:
    model = mrsne.MRSNE(perplexity=5, max_iter=50).fit(mrsne.RelationalData({"item": clusters(60)}))
    too_large = np.full((1, clusters(60).shape[1]), 1e39)
    with pytest.raises(ValueError, match=r"vectors\['item'\] holds numbers too large for float32"):
        model.transform({"item": too_large})


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_two_zeros_are_one_place(dtype: Any) -> None:
    X = np.array([[0.0, 1], [-0.0, 1], [0, 1], [1, 1]], dtype=dtype)
    assert distinct_places(prepare(X, "euclidean")).place.tolist() == [0, 0, 0, 1]


def test_few_queries_are_compared_with_everything() -> None:
    X = clusters(12_000)
    found = nearest_to(X[:3], X, 5)
    assert found.recall == 1
    np.testing.assert_array_equal(found.indices[:, 0], [0, 1, 2])


def test_a_graph_that_is_not_quite_symmetric_has_a_start() -> None:
    """Tiny entries from a ring into items that nothing leads back from."""
    n, lost = 300, 40
    step = np.arange(n)
    ring = sparse.csr_matrix((np.ones(n, np.float32), (step, (step + 1) % n)), shape=(n + lost, n + lost))
    stray = sparse.csr_matrix(
        (np.full(lost, 1e-7, np.float32), (np.arange(lost), n + np.arange(lost))), shape=ring.shape
    )
    Y = mrsne.embed(ring + ring.T + stray, random_state=0, max_iter=20)
    assert np.isfinite(Y).all()


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200, 1e300])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_numbers_of_any_size_make_the_same_map(size: float, metric: str, make: Any) -> None:
    """Below 1e-308 numbers have fewer digits, and the factor that brings them near 1 ends at 2¹⁰²³."""
    near_and_far = np.kron(np.eye(4), np.ones((5, 1))) + np.kron(np.ones((4, 1)), np.eye(5, 4))
    model = mrsne.MRSNE(perplexity=3, max_iter=50, random_state=0, metric=metric)
    expected = model.fit_transform(make(near_and_far * 2.0**-400))
    np.testing.assert_allclose(model.fit_transform(make(near_and_far * size)), expected, atol=1e-3)
