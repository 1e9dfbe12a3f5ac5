from __future__ import annotations

import numpy as np
import pytest
import scipy.fft
from hypothesis import given
from hypothesis import strategies as st

from mrsne.backends.cpu.mesh.convolution import Convolution
from mrsne.backends.cpu.mesh.splines import SLOPE_LANES, WEIGHT_LANES, slopes, weights
from mrsne.backends.grid import factors_of, smooth_length
from mrsne.threads import threads


@pytest.mark.parametrize("shape", [(20, 18), (18, 20), (32, 30), (60, 48), (250, 240), (600, 1250), (1000, 20)])
def test_convolution_is_that_of_scipy(shape: tuple[int, int]) -> None:
    """Lengths with every factor there is, once and several times."""
    random = np.random.default_rng(0)
    used = ((shape[0] - 16) // 2, (shape[1] - 16) // 2)
    grid = random.normal(size=used)
    row, column = (np.minimum(np.arange(n), n - np.arange(n)) for n in shape)
    kernel = 1 / (1 + row[:, None] ** 2 + 0.3 * column**2)
    expected = scipy.fft.irfft2(scipy.fft.rfft2(grid, shape) * scipy.fft.rfft2(kernel), shape)[: used[0], : used[1]]
    spectrum = scipy.fft.rfftn(kernel, axes=(1, 0)).real.astype(np.float32)
    convolution = Convolution(spectrum, used, shape)
    for n_jobs in (1, 2):
        found = np.zeros((convolution.used[0], convolution.width), np.float32)
        found[:, : used[1]] = grid
        with threads(n_jobs):
            convolution(found)
        np.testing.assert_allclose(found[:, : used[1]], expected, atol=2e-6 * np.abs(expected).max())


@given(st.integers(1, 5000))
def test_smooth_lengths(n: int) -> None:
    length = smooth_length(n)
    assert length >= n
    assert length % 2 == 0
    factors = factors_of(length)
    assert factors is not None
    assert np.prod(factors) == length


def test_polynomials_in_registers_are_the_spline() -> None:
    for t in np.linspace(0, 1, 11, dtype=np.float32):
        powers = t ** np.arange(6)
        np.testing.assert_allclose(powers @ WEIGHT_LANES.reshape(6, 8)[:, :6], weights(t), atol=1e-7)
        np.testing.assert_allclose(powers[:5] @ SLOPE_LANES.reshape(5, 8)[:, :6], slopes(t), atol=3e-7)
