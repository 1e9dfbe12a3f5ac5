"""The nearest neighbours of every vector on a graphics card, by comparing all with all.

Matrix products in single precision find candidates, a few more than asked for; their distances are then computed again
from the differences of the vectors. Vectors stay in the processor's memory and pass over the card in blocks, so there
may be more of them than fit there; the best candidates so far are kept on the card.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from mrsne.affinity.rows import Dense

PAIRS = 2**30  # compared at a time: 4 GiB of distances
CHUNK = 2**31  # numbers of the vectors that are on the card at a time, 8 GiB in single precision
RANKED = 2**28  # numbers that differences take at a time
SPARE = 16  # candidates beyond k, against rounding at the edge


def search_all(
    rows: Dense, k: int, device: str, *, chunk: int = CHUNK, pairs: int = PAIRS
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the k nearest other rows of every row, and their squared distances, sorted.

    Parameters
    ----------
    rows : Dense
    k : int
        Less than the number of rows.
    device : str
    chunk, pairs : int
        How many numbers of the vectors are on the device, and how many pairs are compared, at a time.

    Examples
    --------
    >>> from mrsne.affinity.rows import prepare
    >>> indices, squared = search_all(prepare(np.array([[0.0], [1.0], [3.0]]), "euclidean"), 1, "cpu")
    >>> indices.tolist(), squared.tolist()
    ([[1], [0], [1]], [[1.0], [1.0], [4.0]])
    """
    n, width = rows.shape
    exact = torch.float64 if rows.kind == "f8" else torch.float32
    height = max(1, chunk // width)
    wanted = min(k + SPARE, n - 1)
    indices, squared = np.empty((n, k), np.int32), np.empty((n, k))
    centre = torch.from_numpy(rows.block(slice(0, n, max(1, n // 1000))).mean(axis=0)).to(device, exact)
    on_device = _uploaded(rows, 0, n, centre, device) if n <= height else None
    block = max(1, pairs // min(n, height))
    for first in range(0, n, block):
        last = min(n, first + block)
        queries = on_device[first:last] if on_device is not None else _uploaded(rows, first, last, centre, device)
        best: tuple[torch.Tensor, torch.Tensor] | None = None
        for start in range(0, n, height):
            stop = min(n, start + height)
            others = on_device if on_device is not None else _uploaded(rows, start, stop, centre, device)
            best = _merged(best, _candidates(queries, others, first, start, wanted), wanted)
        assert best is not None
        distances, order = best[0].sort(dim=1, stable=True)
        indices[first:last] = best[1].gather(1, order)[:, :k].to(torch.int32).cpu().numpy()
        squared[first:last] = distances[:, :k].double().cpu().numpy()
    return indices, squared


def _uploaded(rows: Dense, first: int, last: int, centre: torch.Tensor, device: str) -> torch.Tensor:
    """Copy some rows to a device, relative to the centre."""
    values = rows.block(slice(first, last)).astype(np.float64 if centre.dtype == torch.float64 else np.float32)
    return torch.from_numpy(values).to(device) - centre


def _candidates(
    queries: torch.Tensor, others: torch.Tensor, first: int, start: int, wanted: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return exact squared distances to the nearest of some rows, and their numbers; a row is not its own candidate."""
    approximate = others.float()
    distances = torch.addmm((approximate**2).sum(dim=1)[None, :], queries.float(), approximate.T, beta=1.0, alpha=-2.0)
    own = torch.arange(first, first + len(queries), device=queries.device) - start
    here = (own >= 0) & (own < len(others))
    rows_here = torch.nonzero(here).squeeze(1)
    distances[rows_here, own[here]] = torch.inf
    found = distances.topk(min(wanted, len(others)), dim=1, largest=False, sorted=False).indices
    del distances
    exact = torch.empty(found.shape, dtype=queries.dtype, device=queries.device)
    height = max(1, RANKED // (found.shape[1] * queries.shape[1]))
    for at in range(0, len(queries), height):
        some = slice(at, at + height)
        exact[some] = ((others[found[some]] - queries[some, None, :]) ** 2).sum(dim=2)
    exact[found == own[:, None]] = torch.inf  # where there were too few others
    return exact, found + start


def _merged(
    best: tuple[torch.Tensor, torch.Tensor] | None, more: tuple[torch.Tensor, torch.Tensor], wanted: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the nearest of two sets of candidates."""
    if best is None:
        return more
    distances, numbers = (torch.cat([old, new], dim=1) for old, new in zip(best, more, strict=True))
    kept = distances.topk(min(wanted, distances.shape[1]), dim=1, largest=False, sorted=False).indices
    return distances.gather(1, kept), numbers.gather(1, kept)
