"""Entries that go to the blocks they belong to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mrsne.backends.dask import tasks
from mrsne.backends.dask.graph import row_block
from mrsne.data.lazy import Triples


def entries(count: int, n: int, seed: int) -> Triples:
    random = np.random.default_rng(seed)
    return Triples(random.integers(0, n, count), random.integers(0, n, count), random.random(count))


@pytest.mark.parametrize("blocks", [1, 7, 60, 100])
def test_everything_arrives_where_it_belongs(monkeypatch: pytest.MonkeyPatch, blocks: int) -> None:
    """In one round, and in two that are fewer pieces."""
    n, done = 1000, []

    def submit(function: Any, *arguments: Any) -> Any:
        done.append(function)
        return function(*arguments)

    parts = [entries(300, n, seed) for seed in range(60)]
    edges = np.linspace(0, n, blocks + 1).astype(np.int64)
    expected = row_block(parts, 0, n, n).toarray()
    for most, most_tasks in ((10**9, 60 * blocks + 60), (1000, 60 * blocks + 60 if 60 * blocks <= 1000 else 2500)):
        monkeypatch.setattr(tasks, "MOST_PIECES", most)
        done.clear()
        pieces = tasks.shuffled(parts, edges, submit)
        assert len(done) <= most_tasks
        rows = [
            row_block(inside, first, last - first, n).toarray()
            for inside, first, last in zip(pieces, edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        ]
        np.testing.assert_allclose(np.concatenate(rows), expected, rtol=1e-6)
