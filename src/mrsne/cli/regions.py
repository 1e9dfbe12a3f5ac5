"""``mrsne regions``: the named regions of a map, as a table or as JSON."""

import json
from pathlib import Path
from typing import Annotated

import mrsne
from mrsne.cli.options import Json, MapFile, NamingKinds, output_file
from mrsne.cli.outputs import check_output, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.data.files.generation import data_beside
from mrsne.data.files.writing import write_text
from mrsne.data.tables.reading import WRITTEN, write_table


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
    check_output(output, (*WRITTEN, ".json"), [path, data_beside(path)])
    saved = mrsne.SavedMap.load(path)
    found = saved.embedding.regions(saved.data, by=by)

    def write(file: Path) -> None:
        if output.suffix.lower() == ".json":  # with the ids of items, and outlines
            write_text(file, json.dumps(found.records(saved.data.names)) + "\n")
        else:
            write_table(file, found.rows())

    write_outputs({output: write})
    counts = [len(found.at(level)) for level in range(found.n_levels)]
    overview = [region.name for region in found.at(0)]
    lines = [f"level {level}: {count} region{'s' * (count != 1)}" for level, count in enumerate(counts)]
    lines += [f"  {region.name or 'without a name'} ({region.size} items)" for region in found.at(0)]
    record = {"regions": counts, "overview": overview, "table": str(output)}
    Reporter(as_json).summary(record, [*lines, f"written to {output}"])
