"""Workers that are killed, and schedulers that are lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from mrsne import MRSNE, RelationalData
from mrsne.backends.dask.connection import ClusterError
from mrsne.backends.dask.matrix import ClusterMatrix
from tests.backends.dask.test_against_one_machine import vectors

RUN: dict[str, Any] = {"random_state": 0, "max_iter": 60, "perplexity": 10, "init": "random"}


def blocks(n: int = 900, tags: int = 0) -> RelationalData:
    """Data in four blocks, perhaps with a few tags of which only one has a link."""
    array = da.from_array(vectors(n, 6), chunks=(n // 4, -1))
    if not tags:
        return RelationalData({"a": array})
    return RelationalData({"a": array, "b": tags}, {("a", "b"): [(0, 0), (1, 0)]})


def kill_one(client: Client) -> None:
    """Kill a worker process; its nanny starts another one."""
    pid = next(iter(client.run(os.getpid).values()))
    os.kill(pid, signal.SIGKILL)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
@pytest.mark.parametrize("init", ["random", "spectral"])
def test_a_worker_killed_during_iterations(client: Client, own_cluster: LocalCluster, init: str) -> None:
    """The map is the same to the last bit: blocks of P̃ are computed again, and the state is the client's.

    Some items have no affinity, so that P̃ of the others is another matrix, which is computed again too.
    """
    settings = {**RUN, "init": init}
    expected = MRSNE(**settings).fit_transform(blocks(tags=4))
    killed = []
    with Client(own_cluster) as mine:

        def kill(iteration: int, kl: float, embedding: Any) -> None:
            if iteration == 50:
                kill_one(mine)
                killed.append(iteration)

        found = MRSNE(**settings, callbacks=kill).fit_transform(blocks(tags=4))
    assert killed == [50]
    np.testing.assert_array_equal(found["a"], expected["a"])


@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_during_the_start(
    client: Client, own_cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {**RUN, "init": "spectral", "max_iter": 2}
    expected = MRSNE(**settings).fit_transform(blocks())
    passes = []
    times = ClusterMatrix.times
    with Client(own_cluster) as mine:

        def deadly(self: ClusterMatrix, X: Any) -> Any:
            passes.append(len(X))
            if len(passes) == 6:
                kill_one(mine)
            return times(self, X)

        monkeypatch.setattr(ClusterMatrix, "times", deadly)
        found = MRSNE(**settings).fit_transform(blocks())
    assert len(passes) > 6
    np.testing.assert_array_equal(found["a"], expected["a"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("n", "task"),
    [
        (6_000, "compare"),
        pytest.param(16_000, "home", marks=pytest.mark.slow),
        pytest.param(16_000, "visit", marks=pytest.mark.slow),
    ],
)
def test_a_worker_killed_during_the_search(client: Client, own_cluster: LocalCluster, n: int, task: str) -> None:
    """Where all are compared with all, and where shards of an inverted file are searched."""
    settings = {**RUN, "max_iter": 5, "neighbors": "approximate"}
    expected = MRSNE(**settings).fit_transform(blocks(n))
    with Client(own_cluster) as mine:
        seen: list[str] = []

        def kill_when_it_searches() -> None:
            while not seen:
                for keys in mine.processing().values():
                    seen.extend(str(key) for key in keys if str(key).startswith(task))
                time.sleep(0.005)
            kill_one(mine)

        killer = threading.Thread(target=kill_when_it_searches)
        killer.start()
        found = MRSNE(**settings).fit_transform(blocks(n))
        killer.join()
    assert seen
    np.testing.assert_array_equal(found["a"], expected["a"])


@pytest.mark.filterwarnings("ignore")
def test_a_lost_scheduler_leaves_a_checkpoint(client: Client, tmp_path: Path) -> None:
    """It goes on with another cluster, whatever the number of workers there."""
    expected = MRSNE(**RUN).fit_transform(blocks())
    path, address = tmp_path / "run.npz", tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen([*command, "--scheduler-file", str(address)], stderr=subprocess.DEVNULL)
    command = [sys.executable, "-m", "distributed.cli.dask_worker", "--no-nanny", "--nthreads", "1", "--no-dashboard"]
    worker = subprocess.Popen([*command, "--scheduler-file", str(address)], stderr=subprocess.DEVNULL)
    try:
        with dask.config.set({"distributed.comm.timeouts.connect": "3s"}):
            mine = Client(scheduler_file=str(address), timeout=30, set_as_default=False)
            mine.wait_for_workers(1, timeout=30)

            def lose(iteration: int, kl: float, embedding: Any) -> None:
                if iteration == 50:
                    scheduler.kill()

            with mine.as_current(), pytest.raises(ClusterError, match="was lost; where there is a checkpoint"):
                MRSNE(**RUN, checkpoint=path, callbacks=lose).fit_transform(blocks())
            mine.close(timeout=3)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    assert int(np.load(path)["iteration"]) == 50
    model = MRSNE(**RUN, checkpoint=path)
    found = model.fit_transform(blocks())  # on two workers instead of one
    assert model.n_iter_ == 60
    assert found.kl_divergence == pytest.approx(expected.kl_divergence, rel=0.01)
