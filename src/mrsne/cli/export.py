"""``mrsne export``: a map as a table for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mrsne.cli.map_files import data_beside
from mrsne.cli.options import Json, MapFile, check_suffix
from mrsne.cli.outputs import check_outputs, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.saved_map import open_map
from mrsne.cli.table_files import TABLES, write_table


def export(
    path: MapFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The table: .csv, .tsv, .jsonl or .parquet.")] = Path(
        "map.csv"
    ),
    as_json: Json = False,
) -> None:
    """Write a map as a table: kind, id, label and place of each item, and what else is known of it.

    Embedding Atlas opens the Parquet file: embedding-atlas map.parquet --x x --y y --text label

    Example: mrsne export map.npz -o map.parquet
    """
    from mrsne.interchange.item_rows import item_rows

    check_suffix(output, TABLES)
    check_outputs([output], [path, data_beside(path)])
    saved = open_map(path)
    rows = item_rows(saved.embedding, saved.data, columns=True)
    write_outputs({output: lambda file: write_table(file, rows)})
    items = {name: len(Y) for name, Y in saved.embedding.items()}
    Reporter(as_json).summary({"items": items, "columns": list(rows), "table": str(output)})
