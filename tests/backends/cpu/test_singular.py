"""Singular vectors of sparse matrices, beside those of numpy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import sparse

from mrsne.backends.cpu.link_vectors import singular_vectors as by_the_processor
from mrsne.backends.gpu.relations import singular_vectors as by_torch
from mrsne.threads import threads

SingularVectors = Callable[[sparse.csr_matrix, int], np.ndarray]


def by_torch_here(A: sparse.csr_matrix, width: int) -> np.ndarray:
    return by_torch(A, width, "cpu")


ENGINES = [pytest.param(by_the_processor, id="processor"), pytest.param(by_torch_here, id="torch")]


def clustered_links(n: int, m: int, rank: int, seed: int = 0) -> sparse.csr_matrix:
    """Links of items in groups, each to some things of its group: the first singular values stand out."""
    random = np.random.default_rng(seed)
    group, thing = random.integers(0, rank, n), random.integers(0, rank, m)
    W = (group[:, None] == thing) & (random.random((n, m)) < 0.9)
    return sparse.csr_matrix(W * (1 + group / rank)[:, None])


@pytest.mark.parametrize("singular_vectors", ENGINES)
@pytest.mark.parametrize("shape", [(300, 80), (80, 300)])
def test_the_first_ones_are_those_of_numpy(singular_vectors: SingularVectors, shape: tuple[int, int]) -> None:
    A = clustered_links(*shape, rank=8)
    found = singular_vectors(A, 8).astype(np.float64)
    U, S, _ = np.linalg.svd(A.toarray(), full_matrices=False)
    np.testing.assert_allclose(np.linalg.norm(found, axis=0), S[:8], rtol=1e-4)
    exact = U[:, :8] * S[:8]
    assert (S[18] / S[7]) ** 10 < 1e-4  # what five passes leave of all others
    np.testing.assert_allclose(found @ found.T, exact @ exact.T, atol=1e-3 * S[0] ** 2)


@pytest.mark.parametrize("singular_vectors", ENGINES)
@pytest.mark.parametrize("transposed", [False, True])
def test_a_matrix_of_low_rank_has_no_more_vectors_than_that(
    singular_vectors: SingularVectors, transposed: bool
) -> None:
    A = sparse.csr_matrix(np.eye(4)[np.arange(200) % 4] @ np.random.default_rng(0).random((4, 50)))
    found = singular_vectors(A.T.tocsr() if transposed else A, 10)
    lengths = np.linalg.norm(found, axis=0)
    np.testing.assert_allclose(lengths[:4], np.linalg.svd(A.toarray())[1][:4], rtol=1e-4)
    assert np.isfinite(found).all()
    assert (lengths[4:] < 1e-3 * lengths[0]).all()


def test_items_with_the_same_links_have_the_same_vector_to_the_last_bit() -> None:
    A = clustered_links(500, 60, rank=5)
    found = by_the_processor(sparse.vstack([A, A[::-1]]).tocsr(), 20)
    assert np.array_equal(found[:500], found[500:][::-1])


@pytest.mark.parametrize("shape", [(5_000, 300), (300, 5_000)])
def test_the_bits_do_not_depend_on_the_threads(shape: tuple[int, int]) -> None:
    A = clustered_links(*shape, rank=30)
    results = []
    for count in (1, 2, 3, 7, 16):
        with threads(count):
            results.append(by_the_processor(A, 40))
    assert all(np.array_equal(results[0], other) for other in results[1:])


@pytest.mark.parametrize(("singular_vectors", "photos"), [(by_the_processor, 1_000_000), (by_torch_here, 1_000)])
def test_rare_links_are_told_apart_beside_one_that_all_others_have(
    singular_vectors: SingularVectors, photos: int
) -> None:
    """One tag of all photos, and 40 tags of five of them each: values of 1,000, however many photos, and of 2.2."""
    rare, each = 40, 5
    few = np.arange(rare * each)
    common = np.full(photos, 1_000 / photos**0.5)
    common[few] = 0.08
    rows, columns = np.concatenate([np.arange(photos), few]), np.concatenate([np.zeros(photos, int), 1 + few // each])
    A = sparse.csr_matrix((np.concatenate([common, np.ones(len(few))]), (rows, columns)))
    vectors = singular_vectors(A, 40).astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    different = ~np.eye(rare, dtype=bool)
    # of 41 vectors 40 are asked for: one combination of the rare tags is left out
    assert abs((vectors[few[::each]] @ vectors[few[::each]].T)[different].mean()) < 0.1
    assert np.abs(vectors[few] @ vectors[-1]).mean() < 0.2
