"""The recall that a cluster reports, beside the true one."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from distributed import Client
from numpy.typing import NDArray

from mrsne.affinity.settings import RECALL
from mrsne.backends.dask import lists
from mrsne.backends.dask import neighbors as search
from mrsne.backends.dask.connection import Capacity
from mrsne.backends.dask.lists import Part
from mrsne.backends.recall import RecallGoal
from mrsne.backends.rows import prepare
from tests.backends.cpu.test_search import recall_of

N, K = 12_000, 20


def searched(X: NDArray[Any], client: Client, blocks: int = 4, goal: RecallGoal = RECALL) -> tuple[float, float]:
    """Search in shards; return the recall that is reported, and that of 200 rows compared with all."""
    rows: Any = prepare(X, "euclidean")
    edges = np.linspace(0, len(X), blocks + 1).astype(np.int64)
    parts = [Part(np.arange(a, b), rows.take(slice(a, b))) for a, b in pairwise(edges.tolist())]
    near, recall = search.neighbors(client.scatter(parts), edges, K, False, goal, Capacity.of(client), client)
    indices = np.empty((len(X), K), np.int32)
    for found in client.gather(near):
        indices[found.numbers] = found.indices
    return recall, recall_of(indices, X, np.random.default_rng(1).choice(len(X), 200, replace=False))


def in_sixteen_directions() -> NDArray[np.float64]:
    return np.random.default_rng(0).random((N, 16))


def test_it_is_the_true_one(client: Client) -> None:
    said, true = searched(in_sixteen_directions(), client)
    assert said >= 0.95
    assert true == pytest.approx(said, abs=0.02)
    assert true < 0.99


def test_it_is_the_true_one_where_it_is_low(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "probes_for", lambda *arguments: 2)
    said, true = searched(in_sixteen_directions(), client, goal=replace(RECALL, lowest=0.0))
    assert 0.1 < true < 0.6
    assert true == pytest.approx(said, abs=0.03)


def test_more_lists_are_searched_where_it_is_too_low(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lists, "probes_for", lambda *arguments: 10)
    with caplog.at_level(logging.DEBUG, "mrsne"):
        said, true = searched(in_sixteen_directions(), client)
    assert said >= 0.95
    assert true == pytest.approx(said, abs=0.02)
    counts = [int(found[1]) for found in re.finditer(r"(\d+) of 109 lists searched", caplog.text)]
    assert counts[:2] == [10, 20]


def test_rows_that_come_sorted(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    """Every block holds other groups: centres are learned from all of them, or most lists would have to be searched."""
    random = np.random.default_rng(0)
    X = np.repeat(30 * random.normal(size=(40, 6)), N // 40, axis=0) + random.normal(size=(N, 6))
    with caplog.at_level(logging.DEBUG, "mrsne"):
        said, true = searched(X, client)
    assert said >= 0.95
    assert true == pytest.approx(said, abs=0.02)
    (count,) = [int(found[1]) for found in re.finditer(r"(\d+) of 109 lists searched", caplog.text)]
    assert count <= 20
