"""Where items start: by chance, by principal components, or by eigenvectors of every connected component.

Wanted are the eigenvectors of A = D^-½ P D^-½ for the largest eigenvalues below 1, which is the largest. Those of large
components are computed together, as precisely as a start needs them: a few random vectors are multiplied by a
polynomial of A that is small on all eigenvalues but the wanted ones (a Chebyshev filter), and then combined to
approximate eigenvectors (Rayleigh–Ritz); several times over, each time with a sharper polynomial. The vectors stay in
the engine's memory; only a few numbers for each component come here.
"""

import math
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Any

import numpy as np
import scipy.linalg
from scipy import sparse

from mrsne.arrays import Float32, Float64, Int64
from mrsne.backends.base import Matrix, Operator
from mrsne.backends.projection import principal_axes
from mrsne.backends.rows import Rows
from mrsne.layout.schedule import START_DEVIATION
from mrsne.parameters import ParameterError

PAPER_DEVIATION = 1e-2  # Algorithm 1: variance 1e-4
DENSE_UP_TO = 200  # items of a component whose eigenvectors are computed directly
JITTER = 0.01  # noise, in standard deviations
REACH = 2.5  # standard deviations of a component that its disc shows; what lies farther out is clipped
EXTRA = 2  # vectors beyond those asked for, at least: the last ones converge slowest
DEGREES = (4, 8, 12, 12)  # of the polynomials; each is that many passes over P̃, and one more for Rayleigh–Ritz
MORE_DEGREES = (6, 12, 20, 30)  # where a pass takes little time
LARGE_FROM = 200_000  # items
LOWEST, HIGHEST = -0.9, 0.9999  # limits for the end of the interval where the polynomial is small


def initial_layout(
    P: Matrix, init: str, n_components: int, random: np.random.RandomState, deviation: float = START_DEVIATION
) -> Float32:
    """Return a start of a standard deviation, by "spectral" or "random"."""
    if init == "spectral":
        return spectral_layout(P, n_components, random, deviation)
    if init == "pca":
        raise ParameterError("init='pca' needs vectors, of which affinities know nothing; use 'spectral'")
    return (deviation * random.standard_normal((P.shape[0], n_components))).astype(np.float32)


def principal_layout(
    rows: Rows, n_components: int, random: np.random.RandomState, deviation: float = START_DEVIATION
) -> Float32:
    """Return the first principal components of some rows, the first of a standard deviation, with a little noise."""
    Y = principal_axes(rows, n_components)(rows).values.astype(np.float64)
    Y /= Y[:, 0].std() or 1.0
    return np.asarray(deviation * (Y + JITTER * random.standard_normal(Y.shape)), dtype=np.float32)


def spectral_layout(
    P: Matrix, n_components: int, random: np.random.RandomState, deviation: float = START_DEVIATION
) -> Float32:
    """Lay out each connected component by the eigenvectors of its graph Laplacian, the components side by side.

    Each component fills a disc with an area in proportion to its items; the largest is in the middle.
    """
    order, starts = P.components()
    sizes = np.diff(starts)
    members = [order[starts[c] : starts[c + 1]] for c in np.argsort(-sizes, kind="stable")]
    n_large = int((sizes > max(DENSE_UP_TO, 5 * (n_components + 3))).sum())
    n_tiny = int((sizes <= n_components + 2).sum())  # too few items for as many eigenvectors
    large = _large_components(P, members[:n_large], n_components, random)
    small = _small_components(P, members[n_large : len(members) - n_tiny], n_components)
    radii = np.sqrt([len(items) for items in members])
    centres = pack_discs(radii, n_components)
    Y = np.empty((P.shape[0], n_components))
    # drawn one by one, between the noise of one component and the next
    tiny = (random.standard_normal((len(items), n_components)) for items in members[len(members) - n_tiny :])
    for items, radius, centre, coordinates in zip(members, radii, centres, chain(large, small, tiny), strict=True):
        columns = _upright(coordinates, random)
        columns /= REACH
        columns *= radius / np.maximum(_lengths(columns), 1)
        columns += centre[:, None]
        Y[items] = columns.T
    Y -= [column.mean() for column in Y.T]
    widest = max(float(column.std()) for column in Y.T)
    return np.asarray(Y * (deviation / max(widest, 1e-300)), dtype=np.float32)


def _large_components(P: Matrix, members: list[Int64], count: int, random: np.random.RandomState) -> list[Float64]:
    """Return the leading eigenvectors of each component, computed together by the engine; NaN where that fails."""
    if not members:
        return []
    order, starts = np.concatenate(members), np.cumsum([0, *map(len, members)])
    try:
        with np.errstate(all="ignore"):
            vectors = leading_eigenvectors(P.operator(order, starts), len(order), count, random)
    except np.linalg.LinAlgError:
        vectors = np.full((len(order), count), np.nan)
    return np.split(vectors, starts[1:-1])


def leading_eigenvectors(operator: Operator, n: int, count: int, random: np.random.RandomState) -> Float64:
    """Return, for each component of n items, ``count`` eigenvectors of D⁻¹P for its largest eigenvalues below 1."""
    X = operator.start(count + EXTRA, random)
    for degree in MORE_DEGREES if n < LARGE_FROM else DEGREES:
        X, eigenvalues = rayleigh_ritz(operator, X)
        X = chebyshev_filtered(operator, np.clip(eigenvalues[:, -1], LOWEST, HIGHEST), degree, X)
    X, _ = rayleigh_ritz(operator, X)
    return operator.gather(X, count)


def rayleigh_ritz(operator: Operator, X: Any) -> tuple[Any, Float64]:
    """Return the best approximate eigenvectors in the span of X, orthonormal in each component, and their eigenvalues.

    The largest eigenvalue comes first.
    """
    X = operator.deflated(X)
    n_components = len(inner := operator.products(X, X))
    AX = operator.recurrence(np.tile([1.0, 0.0, 0.0], (n_components, 1)), X, X)
    outer = operator.products(X, AX)
    outer = (outer + outer.transpose(0, 2, 1)) / 2
    sizes, axes = np.linalg.eigh(inner)
    axes = axes / np.sqrt(np.maximum(sizes, 1e-6 * sizes[:, -1:]))[:, None, :]  # directions that coincide stay short
    eigenvalues, rotation = np.linalg.eigh(axes.transpose(0, 2, 1) @ outer @ axes)
    return operator.combined(X, (axes @ rotation)[:, :, ::-1]), eigenvalues[:, ::-1]


def chebyshev_filtered(operator: Operator, end: Float64, degree: int, X: Any) -> Any:
    """Multiply with the Chebyshev polynomial that is at most 1 on the eigenvalues from -1 to ``end`` and large above.

    It is scaled by its value at 1, so that nothing overflows (Zhou and Saad 2007).
    """
    centre, half = (end - 1) / 2, (end + 1) / 2
    sigma = first_sigma = half / (1 - centre)
    none = np.zeros_like(end)
    before, now = X, operator.recurrence(np.stack([sigma / half, -centre * sigma / half, none], axis=1), X, X)
    for _ in range(degree - 1):
        following = 1 / (2 / first_sigma - sigma)
        scale = 2 * following / half
        coefficients = np.stack([scale, -centre * scale, -sigma * following], axis=1)
        before, now = now, operator.recurrence(coefficients, now, before)
        sigma = following
    return now


def _small_components(P: Matrix, members: list[Int64], count: int) -> Iterator[Float64]:
    """Return the leading eigenvectors of each component, whose graphs are brought here."""
    if not members:
        return
    whole, starts = P.subgraph(np.concatenate(members)), np.cumsum([0, *map(len, members)])
    for first, last in pairwise(starts.tolist()):
        yield _small_component(whole[first:last, first:last], count)


def pack_discs(radii: Float64, n_components: int) -> Float64:
    """Return centres for discs so that none overlaps another: the first in the middle, the others on rings around it.

    On a line they alternate between right and left; beyond two dimensions they lie in a plane.
    """
    centres = np.zeros((len(radii), n_components))
    if n_components == 1:
        ends = [-radii[0], radii[0]]
        for index in range(1, len(radii)):
            side = index % 2
            direction = 1 if side else -1
            centres[index] = ends[side] + direction * radii[index]
            ends[side] += direction * 2 * radii[index]
        return centres
    inner, index = float(radii[0]), 1
    while index < len(radii):
        ring = inner + float(radii[index])  # radii fall, so the first disc of a ring is its thickest
        outer = inner + 2 * float(radii[index])
        angle = 0.0
        while index < len(radii):
            half = math.asin(min(1.0, radii[index] / ring))
            if angle + 2 * half > 2 * math.pi + 1e-12:
                break
            centres[index, :2] = ring * math.cos(angle + half), ring * math.sin(angle + half)
            angle += 2 * half
            index += 1
        inner = outer
    return centres


def _small_component(graph: sparse.csr_matrix, n_components: int) -> Float64:
    """Return the eigenvectors of D⁻¹P for its largest eigenvalues below 1, through the symmetric D^-½ P D^-½.

    NaN where there are none: links may be so weak beside others that their roots vanish.
    """
    root = np.sqrt(np.asarray(graph.sum(axis=1), dtype=np.float64).ravel())
    with np.errstate(all="ignore"):
        symmetric = graph.toarray().astype(np.float64) / root[:, None] / root
        if not np.isfinite(symmetric).all():
            return np.full((len(root), n_components), np.nan)
        return np.asarray(_second_to(symmetric, n_components)[:, ::-1] / root[:, None])


def _second_to(symmetric: Float64, count: int) -> Float64:
    """Return the eigenvectors of the second largest to the (count + 1)-th largest eigenvalue, the largest last."""
    n = len(symmetric)
    try:
        vectors = scipy.linalg.eigh(symmetric, subset_by_index=(n - 1 - count, n - 2))[1]
    except np.linalg.LinAlgError:
        vectors = np.empty((n, 0))
    if vectors.shape[1] == count:
        return np.asarray(vectors)
    # identical items give an eigenvalue of high multiplicity, of which a solver for a subset may miss some vectors
    return np.asarray(scipy.linalg.eigh(symmetric, driver="ev")[1][:, -1 - count : -1])


def _upright(vectors: Float64, random: np.random.RandomState) -> Float64:
    """Return coordinates of standard deviation 1 with a little noise, a row for each axis (its sums are faster so).

    Items with the same links have the same coordinates, and items on one spot would stay together for ever.
    """
    n, n_components = vectors.shape
    if not np.isfinite(vectors).all():
        vectors = random.standard_normal((n, n_components))
    columns = JITTER * random.standard_normal((n_components, n))
    for column, noise in zip(vectors.T, columns, strict=True):
        centred = column - column.mean()
        noise += centred * (np.sign(column[np.abs(column).argmax()] or 1.0) / (centred.std() or 1.0))
    return columns


def _lengths(columns: Float64) -> Float64:
    """Return the distance from the origin of every item."""
    squares = columns[0] ** 2
    for column in columns[1:]:
        squares += column**2
    return np.asarray(np.sqrt(squares, out=squares))
