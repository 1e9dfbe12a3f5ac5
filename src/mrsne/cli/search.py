"""``mrsne search``: items of a map that are near some words in meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import mrsne
from mrsne.cli.options import Json, MapFile, argument, option, output_file
from mrsne.cli.outputs import check_output, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.data.files.generation import data_beside
from mrsne.data.tables.reading import WRITTEN, write_table


def search(
    path: MapFile,
    words: Annotated[list[str], argument("What to look for, in English.")],
    kind: Annotated[str | None, option("Only items of this kind.", default="all")] = None,
    count: Annotated[int, option("How many items at most.", "--count", "-k", min=1)] = 10,
    output: Annotated[Path | None, output_file("A table: .csv, .tsv, .jsonl or .parquet.", "none")] = None,
    as_json: Json = False,
) -> None:
    """Find items by meaning: "puppy" finds what is tagged "dog", and pictures similar to these.

    Example: mrsne search map.npz sad old man --kind image
    """
    if output is not None:
        check_output(output, WRITTEN, [path, data_beside(path)])
    report = Reporter(as_json)
    saved = mrsne.SavedMap.load(path)
    with report.warnings_as_notes():
        found = saved.search(" ".join(words), kind=kind, k=count)
    if output is not None:
        write_outputs({output: lambda file: write_table(file, {str(name): found[name].tolist() for name in found})})
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.itertuples(index=False)]
    lines = [f"{row['closeness']:.2f}  {row['kind']}  {row['label']}" + _because(row) for row in rows]
    lines += ["nothing on this map is near these words in meaning"] * (not rows)
    lines += [f"written to {output}"] * (output is not None)
    report.summary({"found": rows, "table": None if output is None else str(output)}, lines)


def _because(row: dict[str, Any]) -> str:
    if row["by"] == "name":
        return ""
    return "  (similar items)" if row["by"] != "links" else f"  ({row['names']})"
