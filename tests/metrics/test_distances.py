"""Distances by vector, and candidates in the order of their distances, with ties as groups."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mrsne.metrics.distances import Order, exact_distances, quick_distances


@given(st.integers(0, 10_000))
def test_the_first_places_of_an_order_are_those_of_the_whole(seed: int) -> None:
    random = np.random.default_rng(seed)
    distances = random.integers(0, random.integers(1, 12), (5, 30)).astype(float)
    values = random.random((5, 30)) < 0.3
    whole, part = Order(distances), Order(distances, 6)
    np.testing.assert_array_equal(whole.first[:, :6], part.first[:, :6])
    np.testing.assert_array_equal(whole.size[:, :6], part.size[:, :6])
    np.testing.assert_array_equal(whole.sum_of_group(values)[:, :6], part.sum_of_group(values)[:, :6])


def test_distances_by_products_have_the_order_of_exact_ones_and_keep_ties() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 50)) + 100
    X[30:] = X[:30]  # every vector twice
    items = np.arange(60)
    quick, exact = quick_distances(X.copy())(items), exact_distances(X)(items)
    assert (quick[:, :30] == quick[:, 30:]).all()
    assert (quick[items, (items + 30) % 60] == 0).all()
    np.testing.assert_array_equal(np.argsort(quick[:, :30], axis=1), np.argsort(exact[:, :30], axis=1))
    far = X.copy()
    far[0] = 1e150
    assert np.isfinite(quick_distances(far)(items)).all()
