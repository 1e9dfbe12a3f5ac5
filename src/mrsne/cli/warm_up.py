"""``mrsne warm-up``: compile all loops once, in parallel, so that the first map does not wait for it."""

import os
import time
from typing import Annotated

from mrsne.cli.options import Json, option
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
        int | None, option("Processes.", "--jobs", "-j", min=1, default="one for each core, at most 8")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compile everything that a map is made with, so that the first one does not wait for it.

    Machine code is kept for all later processes, until mrsne, numba or the processor changes. Without this command,
    loops are compiled one by one when they are first needed.

    Example: mrsne warm-up
    """
    from mrsne.threads import thread_count
    from mrsne.warm_up import compile_all, names

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
