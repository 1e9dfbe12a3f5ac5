"""Vectors from links: what an item is linked to, weighted by how much that says, in a few dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Float32, Float64, Floating
from mrsne.backends.cpu.singular import SparseProducts, left_singular_vectors
from mrsne.backends.distances import PRECOMPUTED, KnownDistances
from mrsne.backends.rows import Sparse, prepare
from mrsne.threads import one_blas_thread

DIMENSIONS = 50
FEWEST_ITEMS = 10  # that a neighbour graph by shared links is made of
MOST_ITEMS, QUERIES, NEAREST = 5_000, 500, 5  # whose neighbours by vector and by links are compared


def weighted_links(data: Any, domain: str, items: Any = slice(None)) -> sparse.csr_matrix:
    """Return a row for each item: its links in all relations, weighted by TF-IDF, each relation's part of length 1."""
    parts = []
    for a, b in data.relations:
        if domain in (a, b):
            W = data.relation(domain, b if domain == a else a)
            links = sparse.csr_matrix(W + W.T if a == b else W)
            linked = np.bincount(links.indices, minlength=links.shape[1])
            rarity = (1 + np.log((1 + links.shape[0]) / (1 + linked))) / links.data.max()  # no overflow of squares
            parts.append(_unit_rows(links[items].astype(np.float64) @ sparse.diags_array(rarity)))
    return sparse.csr_matrix(sparse.hstack(parts, format="csr"))


SingularVectors = Callable[[sparse.csr_matrix, int], Float32]


def singular_vectors(links: sparse.csr_matrix, width: int) -> Float32:
    """Return the first left singular vectors of a sparse matrix, each times its singular value."""
    with one_blas_thread():
        return np.asarray(left_singular_vectors(SparseProducts(links), width)[:, :width])


def link_vectors(data: Any, domain: str, decompose: SingularVectors = singular_vectors) -> Float32 | None:
    """Return vectors of items by their links, NaN where an item has none; or None where that says nothing.

    The first left singular vectors of :func:`weighted_links`, each times its singular value, scaled to length 1: items
    are near each other if they are linked to the same items, or to items that are linked alike. The random numbers that
    find them are always the same.
    """
    links = weighted_links(data, domain)
    linked = np.flatnonzero(_is_linked(data, domain))
    width = min(DIMENSIONS, len(linked) - 1, links.shape[1] - 1)
    if len(linked) < FEWEST_ITEMS or width < 1:
        return None
    found = decompose(links[linked], width)
    length = np.linalg.norm(found.astype(np.float64), axis=1, keepdims=True)  # of a rare link it may be tiny
    vectors = np.full((data.sizes[domain], width), np.nan, np.float32)
    vectors[linked] = found / np.where(length > 0, length, 1)
    return vectors


def agreement(data: Any, domain: str, metric: str) -> float:
    """Return how well the neighbours of an item by vector agree with its links.

    The mean cosine of the links of an item and of its nearest by vector, on a scale on which 0 is that of any two items
    and 1 that of the nearest by links; from at most 500 items and their neighbours among 5,000. 1 where there is
    nothing to compare.
    """
    vectors: Any = data.vectors[domain]
    random = np.random.default_rng(0)
    items = np.flatnonzero(~data.missing[domain] & _is_linked(data, domain))
    if len(items) > MOST_ITEMS:
        items = np.sort(random.choice(items, MOST_ITEMS, replace=False))
    nearest = min(NEAREST, len(items) // 3)
    if nearest < 1:
        return 1.0
    asked = np.sort(random.choice(len(items), min(QUERIES, len(items)), replace=False))
    itself = np.arange(len(asked)), asked
    links = _unit_rows(weighted_links(data, domain, items))
    cosine = (links[asked] @ links.T).toarray()
    distance: Floating
    if metric == PRECOMPUTED:
        distance = KnownDistances(vectors[items[asked]][:, items]).dense()
    else:
        rows = prepare(vectors[items], metric)
        found = rows.matrix if isinstance(rows, Sparse) else rows.block(slice(None))
        distance = _distances(found[asked], found)
    cosine[itself], distance[itself] = -np.inf, np.inf
    near = np.argpartition(distance, nearest - 1, axis=1)[:, :nearest]
    known = np.isfinite(np.take_along_axis(distance, near, axis=1))  # of given distances perhaps only a few
    if not known.any():
        return 1.0
    by_vector = np.take_along_axis(cosine, near, axis=1)[known].mean()
    by_links = -np.partition(-cosine, nearest - 1, axis=1)[:, :nearest].mean()
    cosine[itself] = 0
    by_chance = cosine.sum() / (cosine.size - len(asked))
    return float((by_vector - by_chance) / (by_links - by_chance)) if by_links > by_chance + 1e-9 else 1.0


def _is_linked(data: Any, domain: str) -> Bool:
    """Return which items of a domain have a link."""
    found = np.zeros(data.sizes[domain], dtype=bool)
    for (a, b), W in data.relations.items():
        if domain == a:
            found |= np.diff(W.indptr) > 0
        if domain == b:
            found |= np.bincount(W.indices, minlength=W.shape[1]) > 0
    return found


def _distances(asked: Any, found: Any) -> Floating:
    """Return the distances between the rows of two matrices, dense or sparse, from products in double precision."""
    A, X = asked.astype(np.float64), found.astype(np.float64)
    products = A @ X.T
    squared = -2 * (products if isinstance(products, np.ndarray) else products.toarray())
    squared += _squared_lengths(A)[:, None]
    squared += _squared_lengths(X)
    return np.asarray(np.sqrt(np.maximum(squared.astype(found.dtype), 0)))


def _squared_lengths(matrix: Any) -> Float64:
    if isinstance(matrix, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", matrix, matrix))
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return np.asarray(np.bincount(rows, matrix.data**2, matrix.shape[0]), dtype=np.float64)


def _unit_rows(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return rows of length 1, and those that are empty."""
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags_array(1 / np.where(length > 0, length, 1)) @ matrix)
