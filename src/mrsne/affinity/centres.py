"""The centres of inverted lists."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrsne.affinity.exact import QUERIES, squares_of
from mrsne.affinity.rows import Rows
from mrsne.compilation import share

TRAINING = 64  # points per list that k-means looks at
ROUNDS = 8  # of k-means


def training_rows(rows: Rows, n_lists: int) -> Rows:
    """Return the part of some rows that centres are learned from."""
    return rows.take(np.arange(0, len(rows), max(1, len(rows) // (TRAINING * n_lists))))


def learn_centres(points: NDArray[np.floating], n_lists: int, workers: int) -> NDArray[np.floating]:
    """Return the centres of k-means, in the precision of the points."""
    if points.dtype == np.float64:
        return _means(points, n_lists)
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(workers)
    try:
        means = faiss.Kmeans(
            points.shape[1],
            n_lists,
            niter=ROUNDS,
            seed=0,
            min_points_per_centroid=1,
            max_points_per_centroid=2 * TRAINING,
        )
        means.train(points)
    finally:
        faiss.omp_set_num_threads(before)
    return np.asarray(means.centroids)


def nearest_centres(points: NDArray[np.floating], centres: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return the number of the nearest centre for every point."""
    home = np.empty(len(points), np.int64)
    squares = squares_of(centres)

    def assign(number: int) -> None:
        some = slice(number * QUERIES, (number + 1) * QUERIES)
        home[some] = (squares - 2 * points[some] @ centres.T).argmin(axis=1)

    share(-(-len(points) // QUERIES), assign)
    return home


def _means(points: NDArray[np.floating], n_lists: int) -> NDArray[np.floating]:
    """Do k-means in double precision, which faiss does not."""
    centres = points[:: len(points) // n_lists][:n_lists].copy()
    for _ in range(ROUNDS):
        home = nearest_centres(points, centres)
        present, starts = np.unique(home[order := np.argsort(home, kind="stable")], return_index=True)
        sums = np.add.reduceat(points[order], starts)
        centres[present] = sums / np.diff(np.append(starts, len(points)))[:, None]
    return centres
