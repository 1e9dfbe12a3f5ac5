"""What of a whole fit one thread does alone, with vectors, links, or both: ``python -m benchmarks.serial``.

Seconds with each number of threads, and those that are spent neither in a compiled loop that all threads share nor in a
task that they share; from these, what Amdahl's law allows 16 threads. Medians of repeats, in turns.
"""

from __future__ import annotations

import argparse
import sys
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
from benchmarks.measure import watching
from benchmarks.two_domains import linked
from mrsne.loops import Kernel
from mrsne.threads import share

STAGES = {
    "P̃": ["mrsne.model.fit:compute_affinities"],
    "start": ["mrsne.layout.embed:initial_layout"],
    "iterations": ["mrsne.layout.embed:descend"],
}
PAIR = ("picture", "tag")


def vectors_alone(n: int) -> mrsne.RelationalData:
    return mrsne.RelationalData({"picture": clustered(n)})


def vectors_and_links(n: int) -> mrsne.RelationalData:
    return linked(n, n // 10, 5 * n)


def tags_without_vectors(n: int) -> mrsne.RelationalData:
    data = linked(n, n // 10, 5 * n)
    return mrsne.RelationalData({"picture": data.vectors["picture"], "tag": n // 10}, {PAIR: data.relations[PAIR]})


def links_alone(n: int) -> mrsne.RelationalData:
    data = linked(n, n // 10, 5 * n)
    return mrsne.RelationalData({"picture": n, "tag": n // 10}, {PAIR: data.relations[PAIR]})


KINDS: dict[str, Callable[[int], mrsne.RelationalData]] = {
    "vectors": vectors_alone,
    "vectors, and links to tags with vectors": vectors_and_links,
    "vectors, and links to tags without": tags_without_vectors,
    "links alone": links_alone,
}


@contextmanager
def timed_sharing() -> Iterator[list[float]]:
    """Note the seconds of everything that threads share; a loop inside a task is part of the task."""
    seconds: list[float] = []
    inside = [False]

    def timing(original: Any) -> Any:
        def run(*arguments: Any) -> None:
            if inside[0]:
                original(*arguments)
                return
            inside[0], start = True, time.perf_counter()
            try:
                original(*arguments)
            finally:
                inside[0] = False
                seconds.append(time.perf_counter() - start)

        return run

    over = Kernel.over
    timed = timing(share)
    Kernel.over = timing(over)  # type: ignore[method-assign]
    replace_sharing(share, timed)
    try:
        yield seconds
    finally:
        Kernel.over = over  # type: ignore[method-assign]
        replace_sharing(timed, share)  # also in modules that were imported meanwhile


def replace_sharing(present: Any, other: Any) -> None:
    """Replace a function that is called ``share`` in all modules of mrsne."""
    for name, module in list(sys.modules.items()):
        if name.startswith("mrsne") and vars(module).get("share") is present:
            vars(module)["share"] = other


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    console = Console(width=200)
    table = Table(title=f"a fit of {options.size:,} items, and a tenth as many tags: seconds")
    stages = [f"{stage}, {options.threads[-1]}" for stage in STAGES]
    for column in ("data", *(f"threads: {count}" for count in options.threads), *stages, "alone", "16 by Amdahl"):
        table.add_column(column, justify="right")
    for name, made in KINDS.items():
        mrsne.MRSNE(max_iter=10, random_state=0).fit(made(12_000))  # compiles
        data = made(options.size)
        whole: dict[int, list[float]] = defaultdict(list)
        alone: list[float] = []
        parts: dict[str, list[float]] = defaultdict(list)
        for _ in range(options.repeats):
            for count in options.threads:
                with timed_sharing() as shared, watching(STAGES) as watched:
                    start = time.perf_counter()
                    mrsne.MRSNE(random_state=0, n_jobs=count).fit(data)
                    whole[count].append(time.perf_counter() - start)
                if count == options.threads[0]:
                    alone.append(whole[count][-1] - sum(shared))
                if count == options.threads[-1]:
                    for stage, seconds in watched.seconds.items():
                        parts[stage].append(seconds)
        first, serial = float(np.median(whole[options.threads[0]])), float(np.median(alone))
        cells: list[Any] = [
            *(np.median(whole[count]) for count in options.threads),
            *(np.median(parts[s]) for s in STAGES),
        ]
        cells += [serial, serial + (first - serial) * options.threads[0] / 16]
        table.add_row(name, *(f"{float(cell):.2f}" for cell in cells))
    console.print(table)


if __name__ == "__main__":
    main()
