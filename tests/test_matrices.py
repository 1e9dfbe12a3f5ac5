"""Passes over sparse matrices: against scipy and numpy, and for the same bits on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mrsne.matrices import equal_parts, is_symmetric, matrix_of, multiply, scaled, total_and_entropy
from mrsne.threads import threads


@pytest.fixture
def graph() -> sparse.csr_matrix:
    A = sparse.random(500, 500, 0.02, "csr", np.float32, random_state=0)
    return sparse.csr_matrix(A + A.T)


def test_rows_are_cut_into_parts_of_as_many_entries() -> None:
    assert equal_parts(np.array([0, 6, 7, 8, 12]), 2).tolist() == [0, 1, 4]


def test_a_matrix_is_made_over_arrays_without_a_copy() -> None:
    indices, values = np.array([2], np.int32), np.array([5.0])
    matrix = matrix_of(np.array([0, 1]), indices, values, 3)
    assert matrix.toarray().tolist() == [[0, 0, 5]]
    assert matrix.indices is indices
    assert matrix.data is values
    assert matrix.indptr.dtype == np.int32


def test_products_are_those_of_double_precision_on_any_number_of_threads(graph: sparse.csr_matrix) -> None:
    X = np.random.default_rng(0).random((500, 3))
    results = []
    for count in (1, 3):
        with threads(count):
            results.append(multiply(graph, X))
    np.testing.assert_allclose(results[0], graph.astype(np.float64) @ X, rtol=1e-13)  # of some 20 sums, each 1.1e-16
    np.testing.assert_array_equal(results[0], results[1])


def test_scaling_keeps_a_matrix_symmetric_to_the_bit(graph: sparse.csr_matrix) -> None:
    scale = np.random.default_rng(0).random(500)
    D = sparse.diags_array(scale)
    np.testing.assert_allclose(scaled(graph, scale).toarray(), (D @ graph @ D).toarray(), rtol=1e-6)
    assert (scaled(graph, scale) != scaled(graph, scale).T).nnz == 0


def test_a_small_asymmetry_is_seen(graph: sparse.csr_matrix) -> None:
    assert is_symmetric(graph, 1e-6)
    graph.data[7] *= 1.001
    assert not is_symmetric(graph, 1e-6)


def test_sums_and_entropies_leave_zeros_out() -> None:
    assert total_and_entropy(np.array([0.5, 0, 0.5], np.float32)) == (1, -np.log(2))
