"""How threads share work, and what they leave behind."""

from __future__ import annotations

import threading

import pytest
from threadpoolctl import threadpool_info

from mrsne.compilation.blas import one_blas_thread


def blas_threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_limits_that_overlap_are_lifted() -> None:
    """The second comes while the first is there, and stays longer; its thread goes on."""
    first_is_in, second_is_in, first_is_out, end = (threading.Event() for _ in range(4))

    def first() -> None:
        with one_blas_thread():
            first_is_in.set()
            assert second_is_in.wait(10)
        first_is_out.set()
        assert end.wait(10)

    before = blas_threads()
    if before == {1}:
        pytest.skip("BLAS has one thread here")
    other = threading.Thread(target=first)
    other.start()
    assert first_is_in.wait(10)
    assert 1 in blas_threads()
    with one_blas_thread():
        second_is_in.set()
        assert first_is_out.wait(10)
    assert blas_threads() == before
    end.set()
    other.join()
    with one_blas_thread():
        assert blas_threads() == {1}
    assert blas_threads() == before
