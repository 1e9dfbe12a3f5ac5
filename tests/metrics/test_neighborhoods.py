"""How well neighbourhoods of the vectors are kept."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.manifold import trustworthiness as sklearn_trustworthiness

from mrsne import Embedding, RelationalData, metrics
from tests.metrics import brute_force


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
