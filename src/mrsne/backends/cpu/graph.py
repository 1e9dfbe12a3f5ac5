"""The stochastic neighbour graph P^(d) of one set of vectors, on the processor."""

import numpy as np
from scipy import sparse

from mrsne.arrays import Float32, Float64
from mrsne.backends.base import GraphPlan
from mrsne.backends.cpu.probabilities import known_probabilities, neighbor_probabilities, symmetrized
from mrsne.backends.cpu.search.neighbors import nearest_neighbors
from mrsne.backends.cpu.search.ranking import distances_to_others
from mrsne.backends.distances import KnownDistances
from mrsne.backends.rows import Rows
from mrsne.matrices import matrix_of

PAIRS_AT_A_TIME = 2**22  # whose distances are in memory, 8 bytes each


def neighbor_graph(
    rows: Rows | KnownDistances, plan: GraphPlan, masses: Float64 | None = None
) -> tuple[sparse.csr_matrix, float]:
    if isinstance(rows, KnownDistances):
        return _by_distances(rows, plan, masses), 1.0
    if plan.all_pairs:
        assert plan.perplexity is not None
        return _all_pairs(rows, plan.perplexity, masses), 1.0
    found = nearest_neighbors(rows, plan.k, plan.goal, plan.exhaustive)
    if plan.perplexity is None:
        probabilities = np.full((len(rows), plan.k), 1 / plan.k, np.float32)
    else:
        probabilities = neighbor_probabilities(found.squared, plan.perplexity)
    indices, recall, order = found.indices, found.recall, found.order
    del found  # the distances are as large as all the rest
    if masses is not None:
        probabilities *= row_scales(masses)
    return symmetrized(indices, probabilities, order), recall


def row_scales(masses: Float64) -> Float32:
    """Return m_i n / Σm, by which rows are multiplied, as a column."""
    return np.asarray(masses * (len(masses) / masses.sum()), dtype=np.float32)[:, None]


def _by_distances(distances: KnownDistances, plan: GraphPlan, masses: Float64 | None) -> sparse.csr_matrix:
    P = known_probabilities(distances.nearest(plan.k), plan.k, plan.perplexity)
    if masses is not None:
        P.data *= np.repeat(row_scales(masses).ravel(), np.diff(P.indptr))
    P.sort_indices()
    n = len(distances)
    P = (P + P.T.tocsr()) * np.float32(1 / (2 * n))
    P.eliminate_zeros()
    return matrix_of(P.indptr.astype(np.int64), P.indices.astype(np.int32), P.data, n)


def _all_pairs(rows: Rows, perplexity: float, masses: Float64 | None) -> sparse.csr_matrix:
    n = len(rows)
    P = np.zeros((n, n), np.float32)
    height = max(1, PAIRS_AT_A_TIME // n)
    for start in range(0, n, height):
        block = np.arange(start, min(start + height, n))
        others = np.arange(n) != block[:, None]
        P[start : start + height][others] = neighbor_probabilities(distances_to_others(rows, block), perplexity).ravel()
    if masses is not None:
        P *= row_scales(masses)
    P = P + P.T
    P /= np.float32(2 * n)
    return _positive_entries(P, height)


def _positive_entries(P: Float32, height: int) -> sparse.csr_matrix:
    """Return a dense matrix as a sparse one, block by block: all positions at once would take 16 bytes each."""
    n = len(P)
    indptr = np.concatenate([[0], np.cumsum(np.count_nonzero(P, axis=1))])
    columns, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    for start in range(0, n, height):
        block = P[start : start + height]
        at = slice(indptr[start], indptr[min(start + height, n)])
        columns[at] = np.nonzero(block)[1]
        values[at] = block[block != 0]
    return matrix_of(indptr, columns, values, n)
