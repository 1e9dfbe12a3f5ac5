"""``mrsne regions``: the named regions of a map, as a table or as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from mrsne.cli.options import Json, MapFile, NamingKinds, output_file
from mrsne.cli.outputs import check_output, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.data.beside import data_beside
from mrsne.data.tables.reading import WRITTEN as TABLES
from mrsne.data.tables.reading import write_table

if TYPE_CHECKING:
    from mrsne.data.relational import RelationalData
    from mrsne.regions.result import Regions


def regions(
    path: MapFile,
    output: Annotated[
        Path, output_file("The regions: .csv, .tsv, .jsonl, .parquet, or .json with their items.")
    ] = Path("regions.csv"),
    by: NamingKinds = None,
    as_json: Json = False,
) -> None:
    """Find the regions of a map, on up to four nested levels, and name them by what their items are linked to.

    Example: mrsne regions map.npz -o regions.json
    """
    from mrsne.model.saved_map import SavedMap

    check_output(output, (*TABLES, ".json"), [path, data_beside(path)])
    saved = SavedMap.load(path)
    found = saved.embedding.regions(saved.data, by=by)
    whole = output.suffix.lower() == ".json"

    def write(file: Path) -> None:
        if whole:
            write_json(file, found, saved.data)
        else:
            write_table(file, found.rows())

    write_outputs({output: write})
    counts = [len(found.at(level)) for level in range(found.n_levels)]
    overview = [region.name for region in found.at(0)]
    lines = [f"level {level}: {count} region{'s' * (count != 1)}" for level, count in enumerate(counts)]
    lines += [f"  {region.name or 'without a name'} ({region.size} items)" for region in found.at(0)]
    record = {"regions": counts, "overview": overview, "table": str(output)}
    Reporter(as_json).summary(record, [*lines, f"written to {output}"])


def write_json(path: Path, regions: Regions, data: RelationalData) -> None:
    """Write regions with the ids of their items and with their outlines, as one list."""
    from mrsne.data.files.writing import write_text

    records: list[dict[str, Any]] = []
    for number, region in enumerate(regions):
        items = {}
        for domain, positions in region.members.items():
            ids = data.names.get(domain)
            items[domain] = [str(i) if ids is None else ids[i] for i in positions.tolist()]
        records.append(
            {
                "region": number,
                "level": region.level,
                "parent": region.parent,
                "name": region.name,
                "words": list(region.words),
                "scores": [round(score, 3) for score in region.scores],
                "x": region.centre[0],
                "y": region.centre[1],
                "items": items,
                "outline": [line.astype(float).round(4).tolist() for line in region.outline],
            }
        )
    write_text(path, json.dumps(records) + "\n")
