"""Orders of rows: the same as numpy's, for any number of threads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from mrsne.backends.components import LONGEST_RUN
from mrsne.backends.cpu import radix
from mrsne.backends.cpu.forces.locality import reordered, rows_in_order, spatial_order
from mrsne.backends.cpu.matrix.matrix import CpuMatrix
from mrsne.backends.cpu.matrix.runs import Runs
from mrsne.backends.cpu.radix import stable_order
from mrsne.threads import threads


@pytest.fixture(autouse=True, scope="module")
def few_are_many() -> Iterator[None]:
    """Sort few keys as many are sorted."""
    before, radix.WORTH_FROM = radix.WORTH_FROM, 0
    yield
    radix.WORTH_FROM = before


@given(st.integers(1, 400), st.integers(0, 2**32 - 1), st.integers(0, 1000))
def test_keys_are_sorted_as_by_numpy(n: int, largest: int, seed: int) -> None:
    keys = np.random.default_rng(seed).integers(0, largest, n, dtype=np.uint32, endpoint=True)
    np.testing.assert_array_equal(stable_order(keys), np.argsort(keys, kind="stable"))


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 7, 16])
def test_many_keys_are_sorted_by_any_number_of_threads(n_jobs: int) -> None:
    keys = np.random.default_rng(0).integers(0, 5_000, 100_000, dtype=np.uint32)
    with threads(n_jobs):
        np.testing.assert_array_equal(stable_order(keys), np.argsort(keys, kind="stable"))


@pytest.mark.parametrize("K", [1, 2, 3])
def test_rows_near_each_other_in_their_order_are_near_on_the_map(K: int) -> None:
    Y = np.random.default_rng(0).normal(0, 10, (20_000, K)).astype(np.float32)
    order = spatial_order(Y)
    assert sorted(order) == list(range(len(Y)))
    along = rows_in_order(Y, order)
    np.testing.assert_array_equal(along, Y[order])
    steps = np.linalg.norm(np.diff(along[:, :2], axis=0), axis=1)
    assert np.median(steps) < 0.05 * np.median(np.linalg.norm(np.diff(Y[:, :2], axis=0), axis=1))


@pytest.mark.parametrize(
    "Y", [np.zeros((50, 2)), np.array([[0.0, 0.0], [1e-30, 0.0]]), np.array([[-1e14, 0], [1e14, 1]])]
)
def test_maps_of_any_width_have_an_order(Y: np.ndarray) -> None:
    assert sorted(spatial_order(Y.astype(np.float32))) == list(range(len(Y)))


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
    entries = reordered(P, np.array([1, 0]))
    rows = np.split(entries.values, entries.indptr[1:-1])
    assert [row.tolist() for row in rows] == [[1], [1, 0]]
    assert entries.indices.max() < 2


@pytest.mark.parametrize("sizes", [[5], [1, 2, 3], [LONGEST_RUN - 1, LONGEST_RUN, LONGEST_RUN + 1, 7]])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_sums_and_products_are_those_of_each_component(sizes: list[int], n_jobs: int) -> None:
    starts = np.cumsum([0, *sizes])
    random = np.random.default_rng(0)
    X, Z = random.normal(size=(2, starts[-1], 4)).astype(np.float32)
    tables = random.normal(size=(len(sizes), 4, 3))
    runs = Runs(starts)
    with threads(n_jobs):
        products, moved = runs.products(X, Z), runs.transformed(X, tables)
    for number, rows in enumerate(map(slice, starts[:-1], starts[1:])):
        expected = X[rows].astype(np.float64).T @ Z[rows].astype(np.float64)
        np.testing.assert_allclose(products[number], expected, rtol=1e-12, atol=1e-9)
        np.testing.assert_allclose(moved[rows], X[rows] @ tables[number], rtol=1e-5, atol=1e-5)
