"""Affinities of any kind are brought into one form, or refused by name."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import mrsne
from mrsne.layout.inputs import check_affinities


@pytest.mark.parametrize(
    ("P", "message"),
    [
        (None, "P must be square, got shape ()"),
        ("P", "P must be square, got shape ()"),
        (5, "P must be square, got shape ()"),
        ([[0, 1], [1]], "P must be a sparse matrix or an array of numbers"),
        ([["a", "b"], ["c", "d"]], "P must hold real numbers, got <U1"),
        (np.eye(3) * 1j, "P must hold real numbers, got complex128"),
        (np.zeros((3, 3), "M8[s]"), "P must hold numbers, got dates or durations (datetime64[s])"),
        (np.ma.masked_equal(1 - np.eye(3), 0), "P must not be a masked array"),
        (np.zeros(4), "P must be square, got shape (4,)"),
        (np.zeros((2, 2, 2)), "P must be square, got shape (2, 2, 2)"),
        ([[object(), 1], [1, 1]], "P must be a sparse matrix or an array of numbers"),
    ],
)  # fmt: skip
def test_what_is_no_matrix_of_numbers_is_refused(P: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        mrsne.embed(P, max_iter=5)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g", "i1", "u8", "?", "O", ">f4"])
def test_every_type_of_number_is_taken(dtype: str) -> None:
    P = (1 - np.eye(4)).astype(dtype)
    np.testing.assert_array_equal(check_affinities(P).toarray(), (1 - np.eye(4)).astype(np.float32))


def test_a_masked_start_is_refused() -> None:
    start = np.ma.masked_equal(np.random.default_rng(0).normal(size=(4, 2)), 0)
    with pytest.raises(ValueError, match="init must not be a masked array"):
        mrsne.embed(1 - np.eye(4), init=start, max_iter=5)
