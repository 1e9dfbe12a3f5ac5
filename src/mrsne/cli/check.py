"""``mrsne check``: links of a map's items for which nothing else speaks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from mrsne.cli.options import Json, MapFile, Seed, option, output_file
from mrsne.cli.outputs import check_output, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.suggest import MOST_SHOWN, load_predictor
from mrsne.data.files.generation import data_beside
from mrsne.data.tables.reading import WRITTEN, write_table


def check(
    path: MapFile,
    output: Annotated[Path, output_file("The links: .csv, .tsv, .jsonl or .parquet.")] = Path("odd-links.csv"),
    count: Annotated[int, option("Links of each relation, at most.", min=1)] = 100,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Write the links that may be mistakes: neither other links nor vectors speak for them. The oddest come first.

    Example: mrsne check map.npz -o odd-links.csv
    """
    check_output(output, WRITTEN, [path, data_beside(path)])
    report = Reporter(as_json)
    predictor, data = load_predictor(path, seed, report)
    rows = [
        {"kind": a, "item": str(item), "linked_kind": b, "link": str(link), "support": round(float(support), 4)}
        for a, b in data.pairs
        for item, link, support in predictor.oddities(a, b, count).itertuples(index=False)
    ]
    headings = ("kind", "item", "linked_kind", "link", "support")
    write_outputs({output: lambda file: write_table(file, {name: [row[name] for row in rows] for name in headings})})
    record = {"odd_links": len(rows), "oddest": rows[:MOST_SHOWN], "table": str(output)}
    lines = [f"{row['item']} is linked to {row['link']}" for row in rows[:MOST_SHOWN]]
    report.summary(record, [f"odd links: {len(rows)}", *lines, f"written to {output}"])
