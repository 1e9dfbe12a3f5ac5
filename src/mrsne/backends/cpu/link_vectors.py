"""Neighbours by links: items are near each other if they share what they are linked to, or what that is linked to."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from mrsne.arrays import Bool, Float32, Float64, Floating, Int32
from mrsne.backends.base import GraphPlan
from mrsne.backends.cpu.shared_links import shared_links, unit_rows, weighted_links
from mrsne.backends.cpu.singular import SparseProducts, left_singular_vectors
from mrsne.backends.distances import PRECOMPUTED, KnownDistances, KnownNeighbors
from mrsne.backends.rows import Rows, Sparse, prepare
from mrsne.loops import kernel
from mrsne.matrices import arrays_of
from mrsne.threads import one_blas_thread

DIMENSIONS = 50
FEWEST_ITEMS = 10  # that a neighbour graph by shared links is made of
MOST_ITEMS, QUERIES, NEAREST = 5_000, 500, 5  # whose neighbours by vector and by links are compared
LEAST_COSINE = 0.1  # of the shared links of neighbours; a link that all items have comes to less beside a rare one

SingularVectors = Callable[[sparse.csr_matrix, int], Float32]
Search = Callable[[Rows, GraphPlan], tuple[Int32, Float64]]  # for the nearest rows of each, and squared distances


def singular_vectors(links: sparse.csr_matrix, width: int) -> Float32:
    """Return the first left singular vectors of a sparse matrix, each times its singular value."""
    with one_blas_thread():
        return np.asarray(left_singular_vectors(SparseProducts(links), width)[:, :width])


def link_vectors(links: sparse.csr_matrix, decompose: SingularVectors = singular_vectors) -> Float32 | None:
    """Return vectors of length 1 of items by their shared links, or None where all items share the same.

    These are the first left singular vectors, each times its singular value; found by random numbers that are always
    the same.
    """
    width = min(DIMENSIONS, links.shape[0] - 1, links.shape[1] - 1)
    if width < 1:
        return None
    found = decompose(links, width)
    length = np.linalg.norm(found.astype(np.float64), axis=1, keepdims=True)  # of a rare link it may be tiny
    return np.asarray(found / np.where(length > 0, length, 1), dtype=np.float32)


def link_neighbors(
    data: Any, domain: str, plan_for: Callable[[int], GraphPlan], search: Search, decompose: SingularVectors
) -> tuple[KnownNeighbors, Bool] | None:
    """Return the neighbours of items by what they share, and which items have any; None where too few have.

    Of the nearest by :func:`link_vectors` those remain whose links are alike: vectors of few dimensions know nothing of
    rare links, and where an item shares its links with few others, the rest of the nearest is chance.
    """
    links = shared_links(data, domain)
    items = np.flatnonzero(np.diff(links.indptr))
    vectors = link_vectors(links := links[items], decompose) if len(items) >= FEWEST_ITEMS else None
    if vectors is None:
        return None
    nearest, squared = search(prepare(vectors, "euclidean"), plan_for(len(items)))
    alike, n = np.empty(nearest.shape, bool), len(items)
    _compare.over(n, *arrays_of(links.astype(np.float32)), np.ascontiguousarray(nearest), LEAST_COSINE, alike)
    near = sparse.csr_matrix((squared[alike], (np.nonzero(alike)[0], nearest[alike])), shape=(n, n))
    while not (has_some := np.diff(near.indptr) > 0).all():
        near, items = near[has_some][:, has_some], items[has_some]
    if len(items) < FEWEST_ITEMS:
        return None
    return KnownNeighbors(near), np.isin(np.arange(data.sizes[domain]), items)


@kernel("i8[:] i4[:] f4[:] i4[:,:] f8 b1[:,:]!")
def _compare(start, stop, indptr, indices, values, nearest, least, alike):
    """Mark the neighbours j of i with Σ_c x_ic x_jc above a limit."""
    for i in range(start, stop):
        for place in range(nearest.shape[1]):
            j = nearest[i, place]
            a, b, cosine = indptr[i], indptr[j], 0.0
            while a < indptr[i + 1] and b < indptr[j + 1]:
                if indices[a] == indices[b]:
                    cosine += np.float64(values[a]) * values[b]
                step = indices[a] <= indices[b]
                b += indices[b] <= indices[a]
                a += step
            alike[i, place] = cosine >= least


def agreement(data: Any, domain: str, metric: str) -> float:
    """Return how well the neighbours of an item by vector agree with its links.

    The mean cosine of the links of an item and of its nearest by vector, on a scale on which 0 is that of any two items
    and 1 that of the nearest by links; from at most 500 items and their neighbours among 5,000, which are chosen by
    their vectors: another order of the rows, or a few items fewer, leave the choice as it is. Items at the same
    distance count alike. 1 where there is nothing to compare.
    """
    vectors: Any = data.vectors[domain]
    links = weighted_links(data, domain)
    items = np.flatnonzero(~data.missing[domain] & (np.diff(links.indptr) > 0))
    if len(items) < 3:
        return 1.0
    items = items[np.argsort(sampling_keys(vectors[items], metric), kind="stable")[:MOST_ITEMS]]
    nearest = min(NEAREST, len(items) // 3)
    asked = np.arange(min(QUERIES, len(items)))
    links = unit_rows(links[items])
    cosine = (links[asked] @ links.T).toarray()
    distance: Floating
    if metric == PRECOMPUTED:
        distance = KnownDistances(vectors[items[asked]][:, items]).dense()
    else:
        rows = prepare(vectors[items], metric)
        found = rows.matrix if isinstance(rows, Sparse) else rows.block(slice(None))
        distance = _distances(found[asked], found)
    cosine[asked, asked], distance[asked, asked] = -np.inf, np.inf
    by_links = -np.partition(-cosine, nearest - 1, axis=1)[:, :nearest].mean()
    cosine[asked, asked] = 0
    limit = np.partition(distance, nearest - 1, axis=1)[:, nearest - 1 : nearest]
    nearer, tied = distance < limit, (distance == limit) & np.isfinite(limit)  # of given distances few may be known
    left = nearest - nearer.sum(axis=1, keepdims=True)
    shares = nearer + tied * (left / np.maximum(tied.sum(axis=1, keepdims=True), 1))
    if not shares.any():
        return 1.0
    by_vector = (shares * cosine).sum() / shares.sum()
    by_chance = cosine.sum() / (cosine.size - len(asked))
    return float((by_vector - by_chance) / (by_links - by_chance)) if by_links > by_chance + 1e-9 else 1.0


def sampling_keys(vectors: Any, metric: str) -> Float64:
    """Return a number from 0 to 1 for each vector, as good as random, almost the same for almost the same vectors.

    The fractional part of the vector's coordinate along a direction, in hundredths of a power of two near its spread.
    """
    if metric == PRECOMPUTED:
        along = np.asarray(vectors.mean(axis=1), dtype=np.float64).ravel()
    else:
        direction = np.random.default_rng(0).standard_normal(vectors.shape[1])
        along = np.asarray(vectors @ direction, dtype=np.float64).ravel()
    spread = float(along.std())
    return np.asarray(np.modf(100 * along / 2.0 ** round(math.log2(spread)) if spread > 0 else along)[0] % 1)


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
