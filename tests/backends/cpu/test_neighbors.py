from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.spatial.distance import cdist

from mrsne.backends.cpu.search.duplicates import distinct_places
from mrsne.backends.rows import prepare
from tests.conftest import clusters
from tests.search import nearest_neighbors, nearest_to


@pytest.mark.parametrize("shift", [0, 1e3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_exact_search_finds_the_nearest(shift: float, dtype: Any) -> None:
    """Far from the origin too, where products of vectors lose all digits of a small distance."""
    X = (clusters(700).astype(np.float64) + shift).astype(dtype)
    indices, squared, recall, _ = nearest_neighbors(X, 20)
    assert recall == 1
    distances = cdist(X.astype(np.float64), X.astype(np.float64), "sqeuclidean")
    np.fill_diagonal(distances, np.inf)
    expected = np.sort(distances, axis=1)[:, :20]
    np.testing.assert_allclose(squared, expected, rtol=1e-9)
    np.testing.assert_allclose(np.take_along_axis(distances, indices, axis=1), squared, rtol=1e-9)


def test_approximate_search_finds_nearly_all() -> None:
    X = clusters(25_000)
    near = nearest_neighbors(X, 30)[0]
    exact = nearest_neighbors(X, 30, exactly=True)[0]
    recall = np.mean(
        [len(set(a) & set(b)) / 30 for a, b in zip(near[::50].tolist(), exact[::50].tolist(), strict=True)]
    )
    assert recall > 0.95


def test_neighbours_on_a_line() -> None:
    line = np.array([[0.0], [1.0], [3.0]])
    found = nearest_neighbors(line, 1)
    assert (found.indices.tolist(), found.squared.tolist()) == ([[1], [0], [1]], [[1], [1], [4]])
    found = nearest_to(np.array([[2.5]]), line, 2)
    assert (found.indices.tolist(), found.squared.tolist()) == ([[2, 1]], [[0.25, 2.25]])


def test_queries_see_every_row() -> None:
    X = clusters(300)
    indices, squared, *_ = nearest_to(X[[7]], X, 3)
    assert indices[0, 0] == 7
    assert squared[0, 0] == 0


@settings(max_examples=60, deadline=None)
@given(
    arrays.arrays(np.float64, st.tuples(st.integers(2, 30), st.integers(1, 3)), elements=st.integers(0, 2).map(float))
)
def test_duplicates_take_turns(X: Any) -> None:
    """On a small lattice almost every row has twins: still k distinct others, at the right distances."""
    n = len(X)
    for k in {1, n // 2, n - 1} - {0}:
        indices, squared, *_ = nearest_neighbors(X, k)
        distances = cdist(X, X, "sqeuclidean")
        np.testing.assert_allclose(np.take_along_axis(distances, indices, axis=1), squared, atol=1e-12)
        np.fill_diagonal(distances, np.inf)
        np.testing.assert_allclose(squared, np.sort(distances, axis=1)[:, :k], atol=1e-12)
        for i, row in enumerate(indices.tolist()):
            assert len(set(row)) == k
            assert i not in row


def test_no_twin_is_everybodys_neighbour() -> None:
    indices = nearest_neighbors(np.zeros((500, 2)), 20).indices
    popularity = np.bincount(indices.ravel(), minlength=500)
    assert popularity.max() == popularity.min() == 20


def test_binary_rows_are_told_apart() -> None:
    """Small whole numbers in double precision differ in a few high bits only."""
    X = (np.random.default_rng(0).random((3000, 20)) < 0.5).astype(np.float64)
    assert len(distinct_places(prepare(X, "euclidean")).first) == len(np.unique(X, axis=0))
    twice = np.repeat(X[:2], 3000, axis=0)[np.random.default_rng(1).permutation(6000)]
    assert len(distinct_places(prepare(twice, "euclidean")).first) == 2


@settings(max_examples=60, deadline=None)
@given(
    arrays.arrays(np.float32, st.tuples(st.integers(1, 40), st.integers(1, 3)), elements=st.integers(0, 2).map(float))
)
def test_places_are_the_distinct_rows(X: Any) -> None:
    places = distinct_places(prepare(X, "euclidean"))
    np.testing.assert_array_equal(X[places.first][places.place], X)
    assert len(places.first) == len(np.unique(X, axis=0))
    assert (np.diff(places.first) > 0).all()
    for place in range(len(places.first)):
        members = places.members[places.starts[place] : places.starts[place + 1]]
        np.testing.assert_array_equal(members, np.flatnonzero(places.place == place))
