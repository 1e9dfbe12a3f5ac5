from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import pdist

import mrsne
from mrsne.backends.cpu.matrix import CpuMatrix
from mrsne.layout.start import pack_discs, spectral_layout
from tests.conftest import clusters


def ring(n: int, reach: int = 1) -> sparse.csr_matrix:
    """Items on a circle, each linked to the next few."""
    step = np.arange(n)
    edges = [
        sparse.csr_matrix((np.ones(n, np.float32), (step, (step + r) % n)), shape=(n, n)) for r in range(1, reach + 1)
    ]
    return sparse.csr_matrix(sum(edge + edge.T for edge in edges))


@pytest.mark.parametrize(("n", "reach"), [(60, 1), (400, 20)])
def test_a_ring_starts_as_a_circle(n: int, reach: int) -> None:
    """Its leading eigenvectors are sine and cosine; small graphs are solved directly, larger ones by iteration."""
    Y = spectral_layout(CpuMatrix(ring(n, reach)), 2, np.random.RandomState(0)).astype(np.float64)
    radius = np.linalg.norm(Y, axis=1)
    assert radius.std() < 0.1 * radius.mean()
    turn = np.unwrap(np.arctan2(Y[:, 1], Y[:, 0]))
    assert abs(abs(turn[-1] - turn[0]) - 2 * np.pi) < 0.2


def test_a_start_is_small_and_centred() -> None:
    P = mrsne.joint_affinities(mrsne.RelationalData({"photo": clusters(500)}))
    for n_components in (1, 2, 3, 4):
        Y = spectral_layout(CpuMatrix(P), n_components, np.random.RandomState(0))
        assert Y.shape == (500, n_components)
        assert np.abs(Y.mean(axis=0)).max() < 1e-6
        assert Y.std(axis=0).max() == pytest.approx(1e-4, rel=1e-4)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_components_are_placed_apart(n_components: int) -> None:
    P = sparse.block_diag(
        [ring(300), ring(40), ring(7)] + [ring(3)] * 20 + [[[0.0]]] * 50, format="csr", dtype=np.float32
    )
    label = np.repeat(np.arange(73), [300, 40, 7] + [3] * 20 + [1] * 50)
    Y = spectral_layout(CpuMatrix(P), n_components, np.random.RandomState(0)).astype(np.float64)
    assert np.isfinite(Y).all()
    centres = np.stack([Y[label == c].mean(axis=0) for c in range(73)])
    reach = np.array([np.linalg.norm(Y[label == c] - centres[c], axis=1).max() for c in range(73)])
    for a in range(1, 73):
        assert np.linalg.norm(centres[a] - centres[0]) > reach[a] + 0.9 * reach[0]
    assert pdist(centres).min() > 0


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=60), st.integers(1, 3))
def test_discs_do_not_overlap(radii: list[float], n_components: int) -> None:
    sizes = np.sort(radii)[::-1].copy()
    centres = pack_discs(sizes, n_components)
    touching = (sizes[:, None] + sizes)[np.triu_indices(len(sizes), 1)]
    assert (pdist(centres) >= touching * (1 - 1e-9)).all()


def complete(n: int) -> sparse.csr_matrix:
    """All items linked to all others."""
    return sparse.csr_matrix(np.ones((n, n), np.float32) - np.eye(n, dtype=np.float32))


def star(n: int) -> sparse.csr_matrix:
    """All items linked to the first."""
    arms = np.zeros((n, n), np.float32)
    arms[0, 1:] = arms[1:, 0] = 1
    return sparse.csr_matrix(arms)


def alike(n: int, weight: float) -> sparse.csr_matrix:
    """Items that are all alike, and a last one that all are linked to."""
    P = np.ones((n, n), np.float32) - np.eye(n, dtype=np.float32)
    P[-1, :-1] = P[:-1, -1] = weight
    return sparse.csr_matrix(P)


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.builds(complete, st.integers(2, 60)),
        st.builds(star, st.integers(2, 60)),
        st.builds(ring, st.integers(3, 60)),
        st.builds(alike, st.integers(2, 60), st.sampled_from([1e-30, 1e-3, 0.25, 0.5, 2.0, 14.0, 18.0, 45.0, 1e30])),
    ),
    st.integers(1, 6),
)
def test_items_that_are_all_alike_have_a_start(P: sparse.csr_matrix, n_components: int) -> None:
    """Their graphs have one eigenvalue many times over, of which solvers for some eigenvectors lose a few."""
    Y = spectral_layout(CpuMatrix(P), n_components, np.random.RandomState(0))
    assert Y.shape == (P.shape[0], n_components)
    assert np.isfinite(Y).all()
    assert (Y.std(axis=0) > 0).all()


@pytest.mark.parametrize(("size", "weights"), [(14, 0.5), (18, "size"), (45, "size")])
@pytest.mark.parametrize("n_components", [1, 2, 3, 4, 5, 6])
def test_identical_items_with_one_tag_have_a_map(size: int, weights: float | str, n_components: int) -> None:
    data = mrsne.RelationalData({"photo": np.ones((size, 3)), "tag": 1}, {("photo", "tag"): np.ones((size, 1))})
    model = mrsne.MRSNE(n_components, weights=weights, perplexity=4, max_iter=20, random_state=0)
    assert np.isfinite(model.fit_transform(data).stacked).all()


def test_fourteen_items_at_the_same_distance_have_a_map_on_a_line() -> None:
    with pytest.warns(UserWarning, match="perplexity is lowered"):
        Y = mrsne.MRSNE(1, max_iter=20, random_state=0).fit_transform(np.eye(14))
    assert Y.shape == (14, 1)
    assert np.isfinite(Y).all()
