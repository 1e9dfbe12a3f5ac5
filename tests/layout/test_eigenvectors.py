from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import kneighbors_graph

import mrsne
from mrsne.backends.cpu.matrix import CpuMatrix
from mrsne.layout.start import leading_eigenvectors, spectral_layout
from mrsne.threads import threads
from tests.conftest import clusters


@given(st.integers(1, 60), st.floats(0, 0.1), st.integers(0, 1000))
def test_a_walk_finds_the_components(n: int, density: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    A = np.triu(random.random((n, n)) < density, 1)
    P = sparse.csr_matrix((A + A.T).astype(np.float32))
    order, starts = CpuMatrix(P).components()
    assert sorted(order) == list(range(n))
    count, label = connected_components(P, directed=False)
    assert len(starts) == count + 1
    for first, last in pairwise(starts):
        assert len(set(label[order[first:last]])) == 1


def rayleigh_quotients(P: sparse.csr_matrix, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    degree = np.asarray(P.sum(axis=1), dtype=np.float64).ravel()
    centred = vectors - degree @ vectors / degree.sum()
    return np.asarray(np.sum(centred * (P @ centred), axis=0) / (degree @ centred**2))


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_they_are_eigenvectors(count: int) -> None:
    """Of two components at once: each has its own."""
    parts = [mrsne.joint_affinities(mrsne.RelationalData({"a": clusters(n, dimension=3, seed=n)})) for n in (900, 400)]
    whole = sparse.csr_matrix(sparse.block_diag(parts, format="csr", dtype=np.float32))
    order, starts = CpuMatrix(whole).components()
    assert len(starts) == 3
    vectors = np.empty((1300, count))
    with threads(1):
        operator = CpuMatrix(whole).operator(order, starts)
        vectors[order] = leading_eigenvectors(operator, 1300, count, np.random.RandomState(0))
    for P, found in zip(parts, np.split(vectors, [900]), strict=True):
        root = np.sqrt(np.asarray(P.sum(axis=1), dtype=np.float64).ravel())
        values = np.linalg.eigvalsh(P.toarray() / root[:, None] / root)[::-1]
        np.testing.assert_allclose(rayleigh_quotients(P, found), values[1 : count + 1], atol=0.01)


def neighbor_graph(n: int, dimension: int, seed: int) -> sparse.csr_matrix:
    graph = kneighbors_graph(np.random.default_rng(seed).normal(size=(n, dimension)), 30)
    P = sparse.csr_matrix(graph + graph.T)
    return sparse.csr_matrix(P / P.sum(), dtype=np.float32)


def test_small_eigenvalues_are_found_beside_the_largest() -> None:
    """In a cloud of many dimensions all are far below 1, whose vector the filter makes by far the largest part."""
    found, exact = [], []
    for seed in range(3):
        P = neighbor_graph(300, 60, seed)
        with threads(1):
            operator = CpuMatrix(P).operator(np.arange(300), np.array([0, 300]))
            vectors = leading_eigenvectors(operator, 300, 2, np.random.RandomState(seed))
        root = np.sqrt(np.asarray(P.sum(axis=1), dtype=np.float64).ravel())
        found.append(rayleigh_quotients(P, vectors)[1])
        exact.append(np.linalg.eigvalsh(P.toarray() / root[:, None] / root)[-3])
    assert np.mean(found) > 0.97 * np.mean(exact)


def test_a_star_beside_a_ring_does_not_spoil_it() -> None:
    """Nothing is left of a star's vectors beside the first, and that must not make numbers of others infinite."""
    n, leaves = 2_000, 400
    ring = sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[1, -1], shape=(n, n)).tolil()
    ring[0, n - 1] = ring[n - 1, 0] = 1
    star = sparse.lil_matrix((leaves + 1, leaves + 1))
    star[0, 1:] = star[1:, 0] = 1
    P = sparse.csr_matrix(sparse.block_diag([ring, star]), dtype=np.float32)
    Y = spectral_layout(CpuMatrix(P), 2, np.random.RandomState(0), 1.0)
    assert np.isfinite(Y).all()
    around = Y[:n] - Y[:n].mean(axis=0)
    steps = np.linalg.norm(np.diff(around, axis=0), axis=1)
    assert np.median(steps) < 0.1 * np.linalg.norm(around, axis=1).mean()


def test_the_start_does_not_depend_on_the_number_of_threads() -> None:
    data = mrsne.RelationalData({"photo": clusters(3000)})
    runs = [mrsne.MRSNE(max_iter=1, random_state=0, n_jobs=n_jobs).fit(data).embedding_.stacked for n_jobs in (1, 2)]
    np.testing.assert_array_equal(*runs)
