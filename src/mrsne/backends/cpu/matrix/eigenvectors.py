"""The slowest waves of many graphs at once, as exactly as a start needs them.

A wave is an eigenvector of D^-½ P D^-½ for an eigenvalue just below the largest, which is 1. A few random vectors are
multiplied with a polynomial of the matrix that is small on all eigenvalues but the wanted ones (a Chebyshev filter),
and then turned so that they are as slow as possible (Rayleigh and Ritz); several times over, each time with a sharper
polynomial. Components share every pass over P, but have a polynomial and a turn of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.cpu.forces.attraction import Entries
from mrsne.compilation import Array, kernel
from mrsne.matrices import PARTS

COLUMNS = 4  # vectors multiplied in one pass
EXTRA = 2  # vectors beyond those asked for, at least: the last ones settle slowest
DEGREES = (4, 8, 12, 12)  # of the polynomials; each is that many passes over P̃, and one more for the turn
MORE_DEGREES = (6, 12, 20, 30)  # where a pass takes little time
LARGE_FROM = 200_000  # items
FASTEST, SLOWEST = -0.9, 0.9999  # limits for the end of the interval where the polynomial is small
_f = np.float32


def slowest_waves(
    entries: Any, starts: NDArray[np.int64], count: int, random: np.random.RandomState
) -> NDArray[np.float64]:
    """Return, for each component, the eigenvectors of D⁻¹P for its largest eigenvalues below 1.

    Parameters
    ----------
    entries : Entries, or an object that multiplies with P̃
        P̃, its rows component by component; the object has a method ``times`` that returns P̃ X.
    starts : array
        Where each component starts, and where the last one ends.
    count : int
        Waves of each component.
    random : RandomState

    Returns
    -------
    waves : array of shape (n, count)
    """
    n = int(starts[-1])
    component = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    degree = np.empty((n, COLUMNS), np.float32)
    ones = np.zeros((n, COLUMNS), np.float32)
    ones[:, 0] = 1
    step(entries, np.ones(n, np.float32), _by_row(1, 0, 0, like=ones), ones, ones, degree)
    root = np.sqrt(degree[:, 0].astype(np.float64))
    inverse_root = (1 / root).astype(np.float32)
    still = root / np.sqrt(np.add.reduceat(root**2, starts[:-1]))[component]  # the wave that does not move
    width = -(-(count + EXTRA) // COLUMNS) * COLUMNS
    X = random.standard_normal((n, width)).astype(np.float32)
    for polynomial in MORE_DEGREES if n < LARGE_FROM else DEGREES:
        X, slowness = _turned(entries, inverse_root, still, starts, component, X)
        X = _filtered(entries, inverse_root, np.clip(slowness[:, -1], FASTEST, SLOWEST)[component], polynomial, X)
    X, _ = _turned(entries, inverse_root, still, starts, component, X)
    return X[:, :count] / root[:, None]


def _turned(
    entries: Any,
    inverse_root: NDArray[np.float32],
    still: NDArray[np.float64],
    starts: NDArray[np.int64],
    component: NDArray[np.int64],
    X: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return orthonormal vectors that span the same as X in each component, the slowest first, and their eigenvalues.

    The still wave is taken out.
    """
    first = starts[:-1]
    X = (X - still[:, None] * np.add.reduceat(still[:, None] * X, first)[component]).astype(np.float32)
    X /= np.sqrt(np.add.reduceat(X.astype(np.float64) ** 2, first) + 1e-300)[component]
    moved = np.empty_like(X)
    step(entries, inverse_root, _by_row(1, 0, 0, like=X), X, X, moved)
    width = X.shape[1]
    inner, outer = np.empty((2, len(first), width, width))
    for a in range(width):
        for b in range(a + 1):
            inner[:, a, b] = inner[:, b, a] = np.add.reduceat(X[:, a].astype(np.float64) * X[:, b], first)
            outer[:, a, b] = outer[:, b, a] = np.add.reduceat(X[:, a].astype(np.float64) * moved[:, b], first)
    sizes, axes = np.linalg.eigh(inner)
    axes = axes / np.sqrt(np.maximum(sizes, 1e-6 * sizes[:, -1:]))[:, None, :]  # directions that coincide stay short
    slowness, turn = np.linalg.eigh(axes.transpose(0, 2, 1) @ outer @ axes)
    turn = (axes @ turn)[:, :, ::-1]
    result = np.empty_like(X)
    for b in range(width):
        result[:, b] = np.einsum("na,na->n", X, turn[:, :, b][component].astype(np.float32))
    return result, slowness[:, ::-1]


def _filtered(
    entries: Any, inverse_root: NDArray[np.float32], end: NDArray[np.float64], degree: int, X: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Multiply with the Chebyshev polynomial that is at most 1 on the eigenvalues from -1 to ``end`` and large above.

    It is scaled by its value at 1, so that nothing overflows (Zhou and Saad 2007).
    """
    centre, half = (end - 1) / 2, (end + 1) / 2
    sigma = first_sigma = half / (1 - centre)
    before, now, after = X, np.empty_like(X), np.empty_like(X)
    step(entries, inverse_root, _by_row(sigma / half, -centre * sigma / half, 0, like=X), X, X, now)
    for _ in range(degree - 1):
        following = 1 / (2 / first_sigma - sigma)
        scale = 2 * following / half
        coefficients = _by_row(scale, -centre * scale, -sigma * following, like=X)
        step(entries, inverse_root, coefficients, now, before, after)
        before, now, after = now, after, before if before is not X else np.empty_like(X)
        sigma = following
    return now


def _by_row(*columns: NDArray[np.float64] | float, like: NDArray[Any]) -> NDArray[np.float32]:
    """Return coefficients as an array with a row for each item."""
    result = np.empty((len(like), len(columns)), np.float32)
    for position, column in enumerate(columns):
        result[:, position] = column
    return result


def step(
    entries: Any,
    inverse_root: NDArray[np.float32],
    coefficients: NDArray[np.float32],
    X: NDArray[np.float32],
    before: NDArray[np.float32],
    result: NDArray[np.float32],
) -> None:
    """Compute a · D^-½ P D^-½ X + b · X + c · before, four columns at a time, with a, b and c by row."""
    if not isinstance(entries, Entries):
        a, b, c = (column[:, None] for column in coefficients.T)
        moved = entries.times(X * inverse_root[:, None])
        result[:] = a * inverse_root[:, None] * moved + b * X + c * before
        return
    for first in range(0, X.shape[1], COLUMNS):
        some = slice(first, first + COLUMNS)
        scaled = X[:, some] * inverse_root[:, None]
        _step.over(PARTS, *entries, inverse_root, coefficients, scaled.view(np.uint64), first, X, before, result)


@kernel("i8[:] i8[:] u4[:] f4[:] f4[:] f4[:,:] u8[:,:] i8 f4[:,:] f4[:,:] f4[:,:]!")
def _step(
    start: int,
    stop: int,
    parts: Array,
    indptr: Array,
    indices: Array,
    values: Array,
    inverse_root: Array,
    coefficients: Array,
    words: Array,
    first: int,
    X: Array,
    before: Array,
    result: Array,
) -> None:
    for i in range(parts[start], parts[stop]):
        s0, s1, s2, s3 = _f(0), _f(0), _f(0), _f(0)
        neighbours = indices[indptr[i] : indptr[i + 1]]
        row = values[indptr[i] : indptr[i + 1]]
        for position in range(neighbours.shape[0]):  # two numbers at a time, as in the attraction
            p = row[position]
            left, right = words[neighbours[position], 0], words[neighbours[position], 1]
            s0 += p * np.uint32(left).view(np.float32)
            s1 += p * np.uint32(left >> np.uint64(32)).view(np.float32)
            s2 += p * np.uint32(right).view(np.float32)
            s3 += p * np.uint32(right >> np.uint64(32)).view(np.float32)
        a, b, c = coefficients[i, 0] * inverse_root[i], coefficients[i, 1], coefficients[i, 2]
        result[i, first] = a * s0 + b * X[i, first] + c * before[i, first]
        result[i, first + 1] = a * s1 + b * X[i, first + 1] + c * before[i, first + 1]
        result[i, first + 2] = a * s2 + b * X[i, first + 2] + c * before[i, first + 2]
        result[i, first + 3] = a * s3 + b * X[i, first + 3] + c * before[i, first + 3]
