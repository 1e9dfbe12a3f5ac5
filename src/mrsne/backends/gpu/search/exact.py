"""The nearest of all points, on a GPU; see :mod:`mrsne.backends.cpu.search.exact`."""

from __future__ import annotations

import torch

from mrsne.backends.gpu.search.points import Points
from mrsne.backends.gpu.search.ranking import in_doubt, precisely, ranked

PAIRS = 2**30  # compared at a time: 4 GiB of distances
SPARE = 16  # candidates beyond k, against rounding at the edge


def search_all(
    points: Points, k: int, queries: Points | None = None, own: torch.Tensor | None = None, *, pairs: int = PAIRS
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the k nearest points of every query among all of them, and their squared distances, sorted.

    Parameters
    ----------
    points : Points
    k : int
        At most the number of points; what is missing where a query is one of them is at an infinite distance.
    queries : Points, optional
        By default the points themselves.
    own : int64 array, optional
        The place of each query among the points, or one that none of them has; a point is not its own neighbour. By
        default queries are the points.
    pairs : int
        Compared at a time.
    """
    device = points.exact.device
    queries = points if queries is None else queries
    places = torch.arange(len(points), device=device) if own is None else own
    indices = torch.empty((len(queries), k), dtype=torch.int32, device=device)
    squared = torch.empty((len(queries), k), dtype=points.exact.dtype, device=device)
    farthest = torch.empty(len(queries), dtype=points.exact.dtype, device=device)
    wanted = min(k + SPARE, len(points))
    everything = torch.arange(len(queries), device=device)

    def keep(batch: torch.Tensor, products: torch.Tensor) -> None:
        present = (places[batch] >= 0) & (places[batch] < len(points))
        products[torch.nonzero(present).squeeze(1), places[batch][present]] = torch.inf
        candidates = products.topk(wanted, dim=1, largest=False, sorted=False).indices
        near = ranked(points, queries.exact[batch], candidates, places[batch], k)
        indices[batch], squared[batch], farthest[batch] = near

    for batch in everything.split(max(1, pairs // len(points))):
        keep(batch, torch.addmm(points.squares, queries.single[batch], points.single.T, alpha=-2.0))
    for batch in everything[in_doubt(queries, squared, farthest)].split(max(1, pairs // (2 * len(points)))):
        keep(batch, precisely(points.exact, queries.exact[batch]))
    return indices, squared
