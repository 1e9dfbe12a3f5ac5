"""Plots of the tables in performance.md and scaling.md, drawn when the site is built, so that both always agree.

Each is drawn twice, for the light and for the dark theme.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from dark_pictures import FOLDER, dark
from matplotlib.figure import Figure

Row = dict[str, str]
WIDTH = 6.2  # inches; wide enough for a page, and text that can be read on a phone
COLOURS = {"mrsne": "#2f6fb2", "openTSNE": "#d9822b", "scikit-learn": "#3f9d6b", "umap-learn": "#a86cc1"}


def tables(text: str) -> list[list[Row]]:
    """Return the tables of a Markdown page as rows by heading."""
    found = []
    for block in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        lines = [[cell.strip(" *") for cell in line.strip().strip("|").split("|")] for line in block.splitlines()]
        found.append([dict(zip(lines[0], cells, strict=True)) for cells in lines[2:]])
    return found


def table_with(text: str, *headings: str) -> list[Row]:
    """Return the first table that has all of these headings."""
    for rows in tables(text):
        if rows and set(headings) <= set(rows[0]):
            return rows
    raise LookupError(f"no table has the headings {', '.join(headings)}")


def number(cell: str) -> float | None:
    """Return the first number of a cell, such as 1796 of "≥ 1,796"; None where there is none."""
    found = re.search(r"\d[\d,]*\.?\d*", cell)
    return float(found.group().replace(",", "")) if found else None


def axes_of(width: float, height: float, **labels: Any) -> tuple[Figure, Any]:
    """Return an empty figure in the style of all of them."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.set(**labels)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def totals(text: str) -> Figure:
    """Seconds against items, a line for each tool."""
    rows = table_with(text, "items", "tool", "total", "neighbours", "KL")
    labels = {"xlabel": "items", "ylabel": "seconds", "xscale": "log", "yscale": "log"}
    figure, axes = axes_of(WIDTH, 4, **labels)
    for tool, colour in COLOURS.items():
        points = [(number(row["items"]), number(row["total"])) for row in rows if row["tool"] == tool]
        axes.plot(*zip(*points, strict=True), "o-", color=colour, label=tool)
    axes.legend(frameon=False)
    return figure


def stages(text: str) -> Figure:
    """Seconds by stage at 100,000 items."""
    rows = [row for row in table_with(text, "items", "tool", "total", "neighbours") if row["items"] == "100,000"]
    figure, axes = axes_of(WIDTH, 2.6, xlabel="seconds")
    shades = ("#2f6fb2", "#7fa8d6", "#b9c4d3", "#d9822b")
    left = [0.0] * len(rows)
    for stage, colour in zip(("neighbours", "affinities", "initialisation", "iterations"), shades, strict=True):
        seconds = [number(row[stage]) or 0.0 for row in rows]
        axes.barh([row["tool"] for row in rows], seconds, left=left, color=colour, label=stage)
        left = [a + b for a, b in zip(left, seconds, strict=True)]
    axes.invert_yaxis()
    axes.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.3))
    return figure


def iterations(text: str) -> Figure:
    """Milliseconds of an iteration."""
    rows = [row for row in table_with(text, "items", "stage", "openTSNE, FFT") if row["stage"] == "whole run"]
    figure, axes = axes_of(WIDTH, 3.2, ylabel="milliseconds", yscale="log", xlabel="items")
    tools = {"mrsne": "#2f6fb2", "openTSNE, Barnes-Hut": "#f1b77a", "openTSNE, FFT": "#d9822b"}
    for place, (tool, colour) in enumerate(tools.items()):
        found = [(at, number(row[tool])) for at, row in enumerate(rows)]
        known = [(at + 0.25 * (place - 1), ms) for at, ms in found if ms is not None]
        bars = axes.bar([at for at, _ in known], [ms for _, ms in known], 0.23, color=colour, label=tool)
        axes.bar_label(bars, [f"{ms:,.0f}" if ms >= 100 else f"{ms:.3g}" for _, ms in known], fontsize=8)
    axes.set_xticks(range(len(rows)), [row["items"] for row in rows])
    axes.legend(frameon=False)
    return figure


def neighbours(text: str) -> Figure:
    """Seconds and recall of the search."""
    columns = ("data", "mrsne, s", "openTSNE, s")
    header, *body = re.search(r"\| data \| mrsne, s \|.*\n(?:\|.*\n)+", text).group().splitlines()  # type: ignore[union-attr]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in body[1:]]
    if not header.startswith(f"| {columns[0]} | {columns[1]} | recall | {columns[2]} | recall"):
        raise LookupError("the table of neighbours in performance.md has other columns than the plot expects")
    figure = Figure(figsize=(WIDTH, 3.4), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    titles = ("seconds", "recall")
    for panel, title, shift in zip(panels, titles, (0, 1), strict=True):
        for tool, at, side in (("mrsne", 1, -0.19), ("openTSNE", 3, 0.19)):
            values = [number(row[at + shift]) or 0 for row in rows]
            bars = panel.barh([y + side for y in range(len(rows))], values, 0.36, color=COLOURS[tool], label=tool)
            panel.bar_label(bars, [f"{value:.3g}" for value in values], fontsize=8, padding=2)
        panel.set_title(title, fontsize=10, loc="left")
        panel.set_xlim(0, max(bar.get_width() for bar in panel.patches) * 1.15)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_yticks(range(len(rows)), [row[0] for row in rows])
    panels[0].invert_yaxis()
    figure.legend(*panels[0].get_legend_handles_labels(), frameon=False, ncols=2, loc="outside lower center")
    return figure


def gpu(text: str) -> Figure:
    """Seconds on a GPU."""
    rows = table_with(text, "items", "750 iterations", "vectors to map", "peak GPU memory")
    figure, axes = axes_of(WIDTH, 3.4, xlabel="items", ylabel="seconds", xscale="log", yscale="log")
    for heading, colour in (("vectors to map", "#2f6fb2"), ("750 iterations", "#d9822b")):
        points = [(number(row["items"]), number(row[heading])) for row in rows]
        axes.plot(*zip(*points, strict=True), "o-", color=colour, label=heading)
    axes.legend(frameon=False)
    return figure


def cluster(text: str) -> Figure:
    """Milliseconds of an iteration on a cluster."""
    rows = table_with(text, "items", "workers", "iteration", "model")
    for before, row in pairwise(rows):  # a cell that is empty repeats the one above
        row["items"] = row["items"] or before["items"]
    sizes = list(dict.fromkeys(row["items"] for row in rows))
    figure, axes = axes_of(WIDTH, 3.4, xlabel="items", ylabel="milliseconds of an iteration")
    alone = "one process, as many threads"
    series = [
        (alone, "#b9c4d3", alone, "1"),
        *((f"{w} worker{'s' * (w > 1)}", c, "iteration", str(w)) for w, c in SHADES),
    ]
    for place, (label, colour, heading, workers) in enumerate(series):
        chosen = [row for row in rows if row["workers"].split()[0] == workers]
        at = [sizes.index(row["items"]) + 0.2 * (place - 1.5) for row in chosen]
        bars = axes.bar(at, [number(row[heading]) or 0 for row in chosen], 0.18, color=colour, label=label)
        axes.bar_label(bars, fontsize=8)
    axes.set_xticks(range(len(sizes)), sizes)
    axes.legend(frameon=False)
    return figure


SHADES = ((1, "#7fa8d6"), (2, "#4c86c0"), (4, "#24598f"))  # darker for more workers
PLOTS = {"performance.md": (totals, stages, iterations, neighbours, gpu), "scaling.md": (cluster,)}


def draw(app: Any) -> None:
    """Draw all plots into the folder of static files."""
    static = Path(app.srcdir, "_static")
    for folder in ("plots", FOLDER):
        (static / folder).mkdir(exist_ok=True)
    for page, plots in PLOTS.items():
        text = Path(app.srcdir, page).read_text(encoding="utf-8")
        for plot in plots:
            figure, name = plot(text), f"{plot.__name__}.svg"
            figure.savefig(static / "plots" / name, metadata={"Date": None})
            dark(figure).savefig(static / FOLDER / name, metadata={"Date": None})


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", draw, priority=40)  # before figures save their twins themselves
    return {"parallel_read_safe": True}
