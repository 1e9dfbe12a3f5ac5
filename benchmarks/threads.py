"""The same work on more and more threads, beside openTSNE: ``python -m benchmarks.threads --threads 1 2 4 8 16``.

For each number of threads: milliseconds of an iteration at the start of a run (a random start) and at its end, of mrsne
and of openTSNE from the same map with the same P̃; what of it is spent in each compiled loop, and what in none of them,
which is the serial part, and what Amdahl's law makes of it; seconds from vectors to P̃, by stage; a whole fit; and how
fast memory is read. Medians of repeats; the numbers of threads take turns.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse

import mrsne
from benchmarks.data import clustered
from benchmarks.iterations import Layout, opentsne_iterations
from benchmarks.limits import _read, timed_kernels
from benchmarks.measure import watching
from mrsne.backends.base import Phase, State
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.backends.grid import FINE_STEP, STEP
from mrsne.layout.settings import choose_method
from mrsne.matrices import PARTS
from mrsne.threads import threads

SEARCH = "mrsne.backends.cpu.search."
GRAPH = "mrsne.backends.cpu."
STAGES = {
    "centres": [SEARCH + "inverted:learn_centres"],
    "homes": [SEARCH + "inverted:InvertedLists.homes"],
    "sample": [SEARCH + "inverted:InvertedLists.sample"],
    "duplicates": [SEARCH + "neighbors:distinct_places"],
    "search": [SEARCH + "inverted:InvertedLists.search", SEARCH + "neighbors:search_all"],
    "second look": [SEARCH + "inverted:InvertedLists.search_again", SEARCH + "neighbors:search_all_again"],
    "perplexity": [GRAPH + "graph:neighbor_probabilities"],
    "symmetry": [GRAPH + "graph:symmetrized"],
}


def maps(P: sparse.csr_matrix) -> dict[str, tuple[Layout, float, float]]:
    """Return maps to iterate from, each with its exaggeration and the step of its grid."""
    start = (1e-4 * np.random.RandomState(0).standard_normal((P.shape[0], 2))).astype(np.float32)
    final = mrsne.embed(P, init=start, random_state=0)
    return {"start": (start, 12.0, FINE_STEP), "finished": (final, 1.0, STEP)}


def iterations(
    P: sparse.csr_matrix,
    Y: Layout,
    exaggeration: float,
    step: float,
    n_jobs: int,
    count: int,
    clock: Callable[[], float] = time.perf_counter,
) -> Any:
    """Return seconds of an iteration, and of each compiled loop in it, for so many threads."""
    backend = CpuBackend(n_jobs)
    state = State(0, Y.copy(), np.zeros_like(Y), np.ones_like(Y), np.arange(len(Y)))
    motion = backend.motion(backend.load(P), state, choose_method("auto", Y.shape[0], Y.shape[1], backend))
    phase = Phase(0, exaggeration, len(Y) / exaggeration / 4, 0.8, True, step)
    with backend.session():
        times = []
        for _ in range(2 * count):
            start = clock()
            motion.step(phase)
            times.append(clock() - start)
        whole = float(np.median(times))  # a few of them try out another number of threads
        with timed_kernels(clock) as seconds:
            for _ in range(count):
                motion.step(phase)
    return whole, {name: spent / count for name, spent in seconds.items()}


def compare_iterations(n: int, P: sparse.csr_matrix, counts: list[int], repeats: int, console: Console) -> None:
    """Print an iteration's milliseconds by threads."""
    method = "bh" if n < 20_000 else "fft"
    for stage, (Y, exaggeration, step) in maps(P).items():
        n_iter = 100 if n < 20_000 else 10
        ours: dict[int, list[float]] = defaultdict(list)
        loops: dict[int, list[dict[str, float]]] = defaultdict(list)
        theirs: dict[int, list[float]] = defaultdict(list)
        for _ in range(repeats):
            for count in counts:
                whole, seconds = iterations(P, Y, exaggeration, step, count, n_iter)
                ours[count].append(1e3 * whole)
                loops[count].append(seconds)
                theirs[count].append(1e3 * opentsne_iterations(P, Y, exaggeration, method, count)(max(5, n_iter // 10)))
        names = sorted({name for runs in loops.values() for run in runs for name in run})
        table = Table(title=f"{n:,} items, {stage}: milliseconds of an iteration")
        for column in ("threads", "mrsne", f"openTSNE {method}", "in no loop", *names):
            table.add_column(column, justify="right")
        for count in counts:
            spent = {name: 1e3 * float(np.median([run.get(name, 0) for run in loops[count]])) for name in names}
            mine = float(np.median(ours[count]))
            rest = mine - sum(spent.values())
            cells = [mine, float(np.median(theirs[count])), rest, *spent.values()]
            table.add_row(str(count), *(f"{cell:.3f}" for cell in cells))
        best = min(map(np.median, theirs.values())) / min(map(np.median, ours.values()))
        console.print(table)
        console.print(f"each at its best: openTSNE takes {best:.1f} times as long")
        whole, seconds = iterations(P, Y, exaggeration, step, 1, n_iter, time.thread_time)
        serial = max(0.0, whole - sum(seconds.values()))
        console.print(
            f"{1e3 * serial:.3f} of {1e3 * whole:.2f} ms of processor time are in no loop: by Amdahl's law all others "
            f"at once would make it {whole / max(serial, 1e-6):.0f} times as fast, and 16 threads "
            f"{whole / (serial + (whole - serial) / 16):.1f} times\n"
        )


def compare_affinities(X: Any, counts: list[int], repeats: int, console: Console) -> None:
    """Print seconds from vectors to P̃, by threads and stage."""
    data = mrsne.RelationalData({"items": X})
    found: dict[int, list[dict[str, float]]] = defaultdict(list)
    for _ in range(repeats):
        for count in counts:
            with watching(STAGES) as stages:
                start = time.perf_counter()
                mrsne.joint_affinities(data, n_jobs=count)
                whole = time.perf_counter() - start
            rest = whole - sum(stages.seconds.values())
            found[count].append({"all": whole, **stages.seconds, "rest": rest})
    names = ["all", *STAGES, "rest"]
    table = Table(title=f"{len(X):,} vectors of {X.shape[1]} dimensions to P̃, seconds")
    for column in ("threads", *names):
        table.add_column(column, justify="right")
    for count in counts:
        table.add_row(
            str(count), *(f"{float(np.median([run.get(name, 0) for run in found[count]])):.3f}" for name in names)
        )
    console.print(table)


def compare_memory(counts: list[int], console: Console) -> None:
    """Print how fast memory is read, by threads."""
    numbers, sums = np.ones(10**8, np.float32), np.empty(PARTS, np.float32)
    for count in counts:
        with threads(count):
            times = []
            for _ in range(7):
                start = time.perf_counter()
                _read.over(PARTS, numbers, sums)
                times.append(time.perf_counter() - start)
        console.print(f"{count} threads read {numbers.nbytes / float(np.median(times)) / 1e9:.0f} GB/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--sizes", type=int, nargs="+", default=[3_000, 100_000])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    console = Console(width=220)
    for n in (1_000, 20_000):  # compiles
        mrsne.MRSNE(max_iter=60, n_jobs=2, init="random", random_state=0).fit(clustered(n))
    compare_memory(options.threads, console)
    for n in options.sizes:
        X = clustered(n)
        compare_affinities(X, options.threads, options.repeats, console)
        P = mrsne.joint_affinities(mrsne.RelationalData({"items": X}))
        compare_iterations(n, P, options.threads, options.repeats, console)
        for count in options.threads[::-1]:
            start = time.perf_counter()
            mrsne.MRSNE(n_jobs=count, random_state=0).fit(X)
            console.print(f"{n:,} items, {count} threads, vectors to map: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
