"""P̃ in memory: the graph of some items, and what is computed for each of its components."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mrsne.backends.components import LONGEST_RUN, cut_into_runs
from mrsne.backends.cpu.attraction import Entries
from mrsne.backends.cpu.matrix import CpuMatrix
from mrsne.backends.cpu.operator import HostOperator
from mrsne.threads import threads


def test_the_graph_of_some_items_is_the_one_of_scipy() -> None:
    random = np.random.default_rng(0)
    P = sparse.random(300, 300, 0.05, "csr", np.float32, random_state=random)
    P = sparse.csr_matrix(P + P.T)
    for items in (np.arange(300), np.sort(random.choice(300, 120, replace=False)), random.permutation(300)[:77]):
        found = CpuMatrix(P).subgraph(items)
        np.testing.assert_array_equal(found.toarray(), P[items][:, items].toarray())
        assert found.nnz == P[items][:, items].nnz
        looked_at = sparse.csr_matrix((found.data, found.indices, found.indptr))
        assert looked_at.has_canonical_format or not found.has_sorted_indices


def test_entries_in_columns_that_are_left_out_become_zero() -> None:
    P = sparse.csr_matrix(np.array([[0, 1, 2], [1, 0, 0], [2, 0, 0]], np.float32))
    entries = Entries.of(P, np.array([1, 0]))
    rows = np.split(entries.values, entries.indptr[1:-1])
    assert [row.tolist() for row in rows] == [[1], [1, 0]]
    assert entries.indices.max() < 2


def test_a_walk_lists_the_items_of_a_component_and_then_the_next() -> None:
    P = sparse.csr_matrix(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], np.float32))
    order, starts = CpuMatrix(P).components()
    assert (order.tolist(), starts.tolist()) == ([0, 2, 1], [0, 2, 3])


def test_runs_end_where_a_component_ends() -> None:
    begins, ends, first = cut_into_runs(np.array([0, 3, 5]), 2)
    assert (begins.tolist(), ends.tolist(), first.tolist()) == ([0, 2, 3], [2, 3, 5], [0, 2])


class Unconnected(HostOperator):
    """Of items without links to others: degrees are 1."""

    def multiplied(self, coefficients: np.ndarray, X: np.ndarray, before: np.ndarray) -> np.ndarray:
        return np.ones_like(X)


@pytest.mark.parametrize("sizes", [[5], [1, 2, 3], [LONGEST_RUN - 1, LONGEST_RUN, LONGEST_RUN + 1, 7]])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_sums_and_products_are_those_of_each_component(sizes: list[int], n_jobs: int) -> None:
    starts = np.cumsum([0, *sizes])
    random = np.random.default_rng(0)
    X, Z = random.normal(size=(2, starts[-1], 4)).astype(np.float32)
    tables = random.normal(size=(len(sizes), 4, 3))
    operator = Unconnected(starts)
    with threads(n_jobs):
        products, moved, rest = operator.products(X, Z), operator.combined(X, tables), operator.deflated(X)
    for number, rows in enumerate(map(slice, starts[:-1], starts[1:])):
        expected = X[rows].astype(np.float64).T @ Z[rows].astype(np.float64)
        np.testing.assert_allclose(products[number], expected, rtol=1e-12, atol=1e-9)
        np.testing.assert_allclose(moved[rows], X[rows] @ tables[number], rtol=1e-5, atol=1e-5)
        if sizes[number] > 1:
            np.testing.assert_allclose(rest[rows].sum(axis=0), 0, atol=1e-4)  # the known eigenvector is constant here
            np.testing.assert_allclose(np.linalg.norm(rest[rows], axis=0), 1, rtol=1e-5)
