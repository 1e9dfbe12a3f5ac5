"""Data to measure on, made from a seed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mrsne import RelationalData


def clustered(
    n: int, dimension: int = 64, n_clusters: int = 30, intrinsic: int = 8, seed: int = 0
) -> NDArray[np.float32]:
    """Points in elongated clouds of a given intrinsic dimension, with a little noise in every direction."""
    random = np.random.default_rng(seed)
    label = random.integers(0, n_clusters, n)
    centres = 1.2 * random.normal(size=(n_clusters, dimension))
    axes = random.normal(size=(n_clusters, intrinsic, dimension)) / np.sqrt(intrinsic)
    points = np.empty((n, dimension), np.float32)
    for cluster in range(n_clusters):
        here = np.flatnonzero(label == cluster)
        along = random.normal(size=(len(here), intrinsic))
        points[here] = centres[cluster] + along @ axes[cluster] + 0.1 * random.normal(size=(len(here), dimension))
    return points


def cloud(n: int, intrinsic: int, dimension: int = 64, seed: int = 0) -> NDArray[np.float32]:
    """Points in one cloud without clusters, of a given intrinsic dimension, with a little noise in every direction."""
    random = np.random.default_rng(seed)
    axes = random.normal(size=(intrinsic, dimension)) / np.sqrt(intrinsic)
    points = random.normal(size=(n, intrinsic)) @ axes + 0.05 * random.normal(size=(n, dimension))
    return np.asarray(points, dtype=np.float32)


KINDS: dict[str, Callable[[int], NDArray[np.float32]]] = {
    "clustered": clustered,
    "cloud5": lambda n: cloud(n, 5),
    "cloud10": lambda n: cloud(n, 10),
    "cloud20": lambda n: cloud(n, 20),
    "cloud64": lambda n: cloud(n, 64),
}


def tagged(n: int, n_tags: int = 85, seed: int = 0) -> RelationalData:
    """Pictures of 50 classes and the tags of their class: the shape of the paper's AwA2 data where n = 2585."""
    random = np.random.default_rng(seed)
    classes = np.repeat(np.arange(50), -(-(n - n_tags) // 50))[: n - n_tags]
    pictures = random.normal(size=(50, 256))[classes] + random.normal(size=(len(classes), 256))
    tags = random.random((50, n_tags)) < 0.35
    return RelationalData(
        {"image": pictures.astype(np.float32), "tag": random.normal(size=(n_tags, 100))},
        {("image", "tag"): tags[classes]},
    )
