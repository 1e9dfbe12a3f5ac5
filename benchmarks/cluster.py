"""Iterations on a Dask cluster of this machine beside one process: ``python -m benchmarks.cluster --sizes 100000``.

For each size and number of workers: the time of P̃ from vectors, and of an iteration by the median of repeats, beside
the iteration of one process with as many threads as there are workers, on the same P̃ and the same map.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import clustered
from mrsne import RelationalData, joint_affinities
from mrsne.cluster.connection import send
from mrsne.cluster.loop import ClusterForces, Place
from mrsne.compilation import threads
from mrsne.layout.gradient import Forces
from mrsne.layout.mesh import MOST_CELLS, STEP
from mrsne.layout.splines import bounds

PERPLEXITY = 10.0
CORES = 32  # of a machine that is predicted for


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
        P.lengths()
        found = {"P": time.perf_counter() - began}
        forces = ClusterForces(P)
        found["cluster"] = seconds(lambda: forces(Y, STEP), repeats)
        found["positions"] = seconds(lambda: send(client, Y).result(), repeats)
        found["task"] = seconds(lambda: client.submit(int, 1, pure=False).result(), 20)
        whole = P.to_csr()
    found["entries"] = whole.nnz / n
    place = Place(*bounds(Y), STEP, None).mesh()
    found["cells"] = float(place.charges(Y[:1]).size)
    with threads(workers) as count:
        one = Forces(whole, 2, "fft", count)
        found["one"] = seconds(lambda: one(Y, STEP), repeats)
    return found


def predict(machines: int, cores: int, n: float, bandwidth: float, measured: dict[str, float]) -> dict[str, float]:
    """Return the seconds of an iteration by the model of docs/scaling.md, part by part.

    Parameters
    ----------
    machines, cores : int
        Workers, and cores of each.
    n : float
        Items.
    bandwidth : float
        Bytes per second between machines.
    measured : dict
        ``item``: core-seconds for an item; ``step``: of the client for an item; ``fixed``: seconds of scheduling;
        ``cells``: of the grid.
    """
    rounds = max(1, math.ceil(math.log2(machines)))
    return {
        "forces": measured["item"] * n / (machines * cores),
        "step": measured["step"] * n,
        "positions": 8 * n / bandwidth * (1 + rounds),  # to the first worker, then from worker to worker
        "gradient": 8 * n / bandwidth,
        "grids": 4 * measured["cells"] / bandwidth * 2 * rounds,
        "fixed": measured["fixed"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[20_000, 100_000, 1_000_000])
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--predict", type=float, nargs=3, metavar=("ITEM", "STEP", "FIXED"), help="seconds, measured")
    arguments = parser.parse_args()
    if arguments.predict:
        item, step, fixed = arguments.predict
        measured = {"item": item, "step": step, "fixed": fixed, "cells": MOST_CELLS[2] / 4}
        for n in (1e8, 1e9):
            for machines in (16, 128):
                for gigabits in (10, 100):
                    parts = predict(machines, CORES, n, gigabits * 1e9 / 8, measured)
                    shown = ", ".join(f"{name} {value:.2f}" for name, value in parts.items())
                    print(
                        f"{n:.0e} items, {machines} machines, {gigabits} Gbit/s: {sum(parts.values()):.2f} s ({shown})"
                    )
        return
    for n in arguments.sizes:
        for workers in arguments.workers:
            found = measure(n, workers, arguments.repeats)
            print(
                f"{n:,} items, {workers} workers: P̃ {found['P']:.1f} s ({found['entries']:.0f} entries a row); "
                f"iteration {1000 * found['cluster']:.0f} ms, one process with {workers} threads "
                f"{1000 * found['one']:.0f} ms; sending positions {1000 * found['positions']:.1f} ms, "
                f"an empty task {1000 * found['task']:.1f} ms, {found['cells']:,.0f} cells",
                flush=True,
            )


if __name__ == "__main__":
    main()
