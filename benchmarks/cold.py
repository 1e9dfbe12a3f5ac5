"""The first fit in a new environment, when everything has yet to be compiled, and the next ones.

    python -m benchmarks.cold

Each runs in a process of its own with an empty cache for machine code, then again with a full one: fits at the size of
the paper, 2,500 pictures and 85 tags, and ``mrsne map`` of a table of 100 rows. Last, ``mrsne warm-up`` into an empty
cache, and the same after it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

FITS = {
    "import mrsne": "import mrsne",
    "default": "mrsne.MRSNE(random_state=0, perplexity={'image': 30, 'tag': 28}).fit(tagged(2585))",
    "Algorithm 1": "mrsne.MRSNE.paper(random_state=0, perplexity={'image': 30, 'tag': 28}).fit(tagged(2585))",
    "25,000 items": "mrsne.MRSNE(random_state=0, max_iter=60).fit(clustered(25_000))",
}
COMMAND = "import sys; from mrsne.cli import main; sys.stdout = open('/dev/null', 'w'); main({})"
WARM_UP = COMMAND.format(["warm-up"])
ROWS = 100
SCRIPT = "import mrsne\nfrom benchmarks.data import clustered, tagged\n{}"


def run(statement: str, cache: str) -> float:
    """Return the seconds that a process takes from its start to its end."""
    script = statement if statement.startswith("import") else SCRIPT.format(statement)
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
    return time.perf_counter() - start


def map_of_rows(folder: str) -> str:
    """Return a program that makes a map of a table of works, each with its artist and three of its subjects."""
    random = np.random.default_rng(0)
    rows = [
        f"Work {i},{1800 + i},artist {i % 17},{'; '.join(f's{s}' for s in random.choice(40, 3, replace=False))}"
        for i in range(ROWS)
    ]
    table = Path(folder, "works.csv")
    table.write_text("\n".join(["title,year,artist,subjects", *rows]))
    return COMMAND.format(["map", str(table), "-o", str(Path(folder, "map.html")), "--fresh"])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        measure({**FITS, f"mrsne map, a table of {ROWS} rows": map_of_rows(folder)})


def measure(programs: dict[str, str]) -> None:
    bare = min(run("import sys", "") for _ in range(5))
    table = Table(title=f"seconds of a whole process, less {bare:.2f} s for Python itself")
    for column in ("", "first", "next, median of 5"):
        table.add_column(column, justify="left" if column == "" else "right")
    for name, statement in programs.items():
        with tempfile.TemporaryDirectory() as cache:
            first = run(statement, cache) - bare
            following = sorted(run(statement, cache) - bare for _ in range(5))[2]
        table.add_row(name, f"{first:.2f}", f"{following:.2f}")
    with tempfile.TemporaryDirectory() as cache:
        ahead = run(WARM_UP, cache) - bare
        table.add_row("mrsne warm-up", f"{ahead:.2f}", f"{run(WARM_UP, cache) - bare:.2f} (once)")
        for name, statement in list(programs.items())[1:]:
            table.add_row(f"{name}, after it", f"{run(statement, cache) - bare:.2f}", "")
    Console().print(table)


if __name__ == "__main__":
    main()
