"""mrsne beside its peers, from vectors to map: same data, same process, stage by stage.

    python -m benchmarks                                   1,000 and 10,000 items, all tools
    python -m benchmarks --sizes 100000 --repeats 3        medians of three runs
    python -m benchmarks --sizes 1000000 --tools mrsne openTSNE --out results

Every tool runs with its default settings on all cores, and on small sets beforehand, so that nothing is compiled or
loaded while the clock runs. The divergence is that of every map from the same P̃, computed by mrsne. Where a peer would
take hours, its iterations are extrapolated from a short run, which is marked by ≥: later iterations take longer.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from rich.console import Console

import mrsne
from benchmarks.data import KINDS
from benchmarks.report import Row, picture, table, write
from benchmarks.tools import STAGES, TOOLS, Measurement, measure


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000], help="numbers of items")
    parser.add_argument("--tools", nargs="+", default=list(TOOLS), choices=list(TOOLS), metavar="TOOL")
    parser.add_argument("--data", default="clustered", choices=list(KINDS), help="what the items are like")
    parser.add_argument("--repeats", type=int, default=1, help="runs of each tool; the median counts")
    parser.add_argument("--out", type=Path, help="folder for measurements.csv, measurements.json and picture.png")
    options = parser.parse_args()
    console = Console(width=max(Console().width, 116))
    for name in options.tools:
        for n in (1_000, 5_000, 25_000):  # tools have other code for small and for large domains
            if n <= max(options.sizes) and (n < 25_000 or name == "mrsne"):
                measure(TOOLS[name], KINDS["clustered"](n))
    rows: list[Row] = []
    for n in options.sizes:
        X = KINDS[options.data](n)
        P = mrsne.joint_affinities(mrsne.RelationalData({"items": X}))
        for name in options.tools:
            if n > TOOLS[name].most:
                console.print(f"{name} is left out at {n:,} items: it would take too long")
                continue
            runs: list[Measurement] = []
            for _ in range(options.repeats):
                runs.append(measure(TOOLS[name], X))
                console.print(f"{name}, {n:,} items: {runs[-1].total:.2f} s")
            last = runs[-1]
            kl = None if last.extrapolated else mrsne.kl_gradient(P, last.map)[0]
            medians = {stage: statistics.median(run.stages[stage] for run in runs) for stage in STAGES}
            total, memory = (statistics.median(getattr(run, what) for run in runs) for what in ("total", "memory"))
            rows.append(
                {
                    "tool": name,
                    "items": n,
                    "data": options.data,
                    **medians,
                    "total": total,
                    "memory": memory,
                    "kl": kl,
                    "extrapolated": last.extrapolated,
                }
            )
            if options.out:
                write(rows, options.out)
    console.print(table(rows))
    if options.out:
        picture(rows, options.out / "picture.png")


if __name__ == "__main__":
    main()
