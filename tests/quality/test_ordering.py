"""Candidates in the order of their distances, with ties as groups."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mrsne.quality.ordering import Order


@given(st.integers(0, 10_000))
def test_the_first_places_of_an_order_are_those_of_the_whole(seed: int) -> None:
    random = np.random.default_rng(seed)
    distances = random.integers(0, random.integers(1, 12), (5, 30)).astype(float)
    values = random.random((5, 30)) < 0.3
    whole, part = Order(distances), Order(distances, 6)
    np.testing.assert_array_equal(whole.first[:, :6], part.first[:, :6])
    np.testing.assert_array_equal(whole.size[:, :6], part.size[:, :6])
    np.testing.assert_array_equal(whole.sum_of_group(values)[:, :6], part.sum_of_group(values)[:, :6])
