"""The k nearest neighbours of every vector on a GPU; see :mod:`mrsne.backends.cpu.search.neighbors`.

Matrix products in single precision find candidates, a few more than asked for; their distances are then computed again
from the differences of the vectors. Small sets are compared all with all, large ones by inverted lists. Vectors that do
not fit on the GPU are compared all with all too, and pass over it in blocks.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from mrsne.arrays import Float64, Int32
from mrsne.backends.cpu.search.duplicates import distinct_places, expand
from mrsne.backends.cpu.search.exact import Standard
from mrsne.backends.cpu.search.neighbors import nearest_neighbors as nearest_on_the_processor
from mrsne.backends.gpu.inverted import InvertedLists
from mrsne.backends.gpu.points import SPARE, Points, full_precision, search_all, unit_of, upload
from mrsne.backends.recall import RecallGoal
from mrsne.backends.rows import Dense, Rows

COMPARED_UP_TO = 100_000  # vectors; 0.3 s on an H200, and beyond it inverted lists are faster
MEMORY = 2**34  # bytes of a device that does not tell how many it has
BYTES = 40  # for each number: two copies in double precision, and as much again for what the search finds


class Neighbors(NamedTuple):
    indices: Tensor  # (n, k), int32
    squared: Tensor  # (n, k), float32 or float64
    recall: float


def room(device: str) -> int:
    """Return how many numbers of vectors fit on a device beside what the search needs."""
    free = torch.cuda.mem_get_info()[0] if device == "cuda" else MEMORY
    return int(free) // BYTES


@dataclass(frozen=True)
class Search:
    k: int
    device: str
    goal: RecallGoal
    exactly: bool = False  # all are compared with all, however many there are
    chunk: int = 0  # numbers of the vectors that may be on the device; 0: as many as its free memory allows

    def nearest(self, rows: Rows) -> Neighbors:
        with full_precision():
            return replace(self, chunk=self.chunk or room(self.device))._nearest(rows)

    def _nearest(self, rows: Rows) -> Neighbors:
        if not isinstance(rows, Dense):
            found = nearest_on_the_processor(rows, self.k, self.goal, self.exactly)
            return self._sent(found.indices, found.squared, found.recall)
        standard = Standard(rows)
        fits = rows.shape[0] * rows.shape[1] <= self.chunk
        points = upload(rows, slice(None), standard, self.device) if fits else None
        if points is not None and not points.has_duplicates():
            return self._searched(points, standard)
        places = distinct_places(rows)
        if len(places.first) == len(rows):
            return self._streamed(rows, standard) if points is None else self._searched(points, standard)
        points = None
        distinct = rows.take(places.first)
        indices, squared, recall = np.empty((1, 0), np.int32), np.empty((1, 0)), 1.0
        if wanted := min(self.k, len(distinct) - 1):
            near = replace(self, k=wanted)._nearest(distinct)
            indices, squared = near.indices.cpu().numpy(), near.squared.double().cpu().numpy()
            recall = near.recall
        return self._sent(*expand(places, indices, squared, self.k), recall)

    def _sent(self, indices: Int32, squared: Float64, recall: float) -> Neighbors:
        return Neighbors(torch.from_numpy(indices).to(self.device), torch.from_numpy(squared).to(self.device), recall)

    def _searched(self, points: Points, standard: Standard) -> Neighbors:
        recall = 1.0
        if self.exactly or len(points) <= COMPARED_UP_TO:
            indices, squared = search_all(points, self.k)
        else:
            wanted = min(self.k + SPARE, len(points) - 1)
            indices, squared, recall = InvertedLists(points).nearest(self.k, wanted, self.goal)
        return Neighbors(indices, squared * unit_of(standard) ** 2, recall)

    def _streamed(self, rows: Dense, standard: Standard) -> Neighbors:
        """Compare all with all, a part of them on the device at a time."""
        device, k = self.device, self.k
        height = max(1, self.chunk // (2 * rows.shape[1]))
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
                near = torch.cat([near, more[0] + other.start], dim=1)
                distances, order = torch.cat([distances, more[1]], dim=1).sort(dim=1, stable=True)
                near, distances = near.gather(1, order)[:, :k], distances[:, :k]
            indices[part], squared[part] = near, distances
        return Neighbors(indices, squared * unit_of(standard) ** 2, 1.0)
