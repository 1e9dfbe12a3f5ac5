"""From a table to P̃: seconds, those of all processors together, and peak memory, for tables of several sizes.

    python -m benchmarks.tables --rows 100000 1000000

Each size runs in a process of its own, so that the peak is its own. The table has six columns: id, title, artist,
subjects (a list), year and a date, in one Parquet file, which is written first and does not count.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

ARTISTS, SUBJECTS = 5_000, 3_000
MEGABYTE = 2**20


def write_made_table(path: Path, rows: int) -> None:
    """Write works of art: an artist paints what lies close to a place of their own among the subjects."""
    import pyarrow
    from pyarrow import parquet

    random = np.random.default_rng(0)
    artist = (ARTISTS * random.random(rows) ** 2).astype(np.int64)
    counts = random.integers(1, 6, rows)
    spread = random.normal(0, 40, counts.sum()).astype(np.int64)
    subjects = (np.repeat(artist * 7919, counts) + spread) % SUBJECTS
    offsets = np.concatenate([[0], np.cumsum(counts)])
    names = pyarrow.array([f"subject {i}" for i in range(SUBJECTS)])
    lists = pyarrow.ListArray.from_arrays(pyarrow.array(offsets, pyarrow.int32()), names.take(pyarrow.array(subjects)))
    table = pyarrow.table(
        {
            "id": [f"N{i:07d}" for i in range(rows)],
            "title": [f"Study {i % (rows // 3 + 1)}" for i in range(rows)],
            "artist": pyarrow.array([f"Artist {i}" for i in range(ARTISTS)]).take(pyarrow.array(artist)),
            "subjects": lists,
            "year": 1700 + random.integers(0, 300, rows),
            "acquired": np.datetime64("1850-01-01") + random.integers(0, 50_000, rows).astype("timedelta64[D]"),
        }
    )
    parquet.write_table(table, path)


def peak() -> float:
    """Return the most memory that this program has had, in MiB.

    Linux tells it without that of the process which started this one, which ``ru_maxrss`` counts as well.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(path: Path) -> dict[str, Any]:
    """Return seconds and the peak so far of each stage."""
    import mrsne
    from mrsne.data.tables.choices import Choices
    from mrsne.data.tables.joining import parts_from_tables, plan_tables
    from mrsne.data.tables.reading import open_table

    stages: dict[str, Any] = {"start": {"seconds": 0.0, "cpu": 0.0, "peak": peak()}}

    def timed(name: str, task: Callable[[], Any]) -> Any:
        start, used = time.perf_counter(), time.process_time()
        result = task()
        stages[name] = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - used, "peak": peak()}
        return result

    warm = mrsne.RelationalData(
        {"a": np.random.default_rng(0).normal(size=(500, 5)), "b": 9}, {("a", "b"): np.eye(500, 9)}
    )
    timed("compiling", lambda: mrsne.MRSNE(perplexity=5, max_iter=1, random_state=0).fit(warm))
    kept: dict[str, Any] = {}
    kept["table"] = timed("reading", lambda: open_table(path))
    kept["plan"] = timed("what columns are", lambda: plan_tables(kept["table"], (), Choices(item="work")))
    kept["parts"] = timed("items and links", lambda: parts_from_tables(*kept["plan"]))
    data = timed("RelationalData", lambda: mrsne.RelationalData(**kept["parts"].arguments()))
    kept.clear()
    P = timed("P̃", lambda: mrsne.joint_affinities(data, relation_norm="auto", weights="auto"))
    return {
        "stages": stages,
        "items": dict(data.sizes),
        "links": int(sum(W.nnz for W in data.relations.values())),
        "nnz": int(P.nnz),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--make", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.make is not None:
        write_made_table(Path(given.make[0]), int(given.make[1]))
        return
    if given.measure is not None:
        print(json.dumps(measure(given.measure)))
        return
    shown = Table("rows", "file, MB", "items", "links", "stage", "seconds", "CPU", "peak, MB")
    for rows in given.rows:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "works.parquet")
            subprocess.run([sys.executable, "-m", "benchmarks.tables", "--make", str(path), str(rows)], check=True)
            command = [sys.executable, "-m", "benchmarks.tables", "--measure", str(path)]
            found = json.loads(
                subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
            )
            size = path.stat().st_size / MEGABYTE
        items = ", ".join(f"{count:,} {name}" for name, count in found["items"].items())
        for stage, about in found["stages"].items():
            shown.add_row(
                f"{rows:,}",
                f"{size:.0f}",
                items,
                f"{found['links']:,}",
                stage,
                f"{about['seconds']:.2f}",
                f"{about['cpu']:.2f}",
                f"{about['peak']:.0f}",
            )
    Console(width=140).print(shown)


if __name__ == "__main__":
    main()
