from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import mrsne
from mrsne.backends.cpu.probabilities import neighbor_probabilities, symmetrized
from tests.conftest import clusters
from tests.search import nearest_neighbors


def test_rows_have_the_perplexity() -> None:
    p = neighbor_probabilities(np.array([[1.0, 2.0, 3.0]]), perplexity=2.0)
    assert 2 ** -(p * np.log2(p)).sum() == pytest.approx(2, rel=1e-6)


@given(st.integers(2, 40), st.integers(0, 1000))
def test_it_is_the_mean_with_the_transpose(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    k = int(random.integers(1, n))
    indices = np.stack([random.permutation(np.delete(np.arange(n), i))[:k] for i in range(n)]).astype(np.int32)
    p = random.random((n, k)).astype(np.float32)
    dense = np.zeros((n, n))
    np.put_along_axis(dense, indices.astype(np.int64), p, axis=1)
    P = symmetrized(indices, p, random.permutation(n))
    np.testing.assert_allclose(P.toarray(), (dense + dense.T) / (2 * n), rtol=1e-6)
    assert (P != P.T).nnz == 0
    fresh = sparse.csr_matrix((P.data, P.indices, P.indptr), shape=P.shape)
    assert fresh.has_canonical_format


def test_uniform_neighbours_weigh_the_same() -> None:
    """As many as the perplexity, one k-th each; in a pair that is mutual, twice that."""
    data = mrsne.RelationalData({"photo": clusters(2000)})
    P = mrsne.joint_affinities(data, perplexity=10.2, affinity="uniform")
    ratio = P.data * (2 * 2000 * 10)
    assert set(np.round(ratio, 5)) == {1.0, 2.0}
    assert P.sum() == pytest.approx(1, abs=1e-6)
    assert np.diff(P.indptr).min() >= 10
    assert P.nnz < 0.5 * mrsne.joint_affinities(data, perplexity=10.2).nnz


def test_a_uniform_map_is_a_good_map() -> None:
    X = clusters(1500, dimension=10)
    uniform = mrsne.MRSNE(perplexity=15, affinity="uniform", random_state=0).fit_transform(X)
    near = nearest_neighbors(uniform, 10).indices
    true = nearest_neighbors(X, 10).indices
    kept = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(near.tolist(), true.tolist(), strict=True)])
    assert kept > 0.25
