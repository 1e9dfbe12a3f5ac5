"""Iterations on a Dask cluster of this machine beside one process: ``python -m benchmarks.cluster --sizes 100000``.

For each size and number of workers: the time of P̃ from vectors, and of an iteration by the median of repeats, beside
the iteration of one process with as many threads as there are workers, on the same P̃ and the same map. Then the
constants of the model in docs/scaling.md, fitted to these runs, and what the model says of each of them.
``--predict`` prints what it says of larger clusters, with the constants in that file.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import clustered
from mrsne import RelationalData, joint_affinities
from mrsne.backends.base import State
from mrsne.backends.cpu.forces import CpuForces
from mrsne.backends.cpu.mesh.charges import bounds
from mrsne.backends.cpu.motion import move
from mrsne.backends.dask.forces import GRIDS, ClusterForces, Place, potential_of
from mrsne.backends.dask.tasks import send
from mrsne.backends.grid import MOST_CELLS, STEP
from mrsne.backends.kernel import CAUCHY
from mrsne.layout.schedule import default_schedule
from mrsne.threads import threads

PERPLEXITY = 10.0
LARGE = 2**26  # numbers that are sent to measure what a byte takes
CORES = 32  # of a machine that is predicted for

# seconds: of a core for an item and for a cell of the potential, of the client for an item, for a byte from client to
# worker, from worker to worker, and from worker to client on one machine, for any iteration, and for each of its tasks
MEASURED = {
    "item": 1.2e-7,
    "cell": 1.4e-8,
    "step": 9.4e-9,
    "up": 1.2e-9,
    "across": 2.8e-10,
    "down": 1.2e-9,
    "fixed": 0.011,
    "task": 0.0037,
}

Parts = dict[str, float]


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the median time of something, after doing it once."""
    work()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def a_map(n: int) -> NDArray[np.float32]:
    """Return points as wide as a finished map of so many items."""
    random = np.random.default_rng(0)
    return np.asarray(np.sqrt(n) / 12 * random.normal(size=(n, 2)), dtype=np.float32)


def measure(n: int, workers: int, repeats: int) -> dict[str, float]:
    """Return the times of P̃ and of an iteration on a cluster and in one process."""
    import dask.array as da
    from distributed import Client, LocalCluster

    X, Y = clustered(n, 16), a_map(n)
    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50)
    with cluster, Client(cluster) as client:
        data = RelationalData({"a": da.from_array(X, chunks=(-(-n // (2 * workers)), -1))})
        began = time.perf_counter()
        P: Any = joint_affinities(data, perplexity=PERPLEXITY)
        P.row_lengths()
        found = {"P": time.perf_counter() - began}
        forces = ClusterForces(P)
        found["cluster"] = seconds(lambda: forces.quarter_gradient(Y, STEP), repeats)
        state = State(0, Y.copy(), np.zeros_like(Y), np.ones_like(Y), np.arange(n))
        phase = default_schedule(n, 750, 12.0, "auto", 0.8)[-1]
        gradient = np.full_like(Y, 1e-9)
        found["step"] = seconds(lambda: move(state, phase, (gradient, gradient), 1.0, 0.0), repeats)
        found["positions"] = seconds(lambda: send(client, Y).result(), repeats)
        found["task"] = seconds(lambda: client.submit(int, 1, pure=False).result(), 20)
        whole = P.to_csr()
    found["entries"] = whole.nnz / n
    place = Place(*bounds(Y), STEP, None, CAUCHY)
    grid = place.mesh().charges(Y)
    found["cells"] = float(grid.size)
    with threads(1):
        found["cell"] = seconds(lambda: potential_of(grid, place, n), repeats) / grid.size
    with threads(workers):
        one = CpuForces(whole, 2, "fft", CAUCHY)
        found["one"] = seconds(lambda: one.halves(Y, STEP), repeats)
    return found


def transfers(repeats: int) -> dict[str, float]:
    """Return the seconds that a byte takes to the workers, from one to another, and back, all on this machine."""
    from distributed import Client, LocalCluster

    Y = np.ones(LARGE, np.float32)
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50)
    with cluster, Client(cluster) as client:
        there, elsewhere = client.scheduler_info()["workers"]
        submit = partial(client.submit, pure=False)
        empty = seconds(lambda: submit(len, submit(list)).result(), repeats)
        up = seconds(lambda: submit(len, send(client, Y)).result(), repeats)
        across, down = [], []
        for _ in range(repeats):
            array = submit(np.ones, LARGE, np.float32, workers=[there])
            submit(len, array, workers=[there]).result()
            began = time.perf_counter()
            submit(len, array, workers=[elsewhere]).result()
            arrived = time.perf_counter()
            across.append(arrived - began)
            client.gather(array)
            down.append(time.perf_counter() - arrived)
    found = {"up": up, "across": statistics.median(across), "down": statistics.median(down)}
    return {name: (value - empty) / Y.nbytes for name, value in found.items()}


def tasks(workers: int) -> int:
    """Return how many tasks an iteration has: positions, potential, three for each block, and those that add grids."""
    count, grids = 2 + 3 * workers, workers
    while grids > 1:
        grids = -(-grids // GRIDS)
        count += grids
    return count


def model(machines: int, cores: float, n: float, cells: float, bandwidth: float, measured: dict[str, float]) -> Parts:
    """Return the seconds of an iteration by the model of docs/scaling.md, part by part.

    Parameters
    ----------
    machines : int
        Workers.
    cores : float
        Of each.
    n, cells : float
        Items, and cells of the grid.
    bandwidth : float
        Bytes per second between machines; infinite where they are one.
    measured : dict
        See ``MEASURED``.
    """
    rounds = math.ceil(math.log2(machines))
    hop = 1 / bandwidth
    return {
        "forces": measured["item"] * n / (machines * cores),
        "potential": measured["cell"] * cells,
        "step": measured["step"] * n,
        # from the client to the scheduler, from there to a worker, and from worker to worker
        "positions": 8 * n * (measured["up"] + 2 * hop + rounds * (measured["across"] + hop)),
        "gradient": 8 * n * (measured["down"] + 2 * hop),
        "grids": 4 * cells * 2 * rounds * (measured["across"] + hop),
        "tasks": measured["fixed"] + measured["task"] * tasks(machines),
    }


class Run(NamedTuple):
    """What was measured with so many items and workers."""

    n: int
    workers: int
    found: dict[str, float]

    def model(self, measured: dict[str, float]) -> Parts:
        """Return what the model says of it."""
        cores = min(self.workers, os.cpu_count() or 1) / self.workers
        return model(self.workers, cores, self.n, self.found["cells"], math.inf, measured)


def fit(runs: list[Run], transfer: dict[str, float]) -> dict[str, float]:
    """Return the constants of the model.

    Those of scheduling are a straight line through the runs with the fewest items; what an item costs is what it costs
    one thread of one process, in the largest run beside one worker; the others are measured.
    """
    largest = max(runs, key=lambda run: run.n)
    alone = max((run for run in runs if run.workers == 1), key=lambda run: run.n)
    measured = {
        "item": (alone.found["one"] - largest.found["cell"] * alone.found["cells"]) / alone.n,
        "cell": largest.found["cell"],
        "step": largest.found["step"] / largest.n,
        **transfer,
        "fixed": 0.0,
        "task": 0.0,
    }
    few = [run for run in runs if run.n == min(run.n for run in runs)]
    left = [run.found["cluster"] - sum(run.model(measured).values()) for run in few]
    measured["task"], measured["fixed"] = np.polyfit([tasks(run.workers) for run in few], left, 1).tolist()
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[20_000, 100_000, 1_000_000])
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--predict", action="store_true")
    arguments = parser.parse_args()
    if arguments.predict:
        for n in (1e8, 1e9):
            for machines in (16, 128):
                for gigabits in (10, 100):
                    parts = model(machines, CORES, n, MOST_CELLS[2] / 4, gigabits * 1e9 / 8, MEASURED)
                    print(f"{n:.0e} items, {machines} machines, {gigabits} Gbit/s: {described(parts)}")
        return
    runs = []
    for n in arguments.sizes:
        for workers in arguments.workers:
            found = measure(n, workers, arguments.repeats)
            runs.append(Run(n, workers, found))
            print(
                f"{n:,} items, {workers} workers: P̃ {found['P']:.1f} s ({found['entries']:.0f} entries a row); "
                f"iteration {1000 * found['cluster']:.0f} ms, one process with {workers} threads "
                f"{1000 * found['one']:.0f} ms; sending positions {1000 * found['positions']:.1f} ms, "
                f"an empty task {1000 * found['task']:.1f} ms, {found['cells']:,.0f} cells",
                flush=True,
            )
    measured = fit(runs, transfers(arguments.repeats))
    print(", ".join(f"{name} {value:.2g}" for name, value in measured.items()))
    for run in runs:
        print(f"model, {run.n:,} items, {run.workers} workers: {described(run.model(measured))}")


def described(parts: Parts) -> str:
    """Return a sum and its parts."""
    return f"{sum(parts.values()):.3f} s ({', '.join(f'{name} {value:.3f}' for name, value in parts.items())})"


if __name__ == "__main__":
    main()
