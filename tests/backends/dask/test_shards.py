"""Rows in the shards of an inverted file."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client
from numpy.typing import NDArray
from sklearn.neighbors import kneighbors_graph

from mrsne import RelationalData, joint_affinities
from mrsne.backends.dask import neighbors as search
from mrsne.backends.dask import shards, tasks
from mrsne.backends.dask.lists import Found, Part, merge, train
from mrsne.backends.rows import prepare
from tests.backends.cpu.test_difficult_vectors import narrow_groups


def part_of(X: NDArray[Any]) -> Part:
    rows: Any = prepare(X, "euclidean")
    return Part(np.arange(len(X)), rows)


def dealt(X: NDArray[Any], height: int, n_lists: int = 60, probes: int = 12) -> tuple[Any, Any, list[Any]]:
    """All shards of some vectors, made without a cluster from two blocks."""
    whole = part_of(X)
    sample = whole.take(slice(0, 100))
    true = merge([search.compare(sample, whole, 10)], 10)
    lists = replace(train([whole], n_lists, sample, true), probes=probes)
    blocks = [whole.take(slice(0, len(X) // 3)), whole.take(slice(len(X) // 3, None))]
    homes = [lists.home(block) for block in blocks]
    plan = shards.planned(lists, [np.bincount(inside) for inside in homes], height)
    sent: list[Any] = [
        tasks.cut(shards.addressed(*both, plan, number), np.arange(plan.shards + 1))
        for number, both in enumerate(zip(blocks, homes, strict=True))
    ]
    made = [shards.assembled([pieces[number] for pieces in sent]) for number in range(plan.shards)]
    return lists, plan, made


def nearest(lists: Any, plan: Any, made: list[Any], k: int) -> NDArray[np.int64]:
    """Let all shards meet those they look into."""
    indices = np.empty((sum(len(shard.homes) for shard in made), k), np.int64)
    for shard in made:
        probes = shards.probed(lists, shard)
        best: Found | None = None
        for other in np.flatnonzero(shards.looked_into(probes, plan)):
            best = search.visit(best, lists, shard, probes, made[other], k)
        assert best is not None
        indices[best.numbers] = best.indices
    return indices


def true_neighbors(X: NDArray[Any], k: int) -> NDArray[np.int64]:
    squared = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    return np.argsort(squared, axis=1, kind="stable")[:, :k]


def test_every_row_is_in_one_shard_with_rows_near_it() -> None:
    X = np.random.default_rng(0).normal(size=(3000, 3)) * [20, 4, 1]
    lists, plan, made = dealt(X, 400)
    assert sorted(np.concatenate([shard.part.numbers for shard in made]).tolist()) == list(range(3000))
    assert max(len(shard.homes) for shard in made) <= 400
    assert all((np.diff(shard.homes) >= 0).all() for shard in made), "list by list"
    meetings = [np.count_nonzero(shards.looked_into(shards.probed(lists, shard), plan)) for shard in made]
    assert np.mean(meetings) < 0.7 * plan.shards


@pytest.mark.parametrize("offset", [0.0, 300.0])
def test_neighbours_are_the_true_ones_where_all_lists_are_searched(offset: float) -> None:
    X = np.random.default_rng(0).normal(size=(900, 5)) + offset
    lists, plan, made = dealt(X, 200, n_lists=20, probes=20)
    np.testing.assert_array_equal(nearest(lists, plan, made, 7), true_neighbors(X, 7))


@pytest.mark.parametrize("stray", [0, 1e25])
@pytest.mark.parametrize("share", [0.03, 1.0])
@pytest.mark.parametrize("width", [1e-3, 1e-5, 1e-9])
def test_groups_narrower_than_single_precision_can_tell(width: float, share: float, stray: float) -> None:
    """Few of them have a second look; where all are in such groups, lists are in double precision."""
    X = narrow_groups(900, width)
    others = np.random.default_rng(1).random(900) > share
    if share < 1:
        others[:100] = True  # those that tell whether single precision will do
    X[others] = np.random.default_rng(2).normal(size=(900, 8))[others]
    X[7] += stray
    lists, plan, made = dealt(X, 200, n_lists=20, probes=20)
    assert (lists.centres.dtype == np.float64) == (share == 1)
    found = nearest(lists, plan, made, 7)
    others = np.arange(900) != 7  # all are as far from that one, so far out
    np.testing.assert_array_equal(found[others], true_neighbors(X, 7)[others])
    assert len(set(found[7].tolist()) - {-1, 7}) == 7


def test_a_shard_without_rows_is_no_obstacle() -> None:
    X = np.random.default_rng(0).normal(size=(300, 3))
    lists, plan, made = dealt(X, 100, n_lists=10, probes=10)
    empty = shards.assembled([shards.Sent(part_of(X[:0]), np.empty(0, np.int32), np.empty(0, np.int64))])
    assert not shards.looked_into(shards.probed(lists, empty), plan).any()
    probes = shards.probed(lists, made[0])
    found = search.visit(None, lists, made[0], probes, made[0], 5)
    again = search.visit(found, lists, made[0], probes, empty, 5)
    np.testing.assert_array_equal(again.indices, found.indices)


def test_a_very_long_list_takes_several_shards() -> None:
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(size=(1200, 4)) * 1e-3, 50 * random.normal(size=(300, 4))])
    lists, plan, made = dealt(X, 250, n_lists=20, probes=20)
    assert plan.pieces.max() > 1
    assert max(len(shard.homes) for shard in made) <= 260
    found = nearest(lists, plan, made, 6)
    assert np.mean([len(set(a) & set(b)) / 6 for a, b in zip(found, true_neighbors(X, 6), strict=True)]) > 0.99


def test_rows_with_too_few_others_in_their_lists_have_fewer_neighbours() -> None:
    X = np.random.default_rng(0).normal(size=(200, 2))
    lists, plan, made = dealt(X, 60, n_lists=40, probes=1)
    found = nearest(lists, plan, made, 30)
    lacking = (found < 0).sum(axis=1)
    assert lacking.max() > 0
    assert (np.sort(found < 0, axis=1) == (found < 0)).all(), "those there are come first"


def test_equal_rows() -> None:
    """As many as there are; everyone finds k of the others."""
    X = np.repeat(np.random.default_rng(0).normal(size=(30, 3)), 20, axis=0)
    lists, plan, made = dealt(X, 100, n_lists=12, probes=12)
    found = nearest(lists, plan, made, 5)
    assert (found >= 0).all()
    assert (found // 20 == np.arange(600)[:, None] // 20).all()
    assert (found != np.arange(600)[:, None]).all()


@pytest.mark.slow
def test_affinities_do_not_depend_on_how_rows_are_cut(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint knows its P̃ by these digests, on a cluster of another size too."""
    random = np.random.default_rng(0)
    X = (random.normal(size=(12_000, 6)) @ random.normal(size=(6, 300))).astype(np.float32)
    monkeypatch.setattr(search, "FEWEST_ROWS", 100)
    found = []
    for shares, height in ((4, 5000), (2, 12_000), (12, 3333)):
        monkeypatch.setattr(search, "SHARES", shares)
        data = RelationalData({"a": da.from_array(X, chunks=(height, -1))})
        P: Any = joint_affinities(data, perplexity=5, neighbors="approximate")
        found.append(P.digest())
    assert len(set(found)) == 1


def test_many_shards_on_a_cluster(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Affinities are those of one machine but for the few neighbours that are not found."""
    X = np.random.default_rng(0).normal(size=(11_000, 3)).astype(np.float32) * [20, 4, 1]
    monkeypatch.setattr(search, "SHARES", 12)
    monkeypatch.setattr(search, "FEWEST_ROWS", 100)
    many: Any = RelationalData({"a": da.from_array(X, chunks=(2000, -1))})
    with caplog.at_level(logging.INFO, "mrsne"):
        found: Any = joint_affinities(many, perplexity=5, neighbors="approximate")
    (said,) = [record.getMessage() for record in caplog.records if "shards" in record.getMessage()]
    count, meetings = int(said.split()[0]), float(said.split()[4])
    assert count >= 24
    assert meetings < count / 2
    nearest = kneighbors_graph(X, 15, n_jobs=2)
    assert found.to_csr().multiply(nearest + nearest.T > 0).sum() > 0.95
