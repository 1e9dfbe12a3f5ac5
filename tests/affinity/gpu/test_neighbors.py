"""Neighbours by matrix products, on a graphics card or on torch's processor, beside those of our own search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from mrsne.affinity.gpu.neighbors import search_all
from mrsne.affinity.neighbors import nearest_neighbors
from mrsne.affinity.perplexity import neighbor_graph
from mrsne.affinity.rows import Dense, prepare

DEVICE = "cuda" if torch.cuda.is_available() else "cpu:0"  # torch's name; "cpu" is our own search


def rows_of(X: Any, metric: str = "euclidean") -> Dense:
    rows = prepare(X, metric)
    assert isinstance(rows, Dense)
    return rows


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_they_are_the_processors(dtype: type, metric: str) -> None:
    X: Any = (5 + np.random.default_rng(0).normal(size=(400, 10))).astype(dtype)
    expected = nearest_neighbors(rows_of(X, metric), 12, exactly=True)
    found = nearest_neighbors(rows_of(X, metric), 12, device=DEVICE)
    assert np.mean(found.indices == expected.indices) > 0.999, "but for ties in rounding"
    np.testing.assert_allclose(found.squared, expected.squared, rtol=1e-5, atol=1e-9)
    assert found.recall == 1.0


@pytest.mark.parametrize(("chunk", "pairs"), [(10_000, 900), (500, 10_000), (70, 60), (7, 1)])
def test_blocks_change_nothing(chunk: int, pairs: int) -> None:
    """Vectors pass over the device in blocks of any size."""
    rows = rows_of(np.random.default_rng(1).normal(size=(130, 7)).astype(np.float32))
    whole, blocks = search_all(rows, 9, DEVICE), search_all(rows, 9, DEVICE, chunk=chunk, pairs=pairs)
    np.testing.assert_array_equal(whole[0], blocks[0])
    np.testing.assert_allclose(whole[1], blocks[1], rtol=1e-5)


def test_far_from_the_origin() -> None:
    """A product of vectors loses what two of them differ by; their difference does not."""
    X = np.random.default_rng(2).normal(size=(300, 6)) + 1e4
    expected = nearest_neighbors(rows_of(X), 10, exactly=True)
    found = nearest_neighbors(rows_of(X), 10, device=DEVICE)
    assert np.mean(np.sort(found.indices) == np.sort(expected.indices)) > 0.99
    np.testing.assert_allclose(found.squared, expected.squared, rtol=1e-3)


def test_a_row_is_never_its_own_neighbour_and_all_others_can_be() -> None:
    rows = rows_of(np.arange(6.0)[:, None])
    indices, squared = search_all(rows, 5, DEVICE)
    for row in range(6):
        assert sorted(indices[row]) == [other for other in range(6) if other != row]
    assert (np.diff(squared, axis=1) >= 0).all()


def test_duplicates_share_their_neighbours() -> None:
    X = np.repeat(np.random.default_rng(3).normal(size=(20, 4)), 30, axis=0)
    found = nearest_neighbors(X, 15, device=DEVICE)
    assert (found.squared == 0).all()
    assert np.bincount(found.indices.ravel()).max() < 60


def test_the_graph_is_the_processors() -> None:
    X = np.random.default_rng(4).normal(size=(1200, 8))
    expected, _ = neighbor_graph(X, 10.0)
    found, recall = neighbor_graph(X, 10.0, device=DEVICE)
    assert abs(expected - found).max() < 1e-6 * expected.max()
    assert recall == 1.0
