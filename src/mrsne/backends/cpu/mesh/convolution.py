"""Convolution in the plane with a kernel given by its spectrum, a third of the time that scipy's transforms take.

The grid is real, so two columns are transformed as one: real and imaginary part of a complex line. Lines that are zero
are not transformed, and neither are lines of the result that are not read.
"""

from functools import lru_cache

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from mrsne.arrays import Float32, Float64
from mrsne.backends.cpu.mesh.stockham import IMAGINARY, ROW, transform
from mrsne.backends.grid import factors_of, influence, kernel_on_grid, squared_offsets
from mrsne.backends.kernel import CAUCHY, StudentKernel
from mrsne.lanes import WIDTH, aligned, put, spread_out, take, transpose
from mrsne.loops import kernel
from mrsne.threads import share, team_size

LINES = 64  # transformed together, by one thread
SHARED_FROM = 2**17  # numbers from which transforming them takes longer than handing them to other threads
_f, _u = np.float32, np.uint64
SPARE = 2  # columns beyond those in use that splines read, and write zeros to


def grid_width(columns: int) -> int:
    """Return how many columns of a grid are in memory, where ``columns`` are in use."""
    return -(-(columns + SPARE) // (2 * WIDTH)) * 2 * WIDTH


@lru_cache(maxsize=8)
def factors_and_roots(n: int) -> tuple[NDArray[np.uint64], Float32]:
    """Return the factors of a transform's length n, and the n-th roots of unity."""
    angle = -2 * np.pi * np.arange(n) / n
    return np.array(factors_of(n), np.uint64), np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)


class Convolution:
    """The convolution of grids of one size with one kernel."""

    def __init__(self, spectrum: Float32, used: tuple[int, int], shape: tuple[int, int]) -> None:
        self.used = used
        self.rows, self.columns = factors_and_roots(shape[0]), factors_and_roots(shape[1])
        self.width = grid_width(used[1])
        self.height = aligned(shape[0] // 2 + 1)
        self.spectrum = np.empty(self.height * shape[1], np.float32)
        _arrange.over(self.height // WIDTH, spectrum, _f(1 / (shape[0] * shape[1])), self.spectrum)
        self.real, self.imag = np.zeros((2, self.height * self.width), np.float32)

    def __call__(self, grid: Float32) -> Float32:
        n_blocks = self.width // (2 * WIDTH)
        n_rows, n_columns = self.used
        real, imag, width = self.real, self.imag, self.width
        _down.over(n_blocks, grid.ravel(), n_rows, real, imag, width, *self.rows)
        _across.over(self.height // WIDTH, real, imag, width, n_columns, self.spectrum, *self.columns)
        _up.over(n_blocks, grid.ravel(), n_rows, real, imag, width, *self.rows)
        return grid


@kernel("f4[:,:] f4 f4[:]!")
def _arrange(start, stop, spectrum, scale, arranged):
    """Put lines of a spectrum side by side, sixteen at a time, as they are in a block, and zeros after the last."""
    height, width = spectrum.shape
    for block in range(start, stop):
        for column in range(width):
            place = (block * width + column) * WIDTH
            for line in range(WIDTH):
                row = block * WIDTH + line
                arranged[place + line] = spectrum[row, column] * scale if row < height else _f(0)


@kernel("f4[:] i8 f4[:]! f4[:]! i8 u8[:] f4[:,:]")
def _down(start, stop, grid, n_rows, real, imag, width, factors, roots):
    """Transform columns, thirty-two at a time: sixteen as real parts, sixteen as imaginary ones.

    With Z_k = A_k + iB_k and because both are real, A_k = (Z_k + Z̄_-k)/2 and B_k = (Z_k − Z̄_-k)/2i.
    """
    n = roots.shape[0]
    first, second = np.empty(n * 2 * WIDTH, np.float32), np.empty(n * 2 * WIDTH, np.float32)
    half = spread_out(_f(0.5))
    for block in range(start, stop):
        column = _u(block) * ROW
        for row in range(_u(n_rows)):
            place = row * _u(width) + column
            put(first, row * ROW, take(grid, place))
            put(first, row * ROW + IMAGINARY, take(grid, place + IMAGINARY))
        first[n_rows * 2 * WIDTH :] = 0
        x, y = transform(first, second, factors, roots)
        for k in range(_u(n // 2 + 1)):
            here, mirror = k * ROW, (_u(n) - k) % _u(n) * ROW
            ar, ai = take(x, here), take(x, here + IMAGINARY)
            br, bi = take(x, mirror), take(x, mirror + IMAGINARY)
            place = k * _u(width) + column
            put(real, place, (ar + br) * half)
            put(imag, place, (ai - bi) * half)
            put(real, place + IMAGINARY, (ai + bi) * half)
            put(imag, place + IMAGINARY, (br - ar) * half)
        first, second = x, y


@kernel("f4[:]! f4[:]! i8 i8 f4[:] u8[:] f4[:,:]")
def _across(start, stop, real, imag, width, n_columns, spectrum, factors, roots):
    """Transform rows, sixteen at a time, multiply with the spectrum, and transform back: with both parts exchanged."""
    n = roots.shape[0]
    first, second = np.empty(n * 2 * WIDTH, np.float32), np.empty(n * 2 * WIDTH, np.float32)
    wide = _u(width)
    whole = (n_columns + WIDTH - 1) // WIDTH * WIDTH
    for block in range(start, stop):
        top = _u(block) * IMAGINARY * wide
        for column in range(_u(0), _u(whole), IMAGINARY):
            transpose(real, top + column, wide, first, column * ROW, ROW)
            transpose(imag, top + column, wide, first, column * ROW + IMAGINARY, ROW)
        first[whole * 2 * WIDTH :] = 0
        x, y = transform(first, second, factors, roots)
        begin = _u(block) * _u(n) * IMAGINARY
        for k in range(_u(n)):
            factor = take(spectrum, begin + k * IMAGINARY)
            re, im = take(x, k * ROW) * factor, take(x, k * ROW + IMAGINARY) * factor
            put(x, k * ROW, im)
            put(x, k * ROW + IMAGINARY, re)
        x, y = transform(x, y, factors, roots)
        for column in range(_u(0), _u(whole), IMAGINARY):
            transpose(x, column * ROW + IMAGINARY, ROW, real, top + column, wide)
            transpose(x, column * ROW, ROW, imag, top + column, wide)
        first, second = x, y


@kernel("f4[:]! i8 f4[:] f4[:] i8 u8[:] f4[:,:]")
def _up(start, stop, grid, n_rows, real, imag, width, factors, roots):
    """Transform columns back: Z_k = A_k + iB_k and Z_-k = Ā_k + iB̄_k; real and imaginary parts are exchanged."""
    n = roots.shape[0]
    first, second = np.empty(n * 2 * WIDTH, np.float32), np.empty(n * 2 * WIDTH, np.float32)
    for block in range(start, stop):
        column = _u(block) * ROW
        for k in range(_u(n // 2 + 1)):
            place = k * _u(width) + column
            ar, ai = take(real, place), take(imag, place)
            br, bi = take(real, place + IMAGINARY), take(imag, place + IMAGINARY)
            here, mirror = k * ROW, (_u(n) - k) % _u(n) * ROW
            put(first, mirror + IMAGINARY, ar + bi)
            put(first, mirror, br - ai)
            put(first, here + IMAGINARY, ar - bi)
            put(first, here, ai + br)
        x, y = transform(first, second, factors, roots)
        for row in range(_u(n_rows)):
            place = row * _u(width) + column
            put(grid, place, take(x, row * ROW + IMAGINARY))
            put(grid, place + IMAGINARY, take(x, row * ROW))
        first, second = x, y


@lru_cache(maxsize=4)
def kernel_spectrum(shape: tuple[int, ...], width: float, small: bool, kernel: StudentKernel = CAUCHY) -> Float32:
    """Return the spectrum of the kernel, corrected for the splines' own: a cosine transform along each axis."""
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
    n_columns: int, offsets: list[Float64], corrections: list[Float64], small: bool, kernel: StudentKernel
) -> Float32:
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


def convolve(grid: Float32, spectrum: Float32, shape: tuple[int, ...]) -> Float32:
    """Convolve a grid of one or three dimensions, padded with zeros to ``shape``, with the kernel of a spectrum."""
    last, workers = grid.ndim - 1, team_size()
    spectral = scipy.fft.rfft(grid, shape[last], axis=last, workers=workers)
    for axis in range(last):
        spectral = scipy.fft.fft(spectral, shape[axis], axis=axis, workers=workers, overwrite_x=True)
    spectral *= spectrum
    for axis in range(last):
        spectral = scipy.fft.ifft(spectral, axis=axis, workers=workers, overwrite_x=True)
        spectral = spectral[(slice(None),) * axis + (slice(grid.shape[axis]),)]
    potential = scipy.fft.irfft(spectral, shape[last], axis=last, workers=workers)
    return np.ascontiguousarray(potential[..., : grid.shape[last]])


class ScipyConvolution:
    """The same as :class:`Convolution`, by scipy's transforms."""

    def __init__(self, spectrum: Float32, used: tuple[int, int], shape: tuple[int, int]) -> None:
        self.spectrum, self.used, self.shape = spectrum, used, shape

    def __call__(self, grid: Float32) -> Float32:
        columns = grid[:, : self.used[1]]
        columns[:] = convolve(columns.T, self.spectrum.T, self.shape[::-1]).T  # half is along the first axis
        return grid
