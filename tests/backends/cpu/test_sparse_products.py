"""Products that are added to dense blocks, and the largest numbers of each row, beside numpy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mrsne.backends.cpu.sparse_products import TILE, add_dense, add_sparse, largest, packed
from mrsne.threads import threads


@pytest.mark.parametrize("columns", [1, TILE - 1, TILE, 2 * TILE + 5])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_products_are_added_to_what_is_there(columns: int, n_jobs: int) -> None:
    random = np.random.default_rng(columns)
    A = sparse.csr_matrix(random.random((70, 30)) * (random.random((70, 30)) < 0.2), dtype=np.float32)
    B = (random.normal(size=(30, columns)) * (random.random((30, columns)) < 0.3)).astype(np.float32)
    dense, few = (np.ones((70, columns), np.float32) for _ in range(2))
    with threads(n_jobs):
        add_dense(A, packed(B), dense)
        add_sparse(A, sparse.csr_matrix(B), 0.5, few)
    product = A.toarray().astype(float) @ B.astype(float)
    np.testing.assert_allclose(dense, 1 + product, rtol=0, atol=1e-5)
    np.testing.assert_allclose(few, 1 + product / 2, rtol=0, atol=1e-5)


def test_the_largest_are_in_order_and_equal_ones_as_they_come() -> None:
    scores = np.round(np.random.default_rng(0).normal(size=(50, 20)), 1).astype(np.float32)
    places, values = largest(scores, 7)
    for row, own, numbers in zip(scores, places, values, strict=True):
        positive = [j for j in np.argsort(-row, kind="stable") if row[j] > 0][:7]
        assert own.tolist() == positive + [-1] * (7 - len(positive))
        assert numbers.tolist() == row[positive].tolist() + [0] * (7 - len(positive))
