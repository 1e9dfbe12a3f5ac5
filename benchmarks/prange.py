"""Whole fits with our threads and with numba's own prange: ``python -m benchmarks.prange --threads 16``.

Each fit runs in a process of its own, in turn; the first fit of a process is left out, since it may compile. The second
way is what remains where numba lacks what ``mrsne.numba_internals`` uses: prange, and tuples instead of registers.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table

import mrsne
from benchmarks.data import clustered

WAYS = {"handed over in compiled code": "", "numba's prange": "instructions"}


def seconds_of_fits(n: int, threads: int, repeats: int) -> list[float]:
    """Return the seconds of each fit but the first."""
    X, times = clustered(n), []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        mrsne.MRSNE(random_state=0, n_jobs=threads).fit(X)
        times.append(time.perf_counter() - start)
    return times[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[3_000, 100_000])
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--here", action="store_true", help="print the seconds of one way as JSON")
    given = parser.parse_args()
    if given.here:
        print(json.dumps(seconds_of_fits(given.sizes[0], given.threads, given.repeats)))
        return
    table = Table(title=f"vectors to map on {given.threads} threads, seconds (median, all)")
    for column in ("items", *WAYS):
        table.add_column(column, justify="right")
    for n in given.sizes:
        found: dict[str, list[float]] = {way: [] for way in WAYS}
        for way, without in [*WAYS.items()] * 2:
            options = ["--sizes", str(n), "--threads", str(given.threads), "--repeats", str(given.repeats)]
            command = [sys.executable, "-W", "ignore", "-m", "benchmarks.prange", "--here", *options]
            environment = {**os.environ, "MRSNE_WITHOUT": without}
            output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
            found[way] += json.loads(output.splitlines()[-1])
        cells = (f"{np.median(times):.2f} ({min(times):.2f} to {max(times):.2f})" for times in found.values())
        table.add_row(f"{n:,}", *cells)
    Console().print(table)


if __name__ == "__main__":
    main()
