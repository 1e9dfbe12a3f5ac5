"""How far each stage is from what the machine could do: bytes that must be moved, operations that must be done.

    python -m benchmarks.limits --sizes 100000 1000000

The machine's limits are measured: reading memory on all cores, and a product of large matrices in single precision. A
stage's limit is the larger of the two times; data that fits into the cache may beat the memory's.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import mrsne
from benchmarks.data import clustered
from mrsne.affinity.settings import RECALL
from mrsne.backends.base import Phase, State
from mrsne.backends.cpu.backend import CpuBackend
from mrsne.backends.cpu.search.exact import Standard
from mrsne.backends.cpu.search.inverted import InvertedLists
from mrsne.backends.grid import STEP, choose_grid
from mrsne.backends.rows import prepare
from mrsne.loops import Array, Kernel, kernel
from mrsne.matrices import PARTS
from mrsne.threads import threads

REPEATS = 15
PASSES = {  # kernels of an iteration, by stage
    "attraction": ("_attract_in_the_plane",),
    "spreading": ("_count_bands", "_fill_bands", "spread_in_the_plane"),
    "FFT": ("_down", "_across", "_up"),
    "gathering": ("gather_in_the_plane",),
    "step": ("take_step",),
}


@kernel("f4[:] f4[:]!")
def _read(start: int, stop: int, numbers: Array, sums: Array) -> None:
    n = numbers.shape[0]
    for part in range(start, stop):
        some = numbers[part * n // PARTS : (part + 1) * n // PARTS]
        total = np.float32(0)
        for position in range(some.shape[0]):
            total += some[position]
        sums[part] = total


def median_time(task: Callable[[], object]) -> float:
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def machine() -> tuple[float, float]:
    """Return bytes and operations per second."""
    numbers, sums = np.ones(10**8, np.float32), np.empty(PARTS, np.float32)
    with threads(None):
        bandwidth = numbers.nbytes / median_time(lambda: _read.over(PARTS, numbers, sums))
    A = np.ones((2048, 2048), np.float32)
    return bandwidth, 2 * 2048**3 / median_time(lambda: A @ A)


@contextmanager
def timed_kernels(clock: Callable[[], float] = time.perf_counter) -> Iterator[dict[str, float]]:
    """Add up the seconds of every kernel."""
    seconds: dict[str, float] = defaultdict(float)
    originals = Kernel.over, Kernel.alone

    def timing(original: Any) -> Any:
        def run(self: Any, *arguments: Any) -> None:
            start = clock()
            original(self, *arguments)
            seconds[self.function.__name__] += clock() - start

        return run

    Kernel.over, Kernel.alone = map(timing, originals)  # type: ignore[method-assign]
    try:
        yield seconds
    finally:
        Kernel.over, Kernel.alone = originals  # type: ignore[method-assign]


def needs(P: Any, Y: Any) -> dict[str, tuple[float, float]]:
    """Return bytes and operations of each stage of an iteration on an unfolded map."""
    n, nnz = P.shape[0], P.nnz
    shape = choose_grid(np.ptp(Y, axis=0).astype(np.float64), STEP)[1]
    R, C = shape
    used, half = (R // 2) * (C // 2), (R // 2 + 1) * (C // 2)
    transforms = 2 * (C // 4) * 5 * R * math.log2(R) + 2 * (R // 2 + 1) * 5 * C * math.log2(C)
    return {
        "attraction": (8 * nnz + 24 * n, 11 * nnz),
        "spreading": (28 * n + 8 * used, n * (2 * 6 * 6 + 20 * 6)),
        "FFT": (4 * (2 * used + 4 * 2 * half + (R // 2) * C), transforms),
        "gathering": (20 * n + 4 * used, n * (4 * 6 * 6 + 40 * 6)),
        "step": (64 * n, 20 * n),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000])
    options = parser.parse_args()
    bandwidth, rate = machine()
    table = Table(title=f"memory {bandwidth / 1e9:.0f} GB/s, matrix products {rate / 1e9:.0f} Gflop/s")
    for column in ("items", "stage", "MB", "Mflop", "limit, ms", "measured, ms", "ratio"):
        table.add_column(column, justify="left" if column == "stage" else "right")

    def add(n: int, stage: str, amount: float, operations: float, seconds: float) -> None:
        limit = max(amount / bandwidth, operations / rate)
        shown = (f"{amount / 1e6:,.1f}", f"{operations / 1e6:,.0f}", f"{limit * 1e3:,.2f}", f"{seconds * 1e3:,.2f}")
        table.add_row(f"{n:,}", stage, *shown, f"{seconds / limit:.1f}")

    for n in options.sizes:
        X = clustered(n)
        rows = prepare(X, "euclidean")
        with threads(None):
            standard = Standard(rows)
            lists = InvertedLists(rows, standard)
            probes = lists.needed_probes(lists.sample(rows, standard, 90, 99), RECALL)
            start = time.perf_counter()
            lists.search(lists.points, lists.home, 99, probes, lambda which, found: None)
            operations = 2 * X.shape[1] * n * probes * (n / lists.n_lists)
            add(n, f"search of {probes} of {lists.n_lists} lists", 4 * X.size, operations, time.perf_counter() - start)
        P = mrsne.joint_affinities(mrsne.RelationalData({"items": X}))
        Y = mrsne.embed(P, random_state=0)
        backend = CpuBackend()
        state = State(0, Y.copy(), np.zeros_like(Y), np.ones_like(Y), np.arange(len(Y)))
        motion = backend.motion(backend.load(P), state, "fft")
        phase = Phase(0, 1.0, n / 4, 0.8, True, STEP)
        with threads(None):
            for _ in range(3):
                motion.step(phase)
            with timed_kernels() as seconds:
                start = time.perf_counter()
                for _ in range(REPEATS):
                    motion.step(phase)
                whole = (time.perf_counter() - start) / REPEATS
        found = needs(P, Y)
        for stage, kernels in PASSES.items():
            add(n, stage, *found[stage], sum(seconds[name] for name in kernels) / REPEATS)
        amount, operations = np.sum(list(found.values()), axis=0)
        add(n, "whole iteration", amount, operations, whole)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
