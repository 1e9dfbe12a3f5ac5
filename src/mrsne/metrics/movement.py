"""What differs between two maps: which items are in both, how far they moved, and which neighbours they kept."""

from collections.abc import Callable, Mapping

import numpy as np
from scipy.spatial import KDTree

from mrsne.arrays import Array, Float32, Float64, Int64
from mrsne.data.outline import Outline

Places = Mapping[str, Float32]


def alignment(first: Array, second: Array) -> Callable[[Array], Float64]:
    """Return the similarity z ↦ s z R + t, reflections included, that brings a second map nearest to a first.

    R and t are those of Procrustes; s makes both equally wide. The s of Procrustes is smaller the less the maps have in
    common, down to 0, so that the second would look as if it had collapsed.
    """
    Y, Z = first.astype(np.float64), second.astype(np.float64)
    y, z = Y.mean(axis=0), Z.mean(axis=0)
    spread, wanted = float(((Z - z) ** 2).sum()), float(((Y - y) ** 2).sum())
    if spread <= 0 or wanted <= 0:  # items in one place have no direction
        return lambda places: places.astype(np.float64) + (y - z)
    left, _, right = np.linalg.svd((Z - z).T @ (Y - y))
    rotation, scale = left @ right, float(np.sqrt(wanted / spread))
    return lambda places: scale * (places.astype(np.float64) @ rotation) + (y - scale * (z @ rotation))


def matched(first: Places, second: Places, data: Outline | None, second_data: Outline | None) -> dict[str, Int64]:
    """Return the position in a second map of each item of a first, by name or else by position; −1 for none."""
    found = {}
    for domain, Y in first.items():
        size = len(second.get(domain, ()))
        names = None if data is None else data.names.get(domain)
        others = None if second_data is None else second_data.names.get(domain)
        if names is None or others is None:
            positions = np.arange(len(Y))
            found[domain] = np.where(positions < size, positions, -1)
        else:
            place = {name: position for position, name in enumerate(others)}
            found[domain] = np.array([place.get(name, -1) for name in names], dtype=np.int64)
    return found


def kept_neighbors(first: Array, second: Array, k: int, items: Int64 | None = None) -> Float64:
    """Return the share of the k nearest of each item in a first map that are among its k nearest in a second.

    It is looked at for some items only where these are given.
    """
    k = min(k, len(first) - 1)
    asked = np.arange(len(first)) if items is None else items
    if k < 1:
        return np.ones(len(asked))
    near, near_then = _nearest(first, k, asked), _nearest(second, k, asked)
    n = np.int64(len(first))
    rows = np.repeat(np.arange(len(asked)), k)
    both = np.isin(rows * n + near.ravel(), rows * n + near_then.ravel())
    return np.bincount(rows[both], minlength=len(asked)) / k


def _nearest(Y: Array, k: int, items: Int64) -> Int64:
    _, found = KDTree(Y.astype(np.float64)).query(Y[items].astype(np.float64), k + 1)
    own = found == items[:, None]
    own[~own.any(axis=1), -1] = True  # many at one place: it is not among the nearest to itself
    nearest: Int64 = found[~own].reshape(len(items), k).astype(np.int64)
    return nearest
