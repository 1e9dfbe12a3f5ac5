"""One iteration of mrsne beside one of openTSNE: same P̃, same map, same process.

    python -m benchmarks.iterations --sizes 2585 100000 --repeats 5

Every repeat times a stretch of iterations of each tool in turn, at the start of a run (under exaggeration, clusters still
tight) and at its end (the finished map), and the table has the medians. With --paper it also times Algorithm 1 as a whole.
"""

from __future__ import annotations

import argparse
import time
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
from mrsne.layout.descent import descend
from mrsne.layout.gradient import choose_method
from mrsne.layout.mesh import FINE_STEP, STEP
from mrsne.layout.schedule import Phase

Layout = NDArray[np.float32]


class Precomputed:
    """Affinities as openTSNE takes them."""

    def __init__(self, P: sparse.csr_matrix) -> None:
        self.P = P.astype(np.float64)
        self.n_samples = P.shape[0]


def run_mrsne(P: sparse.csr_matrix, Y: Layout, n_iter: int, exaggeration: float) -> None:
    rate = P.shape[0] / exaggeration / 4
    step = FINE_STEP if exaggeration > 1 else STEP
    schedule = [Phase(n_iter, exaggeration, rate, 0.8, True, step)]
    descend(P, Y, schedule, choose_method("auto", *Y.shape))


def run_opentsne(P: sparse.csr_matrix, Y: Layout, n_iter: int, exaggeration: float, method: str) -> None:
    embedding = TSNEEmbedding(
        Y.astype(np.float64), Precomputed(P), negative_gradient_method=method, n_jobs=-1, random_state=0
    )
    embedding.optimize(n_iter, exaggeration=exaggeration, momentum=0.8, max_step_norm=5, inplace=True)


def per_iteration(run: Callable[[int], None], n_iter: int) -> float:
    """Seconds for one iteration: a long run less a short one, so that setting up does not count."""
    start = time.perf_counter()
    run(2)
    middle = time.perf_counter()
    run(n_iter + 2)
    return ((time.perf_counter() - middle) - (middle - start)) / n_iter


def stages(P: sparse.csr_matrix) -> dict[str, tuple[Layout, float]]:
    """Maps to measure on: during early exaggeration, and finished."""
    seen: dict[int, Layout] = {}

    def keep(iteration: int, kl: float, Y: Layout) -> None:
        seen[iteration] = Y

    final = mrsne.embed(P, random_state=0, callbacks=keep)
    return {"exaggerated": (seen[100], 12.0), "finished": (final, 1.0)}


def compare(sizes: list[int], repeats: int, console: Console) -> Table:
    table = Table(title="milliseconds per iteration, medians")
    for column in ("items", "links/item", "stage", "mrsne", "openTSNE bh", "openTSNE fft", "ratio to the faster"):
        table.add_column(column, justify="right")
    for n in sizes:
        data = tagged(n) if n == 2585 else mrsne.RelationalData({"item": clustered(n)})
        P = mrsne.joint_affinities(data)
        n_iter = 100 if n < 20_000 else 10
        for stage, (Y, exaggeration) in stages(P).items():
            tools: dict[str, Callable[[int], None]] = {
                "mrsne": lambda k, P=P, Y=Y, e=exaggeration: run_mrsne(P, Y, k, e),  # type: ignore[misc]
                "fft": lambda k, P=P, Y=Y, e=exaggeration: run_opentsne(P, Y, k, e, "fft"),  # type: ignore[misc]
            }
            if n < 20_000:
                tools["bh"] = lambda k, P=P, Y=Y, e=exaggeration: run_opentsne(P, Y, k, e, "bh")  # type: ignore[misc]
            times: dict[str, list[float]] = {name: [] for name in tools}
            for _ in range(repeats):
                for name, tool in tools.items():
                    times[name].append(per_iteration(tool, n_iter))
            median = {name: float(np.median(values)) * 1e3 for name, values in times.items()}
            ratio = min(value for name, value in median.items() if name != "mrsne") / median["mrsne"]
            shown = [f"{median[name]:.2f}" if name in median else "-" for name in ("mrsne", "bh", "fft")]
            table.add_row(f"{n:,}", f"{P.nnz / n:.0f}", stage, *shown, f"{ratio:.1f}")
            console.print(f"{n} {stage}: {median}", highlight=False)
    return table


def time_paper(repeats: int) -> dict[str, float]:
    """Seconds for 500 iterations of Algorithm 1 at the paper's size, all pairs."""
    data = tagged(2585)
    seconds = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        mrsne.MRSNE.paper(random_state=0).fit(data)
        seconds.append(time.perf_counter() - start)
    P = mrsne.joint_affinities(data, neighbors="exact")
    start_layout = 1e-2 * np.random.RandomState(0).standard_normal((2585, 2)).astype(np.float32)
    schedule = [Phase(400, 1.0, 100.0, 0.5, False, FINE_STEP), Phase(500, 1.0, 10.0, 0.5, False, FINE_STEP)]
    iterations = []
    for _ in range(repeats):
        start = time.perf_counter()
        descend(P, start_layout, schedule, "exact")
        iterations.append(time.perf_counter() - start)
    return {"whole fit": float(np.median(seconds[1:])), "500 iterations": float(np.median(iterations))}


def main(arguments: Any = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2585, 100_000])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--paper", action="store_true")
    options = parser.parse_args(arguments)
    console = Console()
    console.print(compare(options.sizes, options.repeats, console))
    if options.paper:
        for name, seconds in time_paper(options.repeats).items():
            console.print(f"Algorithm 1 at 2,585 items, {name}: {seconds:.2f} s")


if __name__ == "__main__":
    main()
