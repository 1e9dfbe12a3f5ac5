"""Vectors that do not fit."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from distributed import Client, LocalCluster

from mrsne import MRSNE, RelationalData
from mrsne.data.tables.matrices import npy_blocks
from tests.backends.dask.conftest import SETTINGS


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_vectors_four_times_as_large_as_the_memory_of_a_worker(tmp_path: Path) -> None:
    """They are read block by block, and what does not fit goes to disk; the worker is never restarted."""
    limit, n, dimension = 2**30, 1_080_000, 1_000
    path = tmp_path / "vectors.npy"
    random = np.random.default_rng(0)
    file = np.lib.format.open_memmap(path, "w+", np.float32, (n, dimension))
    axes = random.standard_normal((4, dimension), dtype=np.float32)
    for start in range(0, n, 5000):
        some = random.standard_normal((5000, 4), dtype=np.float32) @ axes
        file[start : start + 5000] = some + 0.1 * random.standard_normal((5000, dimension), dtype=np.float32)
    del file
    assert path.stat().st_size > 4 * limit
    settings = {**SETTINGS, "n_workers": 1, "memory_limit": limit}
    with LocalCluster(**settings) as cluster, Client(cluster) as client:
        pid = next(iter(client.run(os.getpid).values()))
        data = RelationalData({"a": npy_blocks(path)})
        model = MRSNE(random_state=0, max_iter=3, perplexity=3, n_pca=4, init="random").fit(data)
        assert next(iter(client.run(os.getpid).values())) == pid, "the worker stayed within its limit"
    assert model.embedding_["a"].shape == (n, 2)
    assert model.neighbor_recall_["a"] > 0.95
