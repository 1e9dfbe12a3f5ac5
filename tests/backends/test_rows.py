"""Vectors as the search reads them."""

from __future__ import annotations

import numpy as np

from mrsne.backends.rows import number, prepare


def test_cosine_makes_rows_as_long_as_one_and_leaves_zeros() -> None:
    rows = prepare(np.array([[3.0, 4.0], [0.0, 0.0]]), "cosine")
    np.testing.assert_allclose(rows.block(slice(None)), np.array([[0.6, 0.8], [0, 0]]))


def test_numbers_are_read_from_the_bits_of_half_precision() -> None:
    assert (number(np.float32(0.5)), number(np.float16(-2).view(np.uint16))) == (0.5, -2.0)
