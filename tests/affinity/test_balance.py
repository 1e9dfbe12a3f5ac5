from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from mrsne.affinity import balance as module
from mrsne.affinity.balance import balance


@settings(max_examples=50, deadline=None)
@given(st.integers(3, 40), st.integers(0, 10_000))
def test_every_item_gets_the_same_mass(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    A = random.random((n, n)) ** 6 + 1e-3
    np.fill_diagonal(A, 0)
    P = balance(sparse.csr_matrix((A + A.T).astype(np.float32)))
    np.testing.assert_allclose(P.sum(axis=1), np.full((n, 1), 1 / n), rtol=1e-6)
    assert (P != P.T).nnz == 0


def test_masses_of_very_different_size() -> None:
    random = np.random.default_rng(0)
    size = np.logspace(-4, 4, 30)
    A = np.outer(size, size) * (1 + random.random((30, 30)))
    np.fill_diagonal(A, 0)
    P = balance(sparse.csr_matrix((A + A.T).astype(np.float32)))
    np.testing.assert_allclose(P.sum(axis=1), np.full((30, 1), 1 / 30), rtol=1e-6)


def test_items_without_mass_stay_without() -> None:
    A = np.zeros((5, 5))
    A[:3, :3] = [[0, 1, 4], [1, 0, 2], [4, 2, 0]]
    P = balance(sparse.csr_matrix(A.astype(np.float32)))
    np.testing.assert_allclose(P.sum(axis=1).ravel(), [[1 / 3, 1 / 3, 1 / 3, 0, 0]], rtol=1e-6)


def test_what_cannot_be_balanced_is_said_and_stays_finite() -> None:
    """Forty leaves around one hub: it carries half of everything, whatever the scaling."""
    star = np.zeros((41, 41))
    star[0, 1:] = star[1:, 0] = 1
    with pytest.warns(UserWarning, match="cannot give every item the same mass on these links: masses are between"):
        P = balance(sparse.csr_matrix(star.astype(np.float32)))
    assert np.isfinite(P.data).all()
    assert abs(P.sum() - 1) < 1e-6


def counted_passes(P: sparse.csr_matrix, monkeypatch: pytest.MonkeyPatch) -> int:
    passes = 0
    times = module._times

    def counting(matrix: sparse.csr_matrix, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        nonlocal passes
        passes += 1
        return times(matrix, vector)

    monkeypatch.setattr(module, "_times", counting)
    balance(P)
    return passes


def test_a_graph_that_cannot_be_balanced_is_recognised_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures with tags of which half are used once: such a tag has all its mass from one picture."""
    random = np.random.default_rng(0)
    often, once = random.random((300, 40)) < 0.1, np.eye(300)[random.integers(0, 300, 400)].T
    W = np.concatenate([often, once], axis=1)
    P = sparse.bmat([[None, sparse.csr_matrix(W)], [sparse.csr_matrix(W.T), None]], format="csr", dtype=np.float32)
    with pytest.warns(UserWarning, match="cannot give every item the same mass"):
        assert counted_passes(P, monkeypatch) <= 150


def test_it_takes_fewer_passes_than_a_run_has_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    """A path is bipartite, and its ends weigh less than its middle: the slowest of small graphs."""
    n = 400
    chain = sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1], format="csr", dtype=np.float32)
    chain[0, 1] = chain[1, 0] = 1e-3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert counted_passes(sparse.csr_matrix(chain), monkeypatch) <= 750
