"""The grid of a map, the kernel on it, and the spline B₅ that carries charges to it and the potential back."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.fft import next_fast_len

from mrsne.arrays import Float64
from mrsne.backends.kernel import CAUCHY, SMALL_BELOW, StudentKernel

SUPPORT = 6  # grid nodes a quintic B-spline touches along one axis
DEGREE = 5
FINE_STEP = 0.16  # force error below 1e-3 even where clusters have collapsed to points, as they do under exaggeration
STEP = 0.35  # force error below 3e-3 on an unfolded map; 0.4 is faster but ends up to 1 % higher in divergence
CELLS_ACROSS = {1: 64, 2: 64, 3: 40}  # a small map is resolved by at least this many cells
GROWTH = 1.08  # grids come in sizes this far apart: a growing map needs a new kernel spectrum only now and then
PADDING = 16  # cells between the farthest pair and the fold of the doubled grid
MOST_CELLS = {1: 2**22, 2: 2**24, 3: 2**24}  # of the doubled grid; a map too wide for it gets a coarser step


def choose_grid(
    extent: Float64, step: float, growth: float = GROWTH, kernel: StudentKernel = CAUCHY
) -> tuple[float, tuple[int, ...], bool]:
    """Return cell width, shape of the doubled grid, and whether the map counts as small; sizes are ``growth`` apart."""
    span = max(float(extent.max()), 1e-30)
    width = min(step, _round_up(span, growth) / CELLS_ACROSS[len(extent)])
    while True:
        cells = [math.ceil(_round_up(max(length / width, 1.0), growth)) for length in extent]
        least = [2 * (c + SUPPORT + 1) + PADDING for c in cells]
        if math.prod(least) <= MOST_CELLS[len(least)]:  # smooth lengths of huge numbers are far between
            shape = tuple(smooth_length(length) for length in least)
            if math.prod(shape) <= MOST_CELLS[len(shape)]:
                return width, shape, span < kernel.cell_width(SMALL_BELOW)
        width *= GROWTH


def _round_up(length: float, growth: float) -> float:
    return growth ** math.ceil(math.log(length, growth))


def squared_offsets(cells: int, width: float) -> Float64:
    """Return the squared distance of every cell along one axis of the doubled grid from the first, either way round."""
    offset = np.arange(cells)
    return np.asarray((np.minimum(offset, cells - offset) * width) ** 2)


@lru_cache(maxsize=16)
def influence(cells: int, half: bool) -> Float64:
    """Return the factor along one axis of the spectrum that undoes what spreading and gathering with splines do to it.

    With Û the transform of B₅ and S the sum of Û² over all its aliases, the factor Û²/S² minimises the mean squared
    error over all positions relative to the grid (the optimal influence function of Hockney & Eastwood's particle-mesh
    method). ``half``: of the frequencies of a real transform only.
    """
    frequency = np.fft.rfftfreq(cells) if half else np.fft.fftfreq(cells)
    aliases = sum(np.sinc(frequency + m) ** 12 for m in range(-3, 4))
    factor = np.asarray(np.sinc(frequency) ** 12 / aliases**2)
    factor.flags.writeable = False  # the next to ask gets the same
    return factor


def kernel_on_grid(squared: Any, small: bool, kernel: StudentKernel) -> Any:
    """Return the kernel at squared distances, or in a small map what its bulk leaves of it; for numpy and torch."""
    return kernel.remainder(squared) if small else kernel.values(squared)


def smooth_length(n: int) -> int:
    """Return the smallest even number of at least n without a prime factor above 5."""
    return 2 * int(next_fast_len(-(-n // 2), real=True))


def factors_of(n: int) -> list[int]:
    """Return 4, 2, 3 and 5 as often as they divide n, which no other prime number divides."""
    found = []
    for factor in (4, 2, 3, 5):
        while n % factor == 0:
            found.append(factor)
            n //= factor
    return found


def weight_polynomials() -> Float64:
    """Return the coefficients, of 1, t, …, t⁵, of the weights of six nodes for a point a fraction t after the third.

    From B₅(x) = Σ_k (−1)^k C(6, k) max(x + 3 − k, 0)⁵ / 120 at x = t + 2 − q.
    """
    coefficients = np.zeros((DEGREE + 1, SUPPORT))
    for q in range(SUPPORT):
        for k in range(SUPPORT - q):
            shift = DEGREE - q - k
            for power in range(DEGREE + 1):
                term = math.comb(DEGREE, power) * shift ** (DEGREE - power)
                coefficients[power, q] += (-1) ** k * math.comb(SUPPORT, k) * term / math.factorial(DEGREE)
    return coefficients


def slope_polynomials() -> Float64:
    """Return the coefficients, of 1, t, …, t⁴, of the derivatives of the weights by t."""
    return np.asarray(np.arange(1, DEGREE + 1)[:, None] * weight_polynomials()[1:])
