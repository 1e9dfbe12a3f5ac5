from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import PCA

import mrsne
from mrsne.backends import projection
from mrsne.backends.projection import principal_axes
from mrsne.backends.rows import prepare
from tests.conftest import clusters


def wide(n: int = 400, d: int = 120) -> NDArray[np.float64]:
    random = np.random.default_rng(0)
    return np.asarray(random.normal(size=(n, 8)) * 2.0 ** -np.arange(8) @ random.normal(size=(8, d)) + 3)


@pytest.mark.parametrize("subspace", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, lambda X: X.astype(np.float32)])
def test_it_is_pca(monkeypatch: pytest.MonkeyPatch, subspace: bool, form: Any) -> None:
    """Read in blocks of fifty rows, from the covariance and from an iterated subspace."""
    monkeypatch.setattr("mrsne.backends.rows.BLOCK", 50 * 120)
    monkeypatch.setattr(projection, "COVARIANCE_UP_TO", 0 if subspace else 1000)
    X = wide()
    X[np.abs(X) < 3] = 0  # sparse enough to stay sparse
    rows = prepare(form(X), "euclidean")
    found = principal_axes(rows, 3)(rows).values
    expected = PCA(3, svd_solver="full").fit_transform(X)
    similarity = np.abs((found * expected).sum(axis=0)) / np.linalg.norm(expected, axis=0) ** 2
    np.testing.assert_allclose(similarity, 1, atol=1e-3)


def test_a_map_of_reduced_vectors_places_new_ones() -> None:
    X = wide()
    model = mrsne.MRSNE(n_pca=8, perplexity=10, random_state=0).fit(X)
    whole = mrsne.MRSNE(perplexity=10, random_state=0).fit(X)
    assert model.kl_divergence_ == pytest.approx(whole.kl_divergence_, rel=0.05)
    np.testing.assert_array_equal(model.transform(X[:5]), model.embedding_[:5])


def test_narrow_domains_stay_as_they_are() -> None:
    data = mrsne.RelationalData({"photo": wide(), "tag": clusters(60, dimension=4)})
    P = mrsne.joint_affinities(data, perplexity=5, n_pca=8)
    same = mrsne.joint_affinities(data, perplexity=5, n_pca={"photo": 8})
    np.testing.assert_array_equal(P.data, same.data)
    with pytest.raises(ValueError, match="n_pca names the domain 'image', but the domains are 'photo', 'tag'"):
        mrsne.joint_affinities(data, perplexity=5, n_pca={"image": 8})
