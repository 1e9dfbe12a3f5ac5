"""Neighbours in large, narrow, wide, sparse, half-precision and memory-mapped domains."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

import mrsne
from mrsne.backends.cpu.search.centres import ranks_of_lists
from mrsne.backends.cpu.search.inverted import band_ends
from mrsne.backends.cpu.search.ranking import distances_to_others, in_doubt, roundings
from mrsne.backends.cpu.search.shortlist import Shortlist
from mrsne.backends.recall import RecallGoal, needed_probes
from mrsne.backends.rows import Dense, Sparse, prepare
from tests.conftest import clusters
from tests.search import nearest_neighbors, nearest_to


def cloud(n: int, intrinsic: int, dimension: int = 32, seed: int = 0) -> NDArray[np.float32]:
    """One cloud without clusters, of a given intrinsic dimension."""
    random = np.random.default_rng(seed)
    plane = random.normal(size=(n, intrinsic)) @ random.normal(size=(intrinsic, dimension))
    return (plane + 0.05 * random.normal(size=(n, dimension))).astype(np.float32)


def recall_of(found: NDArray[np.int32], X: NDArray[Any], sample: NDArray[np.int64]) -> float:
    """Compute the share of the true neighbours found, from all distances in double precision."""
    points = X.astype(np.float64)
    hits = []
    for i in sample:
        distance = ((points - points[i]) ** 2).sum(axis=1)
        distance[i] = np.inf
        hits.append(len(np.intersect1d(np.argpartition(distance, found.shape[1])[: found.shape[1]], found[i])))
    return float(np.mean(hits) / found.shape[1])


@pytest.mark.parametrize("intrinsic", [3, 8, 16, 32])
def test_recall_holds_without_clusters(intrinsic: int) -> None:
    X = cloud(15_000, intrinsic)
    found = nearest_neighbors(X, 30)
    sample = np.random.default_rng(1).choice(len(X), 200, replace=False)
    assert recall_of(found.indices, X, sample) >= 0.95
    assert found.recall == pytest.approx(recall_of(found.indices, X, sample), abs=0.02)
    assert (found.indices >= 0).all()
    assert (found.indices != np.arange(len(X))[:, None]).all()


def test_the_number_of_threads_changes_nothing() -> None:
    data = mrsne.RelationalData({"photo": cloud(11_000, 6)})
    alone = mrsne.joint_affinities(data, perplexity=10, n_jobs=1)
    for n_jobs in (2, 3, 7, 16):
        together = mrsne.joint_affinities(data, perplexity=10, n_jobs=n_jobs)
        np.testing.assert_array_equal(together.indices, alone.indices)
        np.testing.assert_array_equal(together.data, alone.data)


def test_a_low_recall_is_raised(caplog: pytest.LogCaptureFixture) -> None:
    """Where the estimate is wrong: eight lists find a third of the neighbours in a round cloud."""
    X = cloud(12_000, 32)
    with caplog.at_level(logging.DEBUG, "mrsne"):
        assert nearest_neighbors(X, 30, goal=RecallGoal(aim=0.0, lowest=0.95, fewest_probes=8)).recall >= 0.95
    searched = [int(record.getMessage().split()[0]) for record in caplog.records]
    assert searched[:3] == [8, 16, 32]
    assert "8 of 109 lists searched, recall 0." in caplog.text


def test_lists_with_too_few_points_are_made_up_for() -> None:
    """Nine tenths of all rows are in one tight cluster, so that the other lists hold very few."""
    X = cloud(12_000, 4)
    X[:11_900] = 1e-3 * X[:11_900]
    indices = nearest_neighbors(X, 200, exactly=False).indices
    assert (indices >= 0).all()
    assert all(len(set(row)) == 200 for row in indices[-50:].tolist())


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("n", [400, 1500])
def test_sparse_rows_have_the_neighbours_of_dense_ones(metric: str, n: int) -> None:
    X = sparse.random_array((n, 300), density=0.05, random_state=np.random.default_rng(0), format="csr")
    rows = prepare(X, metric)
    assert isinstance(rows, Sparse)
    found, expected = nearest_neighbors(rows, 12), nearest_neighbors(prepare(X.toarray(), metric), 12)
    np.testing.assert_allclose(found.squared, expected.squared, rtol=1e-6)
    some = nearest_to(prepare(X[:20], metric), rows, 3)
    np.testing.assert_array_equal(some.indices[:, 0], np.arange(20))
    assert (some.squared[:, 0] == 0).all()


def test_a_wide_sparse_domain_is_never_made_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three hundred documents over a million words: dense, they would take 2.4 GB."""
    X = sparse.random_array((300, 1_000_000), density=5e-5, random_state=np.random.default_rng(0), format="csr")
    monkeypatch.setattr(sparse.csr_array, "toarray", None)
    monkeypatch.setattr(sparse.csr_matrix, "toarray", None)
    P = mrsne.joint_affinities(mrsne.RelationalData({"text": X}), perplexity=5, neighbors="approximate")
    assert P.shape == (300, 300)


@pytest.mark.parametrize("n", [3000, 11_000])
def test_ties_at_the_edge_lose_nobody(n: int) -> None:
    """Between rows of a few ones there are only a handful of distances, and most are the largest."""
    random = np.random.default_rng(0)
    X = np.zeros((n, 400), np.float32)
    X[np.arange(n)[:, None], random.integers(0, 400, (n, 3))] = 1
    found = nearest_neighbors(X, 60)
    assert (found.indices >= 0).all()
    assert all(len(set(row)) == 60 for row in found.indices[::37].tolist())
    for i in range(0, n, n // 20):
        distance = ((X - X[i]) ** 2).sum(axis=1)
        distance[i] = np.inf
        expected = np.sort(distance)[:60]
        assert np.mean(found.squared[i] == expected) > (0.99 if n == 3000 else 0.5)


@pytest.mark.parametrize("tied", [0, 50, 99, 300])
def test_a_shortlist_keeps_the_smallest_of_tied_values(tied: int) -> None:
    products = np.full((1, 2000), -4.0, np.float32)
    products[0, :: 2000 // tied if tied else 2001][:tied] = -3.0
    best = Shortlist(99, 1)
    best.begin(1)
    for first in range(0, 2000, 250):
        part = np.ascontiguousarray(products[:, first : first + 250])
        best.add(part, np.zeros(250, np.float32), first, np.array([0]))
        best.tighten()
    places = best.found()[0]
    assert len(set(places.tolist())) == 99
    assert (places >= 0).all()
    assert (products[0, places] == -3).sum() == min(99, (products == -3).sum())


def test_new_sparse_items_may_be_fuller_than_the_fitted_ones() -> None:
    X = sparse.random_array((300, 40), density=0.2, random_state=np.random.default_rng(0), format="csr")
    model = mrsne.MRSNE(perplexity=5, random_state=0).fit(X)
    assert model.transform(sparse.csr_array(np.ones((2, 40)))).shape == (2, 2)
    np.testing.assert_array_equal(model.transform(X[:3].toarray()), model.embedding_[:3])


def test_a_full_sparse_matrix_is_searched_as_a_dense_one() -> None:
    assert isinstance(prepare(sparse.csr_matrix(clusters(50)), "euclidean"), Dense)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_half_precision_is_read_as_it_is(metric: str) -> None:
    X = clusters(900).astype(np.float16)
    X[0] = [6e-8, -6e-8, 65504, -65504, *X[0, 4:]]  # the smallest and the largest numbers there are
    found = nearest_neighbors(prepare(X, metric), 10)
    expected = nearest_neighbors(prepare(X.astype(np.float64), metric), 10)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_allclose(found.squared, expected.squared, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_memory_maps_are_read_where_they_are(tmp_path: Path, dtype: Any) -> None:
    X = clusters(11_000, dimension=8).astype(dtype)
    np.save(tmp_path / "vectors.npy", X)
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    data = mrsne.RelationalData({"photo": mapped})
    rows = prepare(data.vectors["photo"], "euclidean")
    assert isinstance(rows, Dense)
    assert np.shares_memory(rows.values, mapped)
    P = mrsne.joint_affinities(data, perplexity=5)
    np.testing.assert_array_equal(P.indices, mrsne.joint_affinities(mrsne.RelationalData({"photo": X}), 5).indices)


def test_a_column_slice_and_a_transposed_array_are_fine() -> None:
    X = np.asfortranarray(clusters(300).astype(np.float64))
    wide = np.concatenate([X, X], axis=1)
    expected = nearest_neighbors(np.ascontiguousarray(X), 5).indices
    np.testing.assert_array_equal(nearest_neighbors(X, 5).indices, expected)
    np.testing.assert_array_equal(nearest_neighbors(wide[:, : X.shape[1]], 5).indices, expected)


def test_as_many_lists_are_searched_as_hold_the_neighbours() -> None:
    goal = RecallGoal(aim=0.96, lowest=0.95, fewest_probes=1)
    assert needed_probes(np.array([90, 5, 3, 2]), goal) == 3
    assert ranks_of_lists(np.array([[0.0], [9.0]]), np.array([[1.0], [5.0], [8.0]])).tolist() == [[0, 1, 2], [2, 1, 0]]
    assert band_ends(30) == [1, 7, 30]


def test_a_query_is_in_doubt_where_rounding_may_hide_a_neighbour() -> None:
    assert in_doubt(np.array([1.2, 1.2]), np.array([1.0, 1.0]), np.array([0.01, 0.2])).tolist() == [False, True]
    assert roundings(1) < roundings(50) < 2e-6


def test_distances_to_all_others_leave_out_the_row_itself() -> None:
    rows = prepare(np.array([[0.0], [1.0], [3.0]]), "euclidean")
    assert distances_to_others(rows, np.arange(3)).tolist() == [[1, 9], [1, 4], [9, 4]]
