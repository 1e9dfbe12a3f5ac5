"""The grid's size and the spline's weights."""

from __future__ import annotations

import numpy as np

from mrsne.backends.grid import choose_grid, weight_polynomials


def test_a_grid_is_as_wide_as_the_map_and_doubled() -> None:
    assert choose_grid(np.array([100.0, 50.0]), step=0.5) == (0.5, (450, 240), False)


def test_the_weights_of_a_spline_add_up_to_one() -> None:
    np.testing.assert_allclose(weight_polynomials().sum(axis=1), [1, 0, 0, 0, 0, 0], atol=1e-12)
