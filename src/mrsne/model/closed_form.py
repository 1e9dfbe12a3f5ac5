"""How much each link speaks for another one: regressions of every column on all others, solved in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, lapack
from scipy.sparse.linalg import LinearOperator, cg

from mrsne.arrays import Float32, Float64
from mrsne.backends.cpu.singular import SparseProducts, left_singular_vectors
from mrsne.backends.cpu.sparse_products import TILE, add_dense, packed

MOST_EXACT = 10_000  # columns whose inverse is computed, 400 MB; of more, in the span of the largest singular vectors
RANK = 512  # of these
BLOCK = 1_000  # columns at a time
RARE = 0.1  # of the mean number of links: columns of fewer are held back as those of so many
FEATURE_RIDGE = 1.0  # beside the mean of the diagonal


@dataclass(frozen=True)
class Exact:
    """Weights B as they are."""

    tiles: Float32  # packed

    def add(self, links: sparse.csr_matrix, columns: Any, result: Float32) -> None:
        """Add X B to a dense block."""
        tiles = self.tiles if columns is None else packed(self.tiles[columns // TILE, :, columns % TILE].T)
        add_dense(links, tiles, result)

    def between(self, inputs: Any, column: int) -> Float32:
        """Return what some links speak for one column."""
        return np.asarray(self.tiles[column // TILE, inputs, column % TILE])


@dataclass(frozen=True)
class LowRank:
    """Weights B = L R; what a column says of itself is not 0 here, and plays no part, as known links are left out."""

    tiles: Float32  # L, packed
    right: Float32

    def add(self, links: sparse.csr_matrix, columns: Any, result: Float32) -> None:
        """Add X B to a dense block."""
        inner = np.zeros((links.shape[0], len(self.right)), np.float32)
        add_dense(links, self.tiles, inner)
        result += inner @ columns_of(self.right, columns)

    def between(self, inputs: Any, column: int) -> Float32:
        """Return what some links speak for one column."""
        left = np.concatenate([tile[inputs] for tile in self.tiles], axis=-1)[..., : len(self.right)]
        return np.asarray(left @ self.right[:, column])


def penalties(X: sparse.csr_matrix, ridge: float) -> Float64:
    """Return λ_j = λ √(n_j n̄), with n_j the number of links of column j and n̄ its mean.

    Steck's λ is the same for all columns. Frequent ones are held back more here, in proportion to the root of n_j.
    """
    counts = np.bincount(X.indices, minlength=X.shape[1]).astype(np.float64)
    mean = max(X.nnz / X.shape[1], 1e-12)
    return np.asarray(ridge * np.sqrt(np.maximum(counts, RARE * mean) * mean))


def link_weights(X: sparse.csr_matrix, targets: int, ridge: float) -> Exact | LowRank:
    """Return B for the first columns of X: B_ij = −Q_ij / Q_jj and B_jj = 0, with Q = (XᵀX + diag λ)⁻¹.

    Column j of B solves min ‖x_j − X b‖² + Σ λ_i b_i² over all b with b_j = 0 (Steck, "Embarrassingly shallow
    autoencoders for sparse data", 2019).
    """
    penalty = penalties(X, ridge)
    if X.shape[1] > MOST_EXACT:
        return _in_a_subspace(X, targets, penalty)
    Q = _inverse(_gram(X, penalty))
    Q = Q[:, :targets]
    Q /= -np.diagonal(Q).copy()
    np.fill_diagonal(Q, 0)
    return Exact(packed(Q))


def new_link_weights(X: sparse.csr_matrix, ridge: float, columns: Float64) -> Float32:
    """Return what the links of X speak for new columns: (XᵀX + diag λ)⁻¹ Xᵀ w, by conjugate gradients."""
    penalty = penalties(X, ridge)
    X = X.astype(np.float64)
    normal = LinearOperator((len(penalty),) * 2, matvec=lambda b: X.T @ (X @ b) + penalty * b, dtype=np.float64)
    found = [cg(normal, X.T @ w, rtol=1e-6, maxiter=200)[0] for w in columns.T]
    return np.asarray(np.stack(found, axis=1), dtype=np.float32)


def feature_weights(features: Float32, W: Any) -> Float32:
    """Return C = (FᵀF + λI)⁻¹ Fᵀ W, a ridge regression of links on features; λ is the mean of the diagonal of FᵀF."""
    wide = features.astype(np.float64)
    squares = wide.T @ wide
    squares[np.diag_indices_from(squares)] += FEATURE_RIDGE * max(np.trace(squares) / max(len(squares), 1), 1e-12)
    products = np.asarray((W.T @ wide).T if sparse.issparse(W) else wide.T @ W)
    return np.asarray(cho_solve(cho_factor(squares), products), dtype=np.float32)


def _gram(X: sparse.csr_matrix, penalty: Float64) -> Float32:
    """Return XᵀX + diag λ as Fortran has it."""
    G = np.empty((X.shape[1],) * 2, np.float32, order="F")
    transposed, by_column = X.T.tocsr(), X.tocsc()
    for start in range(0, X.shape[1], BLOCK):
        G[:, start : start + BLOCK] = (transposed @ by_column[:, start : start + BLOCK]).toarray()
    G[np.diag_indices_from(G)] += penalty.astype(np.float32)
    return G


def _inverse(G: Float32) -> Float32:
    """Return the inverse of a positive definite matrix, in its place."""
    factor, failed = lapack.spotrf(G, lower=1, overwrite_a=1)
    Q, failed_too = lapack.spotri(factor, lower=1, overwrite_c=1)
    if failed or failed_too:  # λ keeps it far from singular
        raise np.linalg.LinAlgError("the products of links have no inverse")
    for start in range(0, len(Q), BLOCK):  # the other triangle
        own, after = slice(start, start + BLOCK), slice(start + BLOCK, None)
        Q[own, after] = Q[after, own].T
        Q[own, own] = np.tril(Q[own, own]) + np.tril(Q[own, own], -1).T
    return np.asarray(Q)


def _in_a_subspace(X: sparse.csr_matrix, targets: int, penalty: Float64) -> LowRank:
    """Return the same for X ≈ U S Vᵀ: with D = diag λ, Q = D^-½ (I − V S²/(S² + 1) Vᵀ) D^-½ for X D^-½."""
    root = np.sqrt(penalty)
    scaled = sparse.csr_matrix(X @ sparse.diags_array(1 / root))
    lengths = np.asarray(left_singular_vectors(SparseProducts(scaled.T.tocsr()), RANK)[:, :RANK], np.float64)
    values = (lengths**2).sum(axis=0)
    V = lengths / np.sqrt(np.maximum(values, 1e-12))
    shrunk = V * (values / (values + 1))
    rest = np.maximum(1 - (shrunk * V).sum(axis=1), 1e-3)
    left, right = shrunk / root[:, None], (V * (root / rest)[:, None])[:targets]
    return LowRank(packed(left.astype(np.float32)), np.ascontiguousarray(right.T.astype(np.float32)))


def columns_of(A: Any, columns: Any) -> Any:
    """Return some columns of a matrix, or for None all of them, which are not copied."""
    return A if columns is None else A[:, columns]
