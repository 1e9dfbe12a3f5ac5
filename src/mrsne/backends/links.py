"""Links into joint probabilities R: what their weights are multiplied with, and what they add up to."""

from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Float64
from mrsne.backends.base import LinkFactors, LinkNorm, LinkTotals


def link_values(weights: Any, first: Any, second: Any, norm: LinkNorm) -> Any:
    """Return w_ij (u_i + v_j) from the factors of both ends of every link, or w_ij / (r_i^a c_j^b) from their sums."""
    if isinstance(norm, LinkFactors):
        return weights * (first + second)
    a, b = norm
    if a == b:
        return weights / (first * second) ** a if a else weights
    return weights / (first**a * second**b)


def totals_of(sums: Float64, squares: Float64) -> LinkTotals:
    """Return what links add up to, from the sums of their weights and of the squares of those."""
    # weights too small to have a square count as one link
    effective = np.divide(sums**2, squares, out=(sums > 0).astype(np.float64), where=squares > 0)
    return LinkTotals(sums, np.maximum(effective, sums > 0))


def strengths(W: sparse.csr_matrix) -> tuple[Float64, Float64]:
    """Return the sums r_i = Σ_j w_ij of the rows and c_j = Σ_i w_ij of the columns."""
    return np.asarray(W.sum(axis=1)).ravel(), np.asarray(W.sum(axis=0)).ravel()


def relation_probabilities(W: sparse.csr_matrix, norm: LinkNorm) -> sparse.csr_matrix:
    """Return R of a relation, summing to 1 (step (i-2) of the paper)."""
    W = W / W.data.max()  # no overflow from products of huge weights
    first, second = norm if isinstance(norm, LinkFactors) else strengths(W)
    values = link_values(W.data, np.repeat(first, np.diff(W.indptr)), second[W.indices], norm)
    return sparse.csr_matrix((values * (1 / values.sum()), W.indices, W.indptr), shape=W.shape)


def link_totals(W: sparse.csr_matrix) -> tuple[LinkTotals, LinkTotals]:
    """Return what links add up to in each row and in each column, where the largest weight is 1."""
    W = W / W.data.max()
    squared = sparse.csr_matrix((W.data**2, W.indices, W.indptr), shape=W.shape)
    (r, c), (r_squared, c_squared) = strengths(W), strengths(squared)
    return totals_of(r, r_squared), totals_of(c, c_squared)


def within_graph(W: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return the undirected graph (W + Wᵀ)/2 of a relation inside one domain, without links of items to themselves."""
    G = ((W + W.T.tocsr()) / 2).tocsr()
    G.setdiag(0)
    G.eliminate_zeros()
    return G
