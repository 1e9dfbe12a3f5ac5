"""The k nearest neighbours of every vector on a GPU; see :mod:`mrsne.backends.cpu.search.neighbors`.

Matrix products in single precision find candidates, a few more than asked for; their distances are then computed again
from the differences of the vectors. Small sets are compared all with all, large ones by inverted lists. Vectors that do
not fit on the GPU are compared all with all too, and pass over it in blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from mrsne.backends.base import RecallGoal
from mrsne.backends.cpu.search.duplicates import distinct_places, expand
from mrsne.backends.cpu.search.exact import Standard
from mrsne.backends.cpu.search.neighbors import nearest_neighbors as nearest_on_the_processor
from mrsne.backends.gpu.search.exact import SPARE, search_all
from mrsne.backends.gpu.search.inverted import InvertedLists
from mrsne.backends.gpu.search.points import Points, unit_of, upload
from mrsne.backends.rows import Dense, Rows
from mrsne.threads import threads

COMPARED_UP_TO = 100_000  # vectors; 0.3 s on an H200, and beyond it inverted lists are faster
MEMORY = 2**34  # bytes of a device that does not tell how many it has
BYTES = 40  # for each number: two copies in double precision, and as much again for what the search finds


class Neighbors(NamedTuple):
    """Neighbours of all rows, sorted by distance, on a device."""

    indices: torch.Tensor  # (n, k), int32
    squared: torch.Tensor  # (n, k), float32 or float64
    recall: float


def nearest_neighbors(
    rows: Rows,
    k: int,
    device: str,
    goal: RecallGoal,
    *,
    exactly: bool = False,
    n_jobs: int | None = None,
    chunk: int | None = None,
) -> Neighbors:
    """Return the k nearest other rows of every row.

    Sparse rows are searched on the processor; rows that are the same are brought together there and searched once.

    Parameters
    ----------
    rows : Rows
    k : int
        At most n − 1.
    device : str
    goal : RecallGoal
    exactly : bool
        Whether to compare all with all, however many there are.
    n_jobs : int, optional
    chunk : int, optional
        How many numbers of the vectors may be on the device; by default what its free memory allows.
    """
    with full_precision():
        return _nearest(rows, k, device, exactly, goal, n_jobs, room(device) if chunk is None else chunk)


@contextmanager
def full_precision() -> Iterator[None]:
    """Multiply in single precision, whatever else this process has asked torch for."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        with torch.autocast("cuda", enabled=False):
            yield
    finally:
        torch.set_float32_matmul_precision(before)


def room(device: str) -> int:
    """Return how many numbers of vectors fit on a device beside what the search needs."""
    free = torch.cuda.mem_get_info()[0] if device == "cuda" else MEMORY
    return int(free) // BYTES


def _nearest(
    rows: Rows, k: int, device: str, exactly: bool, goal: RecallGoal, n_jobs: int | None, chunk: int
) -> Neighbors:
    if not isinstance(rows, Dense):
        found = nearest_on_the_processor(rows, k, goal, exactly=exactly or None, n_jobs=n_jobs)
        return Neighbors(_sent(found.indices, device), _sent(found.squared, device), found.recall)
    standard = Standard(rows)
    fits = rows.shape[0] * rows.shape[1] <= chunk
    points = upload(rows, slice(None), standard, device) if fits else None
    if points is not None and not points.has_duplicates():
        return _searched(points, k, standard, exactly, goal)
    with threads(n_jobs):
        places = distinct_places(rows)
        if len(places.first) == len(rows):
            if points is None:
                return _streamed(rows, k, device, chunk)
            return _searched(points, k, standard, exactly, goal)
        points = None
        at = rows.take(places.first)
        wanted = min(k, len(at) - 1)
        indices, squared, recall = np.empty((1, 0), np.int32), np.empty((1, 0)), 1.0
        if wanted:
            near = _nearest(at, wanted, device, exactly, goal, n_jobs, chunk)
            indices, squared = near.indices.cpu().numpy(), near.squared.double().cpu().numpy()
            recall = near.recall
        every, distances = expand(places, indices, squared, k)
    return Neighbors(_sent(every, device), _sent(distances, device), recall)


def _sent(array: NDArray[np.int32] | NDArray[np.float64], device: str) -> torch.Tensor:
    return torch.from_numpy(array).to(device)


def _searched(points: Points, k: int, standard: Standard, exactly: bool, goal: RecallGoal) -> Neighbors:
    if exactly or len(points) <= COMPARED_UP_TO:
        indices, squared = search_all(points, k)
        return Neighbors(indices, squared * unit_of(standard) ** 2, 1.0)
    lists = InvertedLists(points)
    indices, squared, recall = lists.nearest(k, min(k + SPARE, len(points) - 1), goal)
    return Neighbors(indices, squared * unit_of(standard) ** 2, recall)


def _streamed(rows: Dense, k: int, device: str, chunk: int) -> Neighbors:
    """Compare all with all, a part of them on the device at a time."""
    height = max(1, chunk // (2 * rows.shape[1]))
    standard = Standard(rows)
    indices = torch.empty((len(rows), k), dtype=torch.int32, device=device)
    squared = torch.empty((len(rows), k), dtype=torch.float64, device=device)
    parts = [slice(start, min(start + height, len(rows))) for start in range(0, len(rows), height)]
    for part in parts:
        queries = upload(rows, part, standard, device)
        near = torch.empty((len(queries), 0), dtype=torch.int32, device=device)
        distances = torch.empty((len(queries), 0), dtype=torch.float64, device=device)
        for other in parts:
            others = queries if other == part else upload(rows, other, standard, device)
            own = torch.arange(part.start, part.stop, device=device) - other.start
            more = search_all(others, min(k, len(others)), queries, own)
            near, distances = torch.cat([near, more[0] + other.start], dim=1), torch.cat([distances, more[1]], dim=1)
            distances, order = distances.sort(dim=1, stable=True)
            near, distances = near.gather(1, order)[:, :k], distances[:, :k]
        indices[part], squared[part] = near, distances
    return Neighbors(indices, squared * unit_of(standard) ** 2, 1.0)
