"""Observed graphs into joint probabilities R."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mrsne.backends.base import LinkFactors, LinkNorm, LinkTotals
from mrsne.backends.links import link_values, totals_of


def strengths(W: sparse.csr_matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums r_i = Σ_j w_ij of the rows and c_j = Σ_i w_ij of the columns."""
    return np.asarray(W.sum(axis=1)).ravel(), np.asarray(W.sum(axis=0)).ravel()


def normalized(W: sparse.csr_matrix, norm: LinkNorm) -> sparse.csr_matrix:
    """Return w_ij / (r_i^a c_j^b), with row sums r and column sums c of W, or w_ij (u_i + v_j).

    Examples
    --------
    >>> W = sparse.csr_matrix(np.array([[1.0, 1.0], [0.0, 2.0]]))
    >>> normalized(W, (1.0, 1.0)).toarray().round(3)
    array([[0.5  , 0.167],
           [0.   , 0.333]])
    >>> normalized(W, LinkFactors(np.array([0.5, 0.5]), np.array([1.0, 0.0]))).toarray()
    array([[1.5, 0.5],
           [0. , 1. ]])
    """
    first, second = norm if isinstance(norm, LinkFactors) else strengths(W)
    values = link_values(W.data, np.repeat(first, np.diff(W.indptr)), second[W.indices], norm)
    return sparse.csr_matrix((values, W.indices, W.indptr), shape=W.shape)


def relation_probabilities(W: sparse.csr_matrix, norm: LinkNorm) -> sparse.csr_matrix:
    """Return R of a relation, summing to 1 (step (i-2) of the paper).

    Examples
    --------
    >>> relation_probabilities(sparse.csr_matrix(np.array([[1.0, 3.0]])), (0.0, 0.0)).toarray()
    array([[0.25, 0.75]])
    """
    W = W / W.data.max()  # no overflow from products of huge weights
    R = normalized(W, norm)
    return R / R.data.sum()


def link_totals(W: sparse.csr_matrix) -> tuple[LinkTotals, LinkTotals]:
    """Return what links add up to in each row and in each column, where the largest weight is 1.

    Examples
    --------
    >>> rows, columns = link_totals(sparse.csr_matrix(np.array([[2.0, 2.0], [0.0, 1.0]])))
    >>> rows.sums, rows.effective, columns.sums
    (array([2. , 0.5]), array([2., 1.]), array([1. , 1.5]))
    """
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
