"""One iteration of mrsne beside one of openTSNE: same P̃, same map, same process.

    python -m benchmarks.iterations --sizes 2585 100000 --repeats 7

Every repeat times a stretch of iterations of each tool in turn, at the start of a run (under exaggeration, clusters
still tight) and at its end (the finished map), and the table has the medians; "whole run" is their mean, weighted as in
a run of 250 and 500 iterations. With --paper it also times Algorithm 1.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from openTSNE import TSNEEmbedding
from rich.console import Console
from rich.table import Table
from scipy import sparse

import mrsne
from benchmarks.data import clustered, tagged
from mrsne.backends.base import Phase, State
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.backends.grid import FINE_STEP, STEP
from mrsne.layout.descent import descend
from mrsne.layout.schedule import Run
from mrsne.layout.settings import choose_method

Layout = NDArray[np.float32]
PAPER_SIZE = 2585


class Precomputed:
    """Affinities as openTSNE takes them."""

    def __init__(self, P: sparse.csr_matrix) -> None:
        self.P = P.astype(np.float64)
        self.n_samples = P.shape[0]


def mrsne_iterations(P: sparse.csr_matrix, Y: Layout, exaggeration: float) -> Callable[[int], float]:
    """Return a function that does some iterations of mrsne and returns the seconds for one."""
    backend = CpuBackend()
    state = State(0, Y.copy(), np.zeros_like(Y), np.ones_like(Y), np.arange(len(Y)))
    motion = backend.motion(backend.load(P), state, choose_method("auto", Y.shape[0], Y.shape[1], backend))
    step = FINE_STEP if exaggeration > 1 else STEP
    phase = Phase(0, exaggeration, len(Y) / exaggeration / 4, 0.8, True, step)

    def iterate(n_iter: int) -> float:
        with backend.session():
            start = time.perf_counter()
            for _ in range(n_iter):
                motion.step(phase)
            return (time.perf_counter() - start) / n_iter

    return iterate


def opentsne_iterations(
    P: sparse.csr_matrix, Y: Layout, exaggeration: float, method: str, n_jobs: int = -1
) -> Callable[[int], float]:
    """Return the same for openTSNE, which evaluates the gradient once more at the end of a call."""
    embedding = TSNEEmbedding(
        Y.astype(np.float64), Precomputed(P), negative_gradient_method=method, n_jobs=n_jobs, random_state=0
    )

    def iterate(n_iter: int) -> float:
        start = time.perf_counter()
        embedding.optimize(n_iter, exaggeration=exaggeration, momentum=0.8, max_step_norm=5, inplace=True)
        return (time.perf_counter() - start) / (n_iter + 1)

    return iterate


def stages(P: sparse.csr_matrix) -> dict[str, tuple[Layout, float]]:
    """Maps to measure on: during early exaggeration, and finished."""
    seen: dict[int, Layout] = {}

    def keep(iteration: int, kl: float, Y: Layout) -> None:
        seen[iteration] = Y

    final = mrsne.embed(P, random_state=0, callbacks=keep)
    return {"exaggerated": (seen[100], 12.0), "finished": (final, 1.0)}


def compare(sizes: list[int], repeats: int) -> Table:
    table = Table(title="milliseconds per iteration, medians; ratio of openTSNE's FFT to mrsne")
    for column in ("items", "entries/item", "stage", "mrsne", "openTSNE bh", "openTSNE fft", "ratio"):
        table.add_column(column, justify="right")
    run = {"exaggerated": 1 / 3, "finished": 2 / 3}  # share of the iterations of a run
    for n in sizes:
        if n == PAPER_SIZE:
            P = mrsne.joint_affinities(tagged(n), perplexity={"image": 30, "tag": 28})
        else:
            P = mrsne.joint_affinities(mrsne.RelationalData({"item": clustered(n)}))
        n_iter = 100 if n < 20_000 else 10 if n < 500_000 else 3
        whole: dict[str, float] = defaultdict(float)
        for stage, (Y, exaggeration) in stages(P).items():
            tools = {
                "mrsne": mrsne_iterations(P, Y, exaggeration),
                "fft": opentsne_iterations(P, Y, exaggeration, "fft"),
            }
            if n < 20_000:
                tools["bh"] = opentsne_iterations(P, Y, exaggeration, "bh")
            times: dict[str, list[float]] = {name: [] for name in tools}
            for repeat in range(repeats + 1):
                for name, iterate in tools.items():
                    seconds = iterate(n_iter)
                    if repeat:  # the first stretch warms up
                        times[name].append(seconds)
            median = {name: float(np.median(values)) * 1e3 for name, values in times.items()}
            for name, value in median.items():
                whole[name] += run[stage] * value
            table.add_row(*_cells(n, P, stage, median))
        table.add_row(*_cells(n, P, "whole run", whole))
    return table


def _cells(n: int, P: sparse.csr_matrix, stage: str, times: dict[str, float]) -> list[str]:
    shown = [f"{times[name]:.2f}" if name in times else "-" for name in ("mrsne", "bh", "fft")]
    return [f"{n:,}", f"{P.nnz / n:.0f}", stage, *shown, f"{times['fft'] / times['mrsne']:.1f}"]


def time_paper(repeats: int) -> dict[str, float]:
    """Seconds for 500 iterations of Algorithm 1 at the paper's size, all pairs."""
    data = tagged(PAPER_SIZE)
    perplexity = {"image": 30, "tag": 28}
    seconds = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        mrsne.MRSNE.paper(perplexity=perplexity, random_state=0).fit(data)
        seconds.append(time.perf_counter() - start)
    P = mrsne.joint_affinities(data, perplexity, neighbors="exact")
    start_layout = 1e-2 * np.random.RandomState(0).standard_normal((PAPER_SIZE, 2)).astype(np.float32)
    schedule = [Phase(400, 1.0, 100.0, 0.5, False, FINE_STEP), Phase(500, 1.0, 10.0, 0.5, False, FINE_STEP)]
    backend = CpuBackend()
    iterations = []
    for _ in range(repeats):
        start = time.perf_counter()
        with backend.session():
            descend(backend.load(P), start_layout, Run(schedule, "exact"), backend)
        iterations.append(time.perf_counter() - start)
    return {"whole fit": float(np.median(seconds[1:])), "500 iterations": float(np.median(iterations))}


def main(arguments: Any = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2585, 100_000])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--paper", action="store_true")
    options = parser.parse_args(arguments)
    console = Console(width=110)
    console.print(compare(options.sizes, options.repeats))
    if options.paper:
        for name, seconds in time_paper(options.repeats).items():
            console.print(f"Algorithm 1 at 2,585 items, {name}: {seconds:.2f} s")


if __name__ == "__main__":
    main()
