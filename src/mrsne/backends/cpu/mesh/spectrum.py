"""The spectrum of the kernel on a grid, which every new size needs, and convolution with it off the plane."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from mrsne.backends.grid import influence, kernel_on_grid, squared_offsets
from mrsne.backends.kernel import CAUCHY, StudentKernel
from mrsne.threads import share

LINES = 64  # transformed together, by one thread
SHARED_FROM = 2**17  # numbers from which transforming them takes longer than handing them to other threads


@lru_cache(maxsize=4)
def kernel_spectrum(
    shape: tuple[int, ...], width: float, small: bool, kernel: StudentKernel = CAUCHY
) -> NDArray[np.float32]:
    """Return the spectrum of the kernel, corrected for the splines' own.

    It is symmetric; in the plane it has one half along the first axis, otherwise along the last. The kernel is even
    along every axis, so its Fourier transform is the cosine transform of one half of it.
    """
    offsets = [squared_offsets(cells, width)[: cells // 2 + 1] for cells in shape]
    corrections = [influence(cells, True) for cells in shape]
    if len(shape) == 2:
        return _in_the_plane(shape[1], offsets, corrections, small, kernel)
    squared, correction = offsets[0], corrections[0]
    for along, factor in zip(offsets[1:], corrections[1:], strict=True):
        squared, correction = np.add.outer(squared, along), np.multiply.outer(correction, factor)
    spectrum = scipy.fft.dctn(kernel_on_grid(squared, small, kernel), type=1, overwrite_x=True)
    spectrum = (spectrum * correction).astype(np.float32)
    for axis, cells in enumerate(shape[:-1]):
        frequency = np.arange(cells)
        spectrum = spectrum.take(np.minimum(frequency, cells - frequency), axis=axis)
    return np.ascontiguousarray(spectrum)


def _in_the_plane(
    n_columns: int,
    offsets: list[NDArray[np.float64]],
    corrections: list[NDArray[np.float64]],
    small: bool,
    kernel: StudentKernel,
) -> NDArray[np.float32]:
    """Transform all rows, then all columns, some at a time on each thread."""
    height, half = len(offsets[0]), len(offsets[1])
    transformed = np.empty((height, half))
    spectrum = np.empty((height, n_columns), np.float32)

    def transform_rows(number: int) -> None:
        lines = slice(number * LINES, (number + 1) * LINES)
        values = kernel_on_grid(offsets[0][lines, None] + offsets[1], small, kernel)
        transformed[lines] = scipy.fft.dct(values, type=1, axis=1, overwrite_x=True)

    def transform_columns(number: int) -> None:
        first, last = number * LINES, min((number + 1) * LINES, half)
        values = scipy.fft.dct(transformed[:, first:last], type=1, axis=0)
        values *= corrections[0][:, None] * corrections[1][first:last]
        spectrum[:, first:last] = values
        mirrored = n_columns - np.arange(max(first, 1), min(last, n_columns - half + 1))
        spectrum[:, mirrored] = values[:, max(first, 1) - first :][:, : len(mirrored)]

    for task, count in ((transform_rows, -(-height // LINES)), (transform_columns, -(-half // LINES))):
        if transformed.size >= SHARED_FROM:
            share(count, task)
        else:
            for number in range(count):
                task(number)
    return spectrum


def convolve(
    grid: NDArray[np.float32], spectrum: NDArray[np.float32], shape: tuple[int, ...], workers: int
) -> NDArray[np.float32]:
    """Convolve a grid of one or three dimensions, padded with zeros to ``shape``, with a kernel given by its spectrum.

    Rows known to be zero are not transformed, and neither are rows of the result that are not read.
    """
    last = grid.ndim - 1
    spectral = scipy.fft.rfft(grid, shape[last], axis=last, workers=workers)
    for axis in range(last):
        spectral = scipy.fft.fft(spectral, shape[axis], axis=axis, workers=workers, overwrite_x=True)
    spectral *= spectrum
    for axis in range(last):
        spectral = scipy.fft.ifft(spectral, axis=axis, workers=workers, overwrite_x=True)
        spectral = spectral[(slice(None),) * axis + (slice(grid.shape[axis]),)]
    potential = scipy.fft.irfft(spectral, shape[last], axis=last, workers=workers)
    return np.ascontiguousarray(potential[..., : grid.shape[last]])
