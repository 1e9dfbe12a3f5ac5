"""``mrsne warm-up``: compile all loops once, in parallel, so that the first map does not wait for it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Annotated, Any

import typer

from mrsne.cli.loops import Compiled
from mrsne.cli.options import Json
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import Wording, sentences

WORDING: Wording = {
    ("loops",): "compiled loops: {value}",
    ("compiled",): "compiled now: {value}",
    ("folder",): "machine code is kept below: {value}",
}
LARGEST = 8  # processes: the longest loop takes an eighth of the whole


def warm_up(
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Processes.", show_default="as many as cores, at most 8")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compile everything that a map is made with, so that the first one does not wait for it.

    Machine code is kept for all later processes, until mrsne, numba or the processor changes. Without this command,
    loops are compiled one by one when they are first needed.

    Example: mrsne warm-up
    """
    from mrsne.cli.loops import names
    from mrsne.compilation.counting import thread_count

    report = Reporter(as_json)
    start = time.perf_counter()
    with report.stage("looking for loops"):
        wanted = names()
    processes = min(jobs or min(thread_count(None), LARGEST), len(wanted))
    with report.bar("compiling", len(wanted)) as advance:
        results = compile_all(wanted, processes, advance)
    folders = [result.folder for result in results]
    if None in folders:
        raise OSError(
            "machine code cannot be kept: neither the folder of mrsne nor your folder for caches can be written to; "
            "set NUMBA_CACHE_DIR to one that can"
        )
    record = {
        "loops": sum(result.loops for result in results),
        "compiled": sum(result.new for result in results),
        "processes": processes,
        "seconds": round(time.perf_counter() - start, 1),
        "folder": os.path.commonpath([folder for folder in folders if folder is not None]),
    }
    report.summary(record, sentences(record, WORDING))


def compile_all(names: Sequence[str], processes: int, advance: Callable[[int], object]) -> list[Compiled]:
    """Compile loops in several processes, each taking the next when it is done: numba compiles one at a time in each.

    Numba writes each file of its cache in one step, and different loops are in different files.
    """
    waiting: SimpleQueue[str] = SimpleQueue()
    for name in names:
        waiting.put(name)
    results: list[Compiled] = []

    def feed() -> None:
        command = [sys.executable, "-c", "from mrsne.cli.loops import serve; serve()"]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, text=True, **pipes) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            while True:
                try:
                    name = waiting.get_nowait()
                except Empty:
                    process.stdin.close()
                    return
                process.stdin.write(name + "\n")
                process.stdin.flush()
                answer = process.stdout.readline()
                if not answer:
                    reason = process.stderr.read().strip().splitlines()
                    raise OSError(f"{name} could not be compiled ({reason[-1] if reason else 'the process ended'})")
                results.append(Compiled(*json.loads(answer)))
                advance(len(results))

    with ThreadPoolExecutor(processes) as pool:
        for work in [pool.submit(feed) for _ in range(processes)]:
            work.result()
    return results
