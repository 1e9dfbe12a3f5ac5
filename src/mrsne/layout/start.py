"""Where items start: random positions, or the eigenvectors of every connected component, all of them side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, pairwise

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.base import Matrix
from mrsne.layout.eigenvectors import leading_eigenvectors
from mrsne.layout.schedule import START_DEVIATION

PAPER_DEVIATION = 1e-2  # Algorithm 1: variance 1e-4
DENSE_UP_TO = 200  # items of a component whose eigenvectors are computed directly
JITTER = 0.01  # noise, in standard deviations
REACH = 2.5  # standard deviations of a component that its disc shows; what lies farther out is clipped


def initial_layout(
    P: Matrix, init: str, n_components: int, random: np.random.RandomState, deviation: float = START_DEVIATION
) -> NDArray[np.float32]:
    """Return a start of a standard deviation, by "spectral" or "random"."""
    if init == "spectral":
        return spectral_layout(P, n_components, random, deviation)
    return (deviation * random.standard_normal((P.shape[0], n_components))).astype(np.float32)


def spectral_layout(
    P: Matrix, n_components: int, random: np.random.RandomState, deviation: float = START_DEVIATION
) -> NDArray[np.float32]:
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


def _large_components(
    P: Matrix, members: list[NDArray[np.int64]], count: int, random: np.random.RandomState
) -> list[NDArray[np.float64]]:
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


def _small_components(P: Matrix, members: list[NDArray[np.int64]], count: int) -> Iterator[NDArray[np.float64]]:
    """Return the leading eigenvectors of each component, whose graphs are brought here."""
    if not members:
        return
    whole, starts = P.subgraph(np.concatenate(members)), np.cumsum([0, *map(len, members)])
    for first, last in pairwise(starts.tolist()):
        yield _small_component(whole[first:last, first:last], count)


def pack_discs(radii: NDArray[np.float64], n_components: int) -> NDArray[np.float64]:
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


def _small_component(graph: sparse.csr_matrix, n_components: int) -> NDArray[np.float64]:
    """Return the eigenvectors of D⁻¹P for its largest eigenvalues below 1, through the symmetric D^-½ P D^-½.

    NaN where there are none: links may be so weak beside others that their roots vanish.
    """
    root = np.sqrt(np.asarray(graph.sum(axis=1), dtype=np.float64).ravel())
    with np.errstate(all="ignore"):
        symmetric = graph.toarray().astype(np.float64) / root[:, None] / root
        if not np.isfinite(symmetric).all():
            return np.full((len(root), n_components), np.nan)
        return np.asarray(_second_to(symmetric, n_components)[:, ::-1] / root[:, None])


def _second_to(symmetric: NDArray[np.float64], count: int) -> NDArray[np.float64]:
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


def _upright(vectors: NDArray[np.float64], random: np.random.RandomState) -> NDArray[np.float64]:
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


def _lengths(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance from the origin of every item."""
    squares = columns[0] ** 2
    for column in columns[1:]:
        squares += column**2
    return np.asarray(np.sqrt(squares, out=squares))
