"""Measurements as a table, as files and as a picture."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.tools import STAGES

COLUMNS = ("tool", "items", "data", *STAGES, "total", "memory", "kl", "extrapolated")
COLOURS = {"mrsne": "#0b6e4f", "openTSNE": "#c8553d", "scikit-learn": "#7a7a7a", "umap-learn": "#3f6fb5"}
Row = dict[str, Any]


def table(rows: Sequence[Row]) -> Table:
    result = Table(title="seconds by stage, medians; memory is the peak above the start, in MiB")
    for column in ("items", "tool", *STAGES, "total", "to mrsne", "memory", "KL"):
        result.add_column(column, justify="left" if column == "tool" else "right")
    ours = {row["items"]: row["total"] for row in rows if row["tool"] == "mrsne"}
    for row in rows:
        about = "≥ " if row["extrapolated"] else ""
        result.add_row(
            f"{row['items']:,}",
            row["tool"],
            *(f"{row[stage]:.2f}" for stage in STAGES[:-1]),
            f"{about}{row['iterations']:.2f}",
            f"{about}{row['total']:.2f}",
            f"{about}{row['total'] / ours[row['items']]:.1f}x" if row["items"] in ours else "",
            f"{row['memory']:,.0f}",
            "" if row["kl"] is None else f"{row['kl']:.3f}",
        )
    return result


def write(rows: Sequence[Row], folder: Path) -> None:
    """Write measurements.csv and measurements.json."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "measurements.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    (folder / "measurements.json").write_text(json.dumps(list(rows), indent=1) + "\n")


def read(file: Path) -> list[Row]:
    """Return the measurements of a CSV file."""
    readers: dict[str, Callable[[str], Any]] = {"tool": str, "data": str, "items": int, "extrapolated": "True".__eq__}
    with open(file, newline="") as opened:
        return [
            {name: readers.get(name, float)(text) if text else None for name, text in row.items()}
            for row in csv.DictReader(opened)
        ]


def picture(rows: Sequence[Row], path: Path) -> None:
    """Draw time and memory against the number of items, both on logarithmic axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for tool, colour in COLOURS.items():
        mine = sorted((row for row in rows if row["tool"] == tool), key=lambda row: row["items"])
        if not mine:
            continue
        items = [row["items"] for row in mine]
        for axes, column in ((left, "total"), (right, "memory")):
            values = [row[column] for row in mine]
            axes.plot(items, values, "-", color=colour, linewidth=2.5 if tool == "mrsne" else 1.5, label=tool)
            for row, x, y in zip(mine, items, values, strict=True):
                hollow = row["extrapolated"] and column == "total"
                axes.plot(x, y, "o", color=colour, markersize=6, markerfacecolor="white" if hollow else colour)
    for axes, title in ((left, "seconds, vectors to map"), (right, "peak memory, MiB")):
        axes.set(xscale="log", yscale="log", xlabel="items", title=title)
        axes.grid(True, which="major", color="#dddddd")
        axes.spines[["top", "right"]].set_visible(False)
    left.legend(frameon=False)
    figure.savefig(path, dpi=150)
