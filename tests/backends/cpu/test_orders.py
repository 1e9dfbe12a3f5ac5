"""Orders of rows: those of numpy's stable sort, and along the map."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrsne.backends.cpu.orders import spatial_order, stable_order


@given(st.integers(1, 400), st.integers(0, 2**32 - 1), st.integers(0, 1000))
def test_keys_are_sorted_as_by_numpy(n: int, largest: int, seed: int) -> None:
    keys = np.random.default_rng(seed).integers(0, largest, n, dtype=np.uint32, endpoint=True)
    np.testing.assert_array_equal(stable_order(keys), np.argsort(keys, kind="stable"))


def test_rows_are_ordered_along_a_curve() -> None:
    assert spatial_order(np.array([[0, 0], [9, 9], [0, 1], [9, 8]], np.float32)).tolist() == [0, 2, 3, 1]


@pytest.mark.parametrize("K", [1, 2, 3])
def test_rows_near_each_other_in_their_order_are_near_on_the_map(K: int) -> None:
    Y = np.random.default_rng(0).normal(0, 10, (20_000, K)).astype(np.float32)
    order = spatial_order(Y)
    assert sorted(order) == list(range(len(Y)))
    steps = np.linalg.norm(np.diff(Y[order][:, :2], axis=0), axis=1)
    assert np.median(steps) < 0.05 * np.median(np.linalg.norm(np.diff(Y[:, :2], axis=0), axis=1))


@pytest.mark.parametrize(
    "Y", [np.zeros((50, 2)), np.array([[0.0, 0.0], [1e-30, 0.0]]), np.array([[-1e14, 0], [1e14, 1]])]
)
def test_maps_of_any_width_have_an_order(Y: np.ndarray) -> None:
    assert sorted(spatial_order(Y.astype(np.float32))) == list(range(len(Y)))
