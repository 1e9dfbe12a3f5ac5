"""Where the items start: the graph's own slowest waves, chance, or a given layout."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.cpu.matrix.components import Components
from mrsne.layout.gradient import check_layout
from mrsne.layout.schedule import START_DEVIATION
from mrsne.parameters import ParameterError, describe

PAPER_DEVIATION = 1e-2  # Algorithm 1: variance 1e-4
DENSE_UP_TO = 200  # items of a component whose eigenvectors are computed directly
JITTER = 0.01  # noise, in standard deviations
REACH = 2.5  # standard deviations of a component that its disc shows; what lies farther out is drawn in


def initial_layout(
    P: Any,
    init: Any,
    n_components: int,
    random: np.random.RandomState,
    deviation: float = START_DEVIATION,
) -> NDArray[np.float32]:
    """Return a start for the map.

    Parameters
    ----------
    P : CSR matrix or DeviceMatrix
        P̃; only "spectral" looks at it.
    init : {"spectral", "random"} or array of shape (n, K)
        A given layout is used as it is.
    n_components : int
    random : RandomState
    deviation : float
        Standard deviation of the start.

    Returns
    -------
    Y : array of shape (n, K), float32
    """
    given = check_init(init, P.shape[0], n_components)
    if given is not None:
        return given
    if init == "spectral":
        return spectral_layout(P, n_components, random, deviation)
    return (deviation * random.standard_normal((P.shape[0], n_components))).astype(np.float32)


def check_init(init: Any, n: int, n_components: int) -> NDArray[np.float32] | None:
    """Return the start that ``init`` gives, or None where it says how to make one."""
    if isinstance(init, str) and init in ("spectral", "random"):
        return None
    if init is None or isinstance(init, str):
        raise ParameterError(
            f"init must be 'spectral', 'random' or an array of shape ({n}, {n_components}), got {describe(init)}"
        )
    layout = check_layout("init", init, n)
    if layout.shape[1] != n_components:
        raise ParameterError(f"init has {layout.shape[1]} columns, but n_components is {n_components}")
    if not np.ptp(layout, axis=0).any():
        raise ParameterError(
            "init puts all items on one spot, where nothing pushes them apart; give them different ones"
        )
    return layout


def spectral_layout(
    P: Any, n_components: int, random: np.random.RandomState, deviation: float = START_DEVIATION
) -> NDArray[np.float32]:
    """Lay out each connected component by the eigenvectors of its graph Laplacian, the components side by side.

    Each component fills a disc with an area in proportion to its items; the largest is in the middle.
    """
    parts = _components(P, max(DENSE_UP_TO, 5 * (n_components + 3)))
    radii = np.sqrt([len(items) for items in parts.members])
    centres = pack_discs(radii, n_components)
    Y = np.empty((P.shape[0], n_components))
    waves = parts.waves(n_components, random)
    for number, (items, radius, centre) in enumerate(zip(parts.members, radii, centres, strict=True)):
        if number < parts.n_large:
            coordinates = waves[number]
        elif len(items) > n_components + 2:
            coordinates = _small_component(parts.graph(number), n_components)
        else:
            coordinates = random.standard_normal((len(items), n_components))
        coordinates = _upright(coordinates, random)
        distance = np.linalg.norm(coordinates, axis=1, keepdims=True) / REACH
        Y[items] = centre + coordinates / REACH / np.maximum(distance, 1) * radius
    Y -= Y.mean(axis=0)
    return np.asarray(Y * (deviation / max(float(Y.std(axis=0).max()), 1e-300)), dtype=np.float32)


def _components(P: Any, small: int) -> Components:
    """Return the components of a graph, in whatever memory it is; those of at most ``small`` items are not large."""
    if isinstance(P, sparse.csr_matrix):
        return Components(P, small)
    parts: Components = P.components(small)
    return parts


def pack_discs(radii: NDArray[np.float64], n_components: int) -> NDArray[np.float64]:
    """Return centres for discs so that none overlaps another: the first in the middle, the others on rings around it.

    On a line they alternate between right and left; beyond two dimensions they lie in a plane.

    Examples
    --------
    >>> pack_discs(np.array([2.0, 1.0, 1.0]), 1)[:, 0]
    array([ 0.,  3., -3.])
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
    """Return the eigenvectors of D⁻¹P for its largest eigenvalues below 1, through the symmetric D^-½ P D^-½."""
    n = graph.shape[0]
    root = np.sqrt(np.asarray(graph.sum(axis=1), dtype=np.float64).ravel())
    symmetric = graph.toarray().astype(np.float64) / root[:, None] / root
    _, vectors = scipy.linalg.eigh(symmetric, subset_by_index=(n - 1 - n_components, n - 2))
    return np.asarray(vectors[:, ::-1] / root[:, None])


def _upright(waves: NDArray[np.float64], random: np.random.RandomState) -> NDArray[np.float64]:
    """Return coordinates of standard deviation 1, and a little noise.

    Items with the same links have the same waves, and items on one spot would stay together for ever.
    """
    n, n_components = waves.shape
    if not np.isfinite(waves).all():
        waves = random.standard_normal((n, n_components))
    signs = np.sign(waves[np.abs(waves).argmax(axis=0), np.arange(n_components)])
    coordinates = _standardised(waves * np.where(signs == 0, 1, signs))
    return coordinates + JITTER * random.standard_normal((n, n_components))


def _standardised(coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = coordinates - coordinates.mean(axis=0)
    deviation = centred.std(axis=0)
    return np.asarray(centred / np.where(deviation > 0, deviation, 1))
