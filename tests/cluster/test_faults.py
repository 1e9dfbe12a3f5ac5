"""Workers that are killed, schedulers that are lost, and too little memory."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from mrsne import MRSNE, RelationalData
from mrsne.cluster.connection import ClusterError
from mrsne.cluster.files import npy_blocks
from tests.cluster.conftest import SETTINGS
from tests.cluster.test_against_one_machine import vectors

RUN: dict[str, Any] = {"random_state": 0, "max_iter": 60, "perplexity": 10, "init": "random"}


def blocks(n: int = 900) -> RelationalData:
    return RelationalData({"a": da.from_array(vectors(n, 6), chunks=(n // 4, -1))})


def kill_one(client: Client) -> None:
    """Kill a worker process; its nanny starts another one."""
    pid = next(iter(client.run(os.getpid).values()))
    os.kill(pid, signal.SIGKILL)


@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_during_iterations(client: Client, own_cluster: LocalCluster) -> None:
    """The map is the same to the last bit: blocks of P̃ are computed again, and the state is the client's."""
    expected = MRSNE(**RUN).fit_transform(blocks())
    killed = []
    with Client(own_cluster) as mine:

        def kill(iteration: int, kl: float, embedding: Any) -> None:
            if iteration == 50:
                kill_one(mine)
                killed.append(iteration)

        found = MRSNE(**RUN, callbacks=kill).fit_transform(blocks())
    assert killed == [50]
    np.testing.assert_array_equal(found["a"], expected["a"])


@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_during_the_search(client: Client, own_cluster: LocalCluster) -> None:
    expected = MRSNE(**RUN, neighbors="exact").fit_transform(blocks(6000))
    with Client(own_cluster) as mine:
        seen: list[str] = []

        def kill_when_it_compares() -> None:
            while not seen:
                for keys in mine.processing().values():
                    seen.extend(str(key) for key in keys if str(key).startswith("compare"))
                time.sleep(0.005)
            kill_one(mine)

        killer = threading.Thread(target=kill_when_it_compares)
        killer.start()
        found = MRSNE(**RUN, neighbors="exact").fit_transform(blocks(6000))
        killer.join()
    assert seen
    np.testing.assert_array_equal(found["a"], expected["a"])


@pytest.mark.filterwarnings("ignore")
def test_a_lost_scheduler_leaves_a_checkpoint(client: Client, tmp_path: Path) -> None:
    expected = MRSNE(**RUN).fit_transform(blocks())
    path = tmp_path / "run.npz"
    with LocalCluster(**SETTINGS) as cluster, Client(cluster) as mine:

        def lose(iteration: int, kl: float, embedding: Any) -> None:
            if iteration == 50:
                cluster.close(timeout=1)

        with pytest.raises(ClusterError, match=r"was lost .*checkpoint="):
            MRSNE(**RUN, checkpoint=path, callbacks=lose).fit_transform(blocks())
        del mine
    assert path.exists()
    with client.as_current():
        model = MRSNE(**RUN, checkpoint=path)
        found = model.fit_transform(blocks())
    np.testing.assert_array_equal(found["a"], expected["a"])
    assert model.n_iter_ == 60


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_vectors_four_times_as_large_as_the_memory_of_a_worker(tmp_path: Path) -> None:
    """They are read block by block and kept on disk where they do not fit; the worker is not restarted."""
    limit = 700 * 2**20
    n, dimension = 24_000, 32_000
    path = tmp_path / "vectors.npy"
    random = np.random.default_rng(0)
    file = np.lib.format.open_memmap(path, "w+", np.float32, (n, dimension))
    for start in range(0, n, 1000):
        file[start : start + 1000] = random.standard_normal((1000, dimension), dtype=np.float32)
    file.flush()
    assert path.stat().st_size > 4 * limit
    settings = {**SETTINGS, "n_workers": 1, "memory_limit": limit}
    with LocalCluster(**settings) as cluster, Client(cluster) as client:
        pid = next(iter(client.run(os.getpid).values()))
        data = RelationalData({"a": npy_blocks(path)})
        model = MRSNE(random_state=0, max_iter=3, perplexity=5, init="random").fit(data)
        assert next(iter(client.run(os.getpid).values())) == pid, "the worker stayed within its limit"
    assert model.embedding_["a"].shape == (n, 2)
