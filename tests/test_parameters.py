"""What checks of single parameters accept, and what they say of everything else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne.parameters import ParameterError, check_integer, check_number, check_option, describe, is_whole_number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("pmi", "'pmi'"),
        (None, "None"),
        ("x" * 100, "'" + "x" * 59 + "..."),
        (np.zeros((2, 3)), "an array of shape (2, 3)"),
        pytest.param(10**5000, "int of more digits or levels than can be shown", id="huge"),
    ],
)
def test_long_values_are_shortened_in_messages(value: Any, text: str) -> None:
    assert describe(value) == text


def test_numbers_within_their_bounds_are_returned_as_plain_ones() -> None:
    assert check_option("method", "fft", ["exact", "fft"]) == "fft"
    assert type(check_number("dof", np.float32(2), above=0)) is float
    assert type(check_integer("k", np.int8(2), minimum=1)) is int


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: check_option("method", "fast", ["exact", "fft"]), "method must be one of 'exact', 'fft', got 'fast'"),
        (lambda: check_number("dof", 0.5, above=1), "dof must be a finite number greater than 1, got 0.5"),
        (lambda: check_number("dof", -1, minimum=0), "dof must be a finite number of at least 0, got -1"),
        (lambda: check_number("dof", 10**400), "dof must be a finite number, got 1000"),
        (lambda: check_number("dof", True), "dof must be a finite number, got True"),
        (lambda: check_integer("k", 0, minimum=1), "k must be a whole number of at least 1, got 0"),
        (lambda: check_integer("k", 9, minimum=1, maximum=8), "k must be a whole number of at most 8, got 9"),
        (lambda: check_integer("k", 2.0, minimum=1), "k must be a whole number of at least 1, got 2.0"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_accepted(check: Any, message: str) -> None:
    with pytest.raises(ParameterError) as error:
        check()
    assert str(error.value).startswith(message)


def test_texts_of_numbers_have_digits_alone() -> None:
    assert [is_whole_number(text) for text in ("12", "1_2", "9" * 30, "²")] == [True, False, False, False]
