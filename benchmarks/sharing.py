"""Our threads beside numba's: ``python -m benchmarks.sharing --threads 2 4 8 16``.

The same compiled loops, registers included, once handed over by :mod:`mrsne.numba_internals` and once by numba's own
``prange``, in one process, in turns: an iteration at the start of a run and on the finished map, vectors to P̃, and a
whole fit. Medians of repeats; both give the same bits, which is checked.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import numba
import numpy as np
from rich.console import Console
from rich.table import Table

import mrsne
from benchmarks.data import clustered
from benchmarks.threads import iterations, maps
from mrsne import loops as sharing
from mrsne.warm_up import loops

WAYS = ("own", "prange")


@contextmanager
def shared_by(way: str, kept: dict[str, dict[int, object]]) -> Iterator[None]:
    """Hand loops over in one of two ways; what was compiled for the other is kept for later."""
    own = sharing.numba_internals
    kernels = [kernel for each in loops().values() for kernel in each]
    if way == "prange":
        sharing.numba_internals = None
    for kernel in kernels:
        kernel.machine_code = kept[way].get(id(kernel))  # type: ignore[assignment]
    try:
        yield
    finally:
        for kernel in kernels:
            kept[way][id(kernel)] = kernel.machine_code
        sharing.numba_internals = own


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[2, 4, 8, 16])
    parser.add_argument("--sizes", type=int, nargs="+", default=[3_000, 100_000])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    console = Console(width=160)
    kept: dict[str, dict[int, object]] = {way: {} for way in WAYS}
    for way in WAYS:  # compiles
        with shared_by(way, kept):
            for n in (1_000, 20_000):
                mrsne.MRSNE(max_iter=60, n_jobs=2, init="random", random_state=0).fit(clustered(n))
    console.print("prange by numba's threading layer:", getattr(numba, "threading_layer")())  # noqa: B009 (not exported)
    table = Table("items", "threads", "what", *WAYS, "prange / own")
    for n in options.sizes:
        X = clustered(n)
        data = mrsne.RelationalData({"items": X})
        P = mrsne.joint_affinities(data)
        starts = maps(P)
        for count in options.threads:
            seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
            found = {}
            for _ in range(options.repeats):
                for way in WAYS:
                    with shared_by(way, kept):
                        for stage, (Y, exaggeration, step) in starts.items():
                            whole, _ = iterations(P, Y, exaggeration, step, count, 100 if n < 20_000 else 20)
                            seconds[f"iteration, {stage} (ms)", way].append(1e3 * whole)
                        start = time.perf_counter()
                        mrsne.joint_affinities(data, n_jobs=count)
                        seconds["vectors to P̃ (s)", way].append(time.perf_counter() - start)
                        start = time.perf_counter()
                        found[way] = mrsne.MRSNE(n_jobs=count, random_state=0).fit_transform(X)
                        seconds["vectors to map (s)", way].append(time.perf_counter() - start)
            np.testing.assert_array_equal(found["own"], found["prange"])
            for what in dict.fromkeys(what for what, _ in seconds):
                own, prange = (float(np.median(seconds[what, way])) for way in WAYS)
                table.add_row(f"{n:,}", str(count), what, f"{own:.3f}", f"{prange:.3f}", f"{prange / own:.2f}")
    console.print(table)


if __name__ == "__main__":
    main()
