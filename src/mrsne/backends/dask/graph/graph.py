"""Neighbours of some rows into entries of the neighbour graph, on a worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mrsne.backends.cpu.probabilities import neighbor_probabilities
from mrsne.backends.dask.search.merging import Found
from mrsne.data.triples import Triples


class NeighborBlock(NamedTuple):
    """The neighbours of all rows of a domain, and what their probabilities are; see ``Backend.neighbor_graph``."""

    domain: str
    parts: list[Any]  # futures of Found
    n: int
    k: int
    perplexity: float | None
    masses: Any = None  # a future of m, by row
    total: float = 0.0  # Σm

    def entries(self, beta: float, offsets: Mapping[str, int], submit: Any) -> list[Any]:
        """Return the entries of β P^(d) in P̃, as futures."""
        place = (offsets[self.domain], beta / (2 * (self.total if self.masses is not None else self.n)))
        return [submit(neighbor_links, found, self.perplexity, *place, self.masses) for found in self.parts]


def neighbor_links(
    found: Found, perplexity: float | None, offset: int, scale: float, masses: NDArray[np.float64] | None = None
) -> Triples:
    """Return the entries of β (m_i p_{j|i} + m_j p_{i|j}) / 2Σm in P̃ that come from the neighbours of some rows."""
    triples = conditional(found, perplexity)
    if masses is not None:
        triples = triples._replace(weights=triples.weights * masses[triples.rows])
    return Triples.joined([triples.placed(offset, offset, scale, transposed) for transposed in (False, True)])


def conditional(found: Found, perplexity: float | None) -> Triples:
    """Return the triples (i, j, p_{j|i}) of some rows; uniform ones without a perplexity."""
    numbers, indices, squared = found
    lacking = indices < 0
    if perplexity is None:
        p = np.full(indices.shape, 1 / indices.shape[1], np.float32)
    else:
        farthest = np.where(lacking, 0, squared).max(axis=1, keepdims=True)
        p = neighbor_probabilities(np.where(lacking, farthest, squared), perplexity, n_jobs=1)
    p = np.where(lacking, 0, p)
    p = p / p.sum(axis=1, keepdims=True, dtype=np.float64)
    i = np.repeat(numbers, indices.shape[1])
    kept = ~lacking.ravel()
    return Triples(i[kept], indices.ravel()[kept], p.ravel()[kept].astype(np.float64))
