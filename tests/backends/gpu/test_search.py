"""Neighbours by matrix products, on a GPU or on Triton's interpreter, beside those of our own search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse

from mrsne.affinity.settings import RECALL
from mrsne.backends.cpu.search.exact import Standard
from mrsne.backends.gpu import inverted, neighbors
from mrsne.backends.gpu.inverted import InvertedLists, smallest
from mrsne.backends.gpu.neighbors import Neighbors, Search
from mrsne.backends.gpu.points import Points, search_all, upload
from mrsne.backends.rows import Dense, Rows, prepare
from tests.backends.cpu.test_difficult_vectors import narrow_groups
from tests.backends.cpu.test_search import recall_of
from tests.search import nearest_neighbors


def nearest_there(rows: Rows, k: int, device: str, chunk: int = 0) -> Neighbors:
    return Search(k, device, RECALL, chunk=chunk).nearest(rows)


def rows_of(X: Any, metric: str = "euclidean") -> Dense:
    rows = prepare(X, metric)
    assert isinstance(rows, Dense)
    return rows


def points_of(X: Any, device: str) -> Points:
    rows = rows_of(X)
    return upload(rows, slice(None), Standard(rows), device)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_they_are_the_processors(device: str, dtype: type, metric: str) -> None:
    X: Any = (5 + np.random.default_rng(0).normal(size=(400, 10))).astype(dtype)
    expected = nearest_neighbors(rows_of(X, metric), 12, exactly=True)
    found = nearest_there(rows_of(X, metric), 12, device)
    assert np.mean(found.indices.cpu().numpy() == expected.indices) > 0.999, "but for ties in rounding"
    np.testing.assert_allclose(found.squared.cpu(), expected.squared, rtol=1e-5, atol=1e-9)
    assert found.recall == 1.0


@pytest.mark.parametrize("chunk", [900, 500, 70, 30])
def test_vectors_may_stream_through(device: str, chunk: int) -> None:
    """They pass over the device in blocks of any size where not all of them fit."""
    rows = rows_of(np.random.default_rng(1).normal(size=(130, 7)).astype(np.float32))
    whole, blocks = nearest_there(rows, 9, device), nearest_there(rows, 9, device, chunk=chunk)
    np.testing.assert_array_equal(whole.indices.cpu(), blocks.indices.cpu())
    np.testing.assert_allclose(whole.squared.cpu(), blocks.squared.cpu(), rtol=1e-5)


def test_blocks_of_queries_change_nothing(device: str) -> None:
    points = points_of(np.random.default_rng(1).normal(size=(130, 7)), device)
    whole, blocks = search_all(points, 9), search_all(points, 9, pairs=1000)
    torch.testing.assert_close(whole, blocks)


def test_far_from_the_origin(device: str) -> None:
    """A product of vectors loses what two of them differ by; their difference does not."""
    X = np.random.default_rng(2).normal(size=(300, 6)) + 1e4
    expected = nearest_neighbors(rows_of(X), 10, exactly=True)
    found = nearest_there(rows_of(X), 10, device)
    assert np.mean(np.sort(found.indices.cpu()) == np.sort(expected.indices)) > 0.99
    np.testing.assert_allclose(found.squared.cpu(), expected.squared, rtol=1e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("stray", [1e14, 1e20, 1e30, 3e38])
def test_a_stray_value_does_not_disturb_the_others(device: str, dtype: type, stray: float) -> None:
    X: Any = np.random.default_rng(5).normal(size=(300, 6)).astype(dtype)
    X[0, 2] = stray
    expected = nearest_neighbors(rows_of(X), 10, exactly=True)
    found = nearest_there(rows_of(X), 10, device)
    np.testing.assert_array_equal(found.indices.cpu()[1:], expected.indices[1:])
    np.testing.assert_allclose(found.squared.cpu()[1:], expected.squared[1:], rtol=1e-4)


def test_equal_distances_stay_equal(device: str) -> None:
    """The unit of the search must not round what whole numbers have in common."""
    X = np.stack(np.meshgrid(*[np.arange(6.0)] * 3), axis=-1).reshape(-1, 3)
    squared = nearest_there(rows_of(X), 6, device).squared.cpu().numpy()
    np.testing.assert_array_equal(squared, np.round(squared))


def test_torch_may_be_told_to_be_less_exact(device: str) -> None:
    rows = rows_of(np.random.default_rng(9).normal(size=(200, 30)).astype(np.float32))
    expected = nearest_there(rows, 8, device)
    torch.set_float32_matmul_precision("high")
    try:
        found = nearest_there(rows, 8, device)
        assert torch.get_float32_matmul_precision() == "high"
    finally:
        torch.set_float32_matmul_precision("highest")
    assert torch.equal(found.indices, expected.indices)


def test_a_row_is_never_its_own_neighbour_and_all_others_can_be(device: str) -> None:
    found = nearest_there(rows_of(np.arange(6.0)[:, None]), 5, device)
    for row in range(6):
        assert sorted(found.indices[row].tolist()) == [other for other in range(6) if other != row]
    assert (np.diff(found.squared.cpu().numpy(), axis=1) >= 0).all()


@pytest.mark.parametrize("distinct", [1, 20])
def test_duplicates_share_their_neighbours(device: str, distinct: int) -> None:
    X = np.repeat(np.random.default_rng(3).normal(size=(distinct, 4)), 30, axis=0)
    found = nearest_there(rows_of(X), 15, device)
    assert (found.squared == 0).all()
    assert torch.bincount(found.indices.flatten().long()).max() < 60


def test_zeros_of_either_sign_are_the_same(device: str) -> None:
    X = np.random.default_rng(3).normal(size=(41, 3))
    X[:, 1] -= np.median(X[:, 1])
    X[:, 1] = np.where(np.abs(X[:, 1]) < 0.5, 0, X[:, 1])  # the middle of the column, so that it stays zero
    X[7] = X[8] = [1.0, 0.0, 2.0]
    X[7, 0] = 3.0
    assert not points_of(X, device).has_duplicates()
    X[7] = [1.0, -0.0, 2.0]
    assert points_of(X, device).has_duplicates()


def test_sparse_rows_are_searched_on_the_processor(device: str) -> None:
    X = sparse.random(200, 50, 0.1, random_state=0, format="csr")
    expected, found = nearest_neighbors(X, 5), nearest_there(prepare(X, "euclidean"), 5, device)
    np.testing.assert_array_equal(found.indices.cpu(), expected.indices)


@pytest.mark.parametrize("length", [16, 60, 1000])
def test_inverted_lists_find_most(device: str, length: int) -> None:
    """Clusters of very different sizes: some lists are long, some nearly empty."""
    random = np.random.default_rng(6)
    label = np.repeat(np.arange(5), [400, 100, 60, 30, 10])
    X = 3 * random.normal(size=(5, 6))[label] + random.normal(size=(600, 6))
    points = points_of(X, device)
    lists = InvertedLists(points, length)
    assert lists.starts[-1] == 600
    indices, squared, recall = lists.nearest(12, 28, RECALL)
    expected = nearest_neighbors(rows_of(X), 12, exactly=True)
    shared = [len(set(a) & set(b)) for a, b in zip(indices.tolist(), expected.indices.tolist(), strict=True)]
    assert recall >= 0.95
    assert np.mean(shared) / 12 > 0.94
    assert not (indices == torch.arange(600, device=indices.device)[:, None]).any()
    own = ((points.exact[indices.long()] - points.exact[:, None]) ** 2).sum(dim=2)
    torch.testing.assert_close(own, squared)
    assert (squared[:, 1:] >= squared[:, :-1]).all()


def test_crowded_rows_are_searched_again(device: str) -> None:
    """A list whose first points are far away tells a limit that is too wide."""
    values = np.random.default_rng(7).random((5, 4000)).astype(np.float32)
    values[:, :64] *= 0.05
    values[2, :64] += 1  # then all others are below the limit of this row
    columns, crowded = smallest(torch.from_numpy(values).to(device), 16, 64)
    assert crowded.tolist() == [False, False, True, False, False]
    for row in (0, 1, 3, 4):
        assert set(columns[row].tolist()) == set(np.argsort(values[row])[:16].tolist())


def test_the_fast_selection_finds_what_a_whole_one_does(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With little room for candidates, so that some rows are crowded and searched again."""
    points = points_of(np.random.default_rng(10).normal(size=(1200, 4)).astype(np.float32), device)
    lists = InvertedLists(points, 60)
    near = lists._near(12, 8)
    expected = lists.search(6, 8, near)
    monkeypatch.setattr(inverted, "LIMIT_FROM", 4)
    monkeypatch.setattr(inverted, "ROOM", 2)
    crowded = []

    def watched(*arguments: Any) -> Any:
        result = smallest(*arguments)
        crowded.append(result[1])
        return result

    monkeypatch.setattr(inverted, "smallest", watched)
    found = lists.search(6, 8, near)
    share = float(torch.cat(crowded).double().mean())
    assert 0 < share < 1, "some rows take either way"
    assert torch.equal(found[0], expected[0])
    assert torch.equal(found[1], expected[1])


def test_the_same_points_give_the_same_neighbours(device: str) -> None:
    points = points_of(np.random.default_rng(8).normal(size=(500, 5)).astype(np.float32), device)
    first, second = (InvertedLists(points, 40).nearest(10, 26, RECALL) for _ in range(2))
    assert torch.equal(first[0], second[0])
    assert torch.equal(first[1], second[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [600, 3000])
def test_narrow_groups_have_a_second_look(device: str, monkeypatch: pytest.MonkeyPatch, dtype: type, n: int) -> None:
    """Groups so narrow that products in single precision cannot tell their points apart."""
    monkeypatch.setattr(neighbors, "COMPARED_UP_TO", 1000)
    X: Any = narrow_groups(n, 1e-5).astype(dtype)
    found = nearest_there(rows_of(X), 12, device)
    true = recall_of(found.indices.cpu().numpy(), X, np.arange(0, n, n // 100))
    assert true >= (0.999 if n == 600 else 0.93)
    assert found.recall == pytest.approx(true, abs=0.03)
