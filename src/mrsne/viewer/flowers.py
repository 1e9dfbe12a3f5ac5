"""Items that share a place, spread around it so that each can be seen and clicked; the map's own numbers stay.

Items with the same links attract each other until they are at one place, to the last bit. What draws a map moves them
onto a spiral like that of a sunflower's seeds: item k of n at the distance c √(k + ½), at k times the golden angle.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from mrsne.arrays import Float32, Float64, Int64

FULL_ZOOM = 2e6  # pixels for one unit of a map from -1 to 1, as LARGEST_SCALE in web/src/camera.ts
TOGETHER = 2 / FULL_ZOOM  # distance from which items are apart
CELL = TOGETHER / 4  # side of squares in which items are together
LEAST, MOST = 4 / FULL_ZOOM, 0.01  # between items of a flower, about
RADIUS = 0.25  # of a flower, at most, in distances to the next place
GOLDEN_ANGLE = np.pi * (3 - 5**0.5)
ROUNDS = 10  # a flower in a crowd may meet others


def spread_out(coordinates: Mapping[str, Float32]) -> tuple[dict[str, Any], dict[str, Int64]]:
    """Return where to draw items, and how many of its kind share the place of each; who is alone there stays."""
    stacked = np.concatenate(list(coordinates.values())).astype(np.float64)
    reach = max(float(np.ptp(stacked, axis=0).max()) / 2, 1e-30) if len(stacked) else 1.0
    shown: dict[str, Any] = dict(coordinates)
    counts = {name: np.ones(len(Y), np.int64) for name, Y in coordinates.items()}
    for name, Y in coordinates.items():
        places = Y.astype(np.float64) / reach
        for _ in range(ROUNDS if len(Y) > 1 else 0):
            label, crowd = _crowds(places)
            if crowd.max() == 1:
                break
            counts[name] = np.maximum(counts[name], crowd)
            places = _with_flowers(places, label)
            shown[name] = np.where(crowd[:, None] > 1, places * reach, shown[name])
    return shown, counts


def _crowds(places: Float64) -> tuple[Int64, Int64]:
    """Return a number for each place that items share, and how many share it, item by item."""
    cells = np.round(places / CELL)  # one item of each is enough, so that none has many others near it
    _, first, inverse = np.unique(cells[:, 0] + 1j * cells[:, 1], return_index=True, return_inverse=True)
    pairs = cKDTree(places[first]).query_pairs(TOGETHER, output_type="ndarray")
    near = sparse.coo_matrix((np.ones(len(pairs)), tuple(pairs.T)), shape=(len(first), len(first)))
    label = connected_components(near, directed=False)[1][inverse].astype(np.int64)
    return label, np.bincount(label)[label]


def _with_flowers(places: Float64, label: Int64) -> Float64:
    """Return places with the items that share one on a spiral around their middle."""
    counts = np.bincount(label)
    middles = np.stack([np.bincount(label, column) / counts for column in places.T], axis=1)
    to_next = cKDTree(middles).query(middles, k=2)[0][:, 1]  # infinite where there is only one
    step = np.clip(RADIUS * np.minimum(to_next, 1) / np.sqrt(counts), LEAST, MOST)
    order = np.argsort(label, kind="stable")
    rank = np.empty(len(label), np.int64)
    rank[order] = np.arange(len(label)) - np.repeat(np.cumsum(counts) - counts, counts)
    distance, angle = step[label] * np.sqrt(rank + 0.5), rank * GOLDEN_ANGLE
    petals = middles[label] + distance[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.where((counts > 1)[label][:, None], petals, places)
