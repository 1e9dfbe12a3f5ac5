"""The recommenders that people compare with, a few lines each: scores of all pairs from the links W alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Scores = NDArray[np.float64]
Scorer = Callable[[sparse.csr_matrix], Scores]


def popular() -> Iterator[tuple[str, Scorer]]:
    """Score by the number of links."""
    yield "", lambda W: np.tile(np.asarray(W.sum(axis=0)).ravel(), (W.shape[0], 1))


def p3alpha() -> Iterator[tuple[str, Scorer]]:
    """Walk three steps (Cooper et al. 2014), with probabilities to the power of α."""
    for alpha in (0.4, 0.7, 1.0, 1.3, 1.7):
        yield f"α={alpha}", partial(_walk, alpha=alpha, beta=0, k=None)


def rp3beta() -> Iterator[tuple[str, Scorer]]:
    """Divide by popularity to the power of β (Paudel et al. 2017), and keep the k strongest ties of each item."""
    for alpha, beta, k in product((0.5, 0.8, 1.0, 1.3), (0.1, 0.3, 0.5, 0.7, 0.9), (100, None)):
        yield f"α={alpha}, β={beta}, k={k}", partial(_walk, alpha=alpha, beta=beta, k=k)


def item_knn() -> Iterator[tuple[str, Scorer]]:
    """Sum the shrunk cosines of the k most similar items."""
    for k, shrink in product((20, 50, 100, 200, 500), (0, 1, 5, 20, 100)):

        def score(W: sparse.csr_matrix, k: int = k, shrink: int = shrink) -> Scores:
            G = (W.T @ W).toarray()
            lengths = np.sqrt(np.diagonal(G))
            return np.asarray(W @ _strongest(_hollow(G / (np.outer(lengths, lengths) + shrink + 1e-9)).T, k).T)

        yield f"k={k}, shrink={shrink}", score


def ease() -> Iterator[tuple[str, Scorer]]:
    """Regress every column on all others (Steck 2019)."""
    for ridge in (0.1, 0.3, 1, 3, 10, 30, 100, 200, 300, 500, 1000):

        def score(W: sparse.csr_matrix, ridge: float = ridge) -> Scores:
            Q = np.linalg.inv((W.T @ W).toarray() + ridge * np.eye(W.shape[1]))
            return np.asarray(W @ _hollow(-Q / np.diagonal(Q)))

        yield f"λ={ridge}", score


def pure_svd() -> Iterator[tuple[str, Scorer]]:
    """Project the links onto the r largest right singular vectors (Cremonesi et al. 2010)."""
    for rank in (10, 20, 40, 80, 160, 320):

        def score(W: sparse.csr_matrix, rank: int = rank) -> Scores:
            V = np.linalg.eigh((W.T @ W).toarray())[1][:, -rank:]
            return np.asarray((W @ V) @ V.T)

        yield f"r={rank}", score


RECOMMENDERS = {
    "most popular": popular,
    "P3alpha": p3alpha,
    "RP3beta": rp3beta,
    "ItemKNN": item_knn,
    "PureSVD": pure_svd,
    "EASE": ease,
}


def neighbour_tags(X: Any, W: sparse.csr_matrix, k: int) -> Scores:
    """Score the tags of the k items with links that are most similar by cosine, weighted by it."""
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    units = dense / np.maximum(np.linalg.norm(dense, axis=1, keepdims=True), 1e-12)
    similarity = units @ units.T
    similarity[:, np.diff(W.indptr) == 0] = 0
    return np.asarray(_strongest(_hollow(similarity), k) @ W)


def _walk(W: sparse.csr_matrix, alpha: float, beta: float, k: int | None) -> Scores:
    rows, columns = (np.asarray(W.sum(axis=axis)).ravel() for axis in (1, 0))
    there = sparse.csr_matrix(sparse.diags_array(_inverse(rows)) @ W)
    back = sparse.csr_matrix(sparse.diags_array(_inverse(columns)) @ W.T)
    there.data **= alpha
    back.data **= alpha
    M = _hollow((back @ there).toarray()) * _inverse(columns) ** beta
    return np.asarray(W @ (M if k is None else _strongest(M, k)))


def _inverse(sums: Scores) -> Scores:
    return np.where(sums > 0, 1 / np.where(sums > 0, sums, 1), 0)


def _hollow(matrix: Scores) -> Scores:
    np.fill_diagonal(matrix, 0)
    return matrix


def _strongest(matrix: Scores, k: int) -> Scores:
    """Return a matrix with the k largest numbers of each row; the others are 0."""
    if k >= matrix.shape[1]:
        return matrix
    least = np.partition(matrix, -k, axis=1)[:, -k:][:, :1]
    return np.where(matrix >= least, matrix, 0)
