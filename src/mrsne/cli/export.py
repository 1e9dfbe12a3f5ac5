"""``mrsne export``: a map, or one of its regions, as tables and pictures for other tools."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import mrsne
from mrsne.cli.options import Json, MapFile, NamingKinds, PictureFolders, option, output_file
from mrsne.cli.outputs import check_output, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import sentences
from mrsne.data.files.generation import data_beside
from mrsne.data.files.problems import Problems
from mrsne.data.tables.reading import WRITTEN, write_table
from mrsne.parameters import ParameterError


def export(
    path: MapFile,
    output: Annotated[
        Path | None,
        output_file("The table: .csv, .tsv, .jsonl or .parquet.", "beside the map, with the ending .items.csv"),
    ] = None,
    region: Annotated[
        str | None,
        option(
            "Only the items of this region: its name, a word of it, or its number (mrsne regions lists them).",
            default="all items",
        ),
    ] = None,
    items: Annotated[
        Path | None,
        option("Only items of this table, by its columns kind and id, as the page exports it.", default="all items"),
    ] = None,
    by: NamingKinds = None,
    links: Annotated[Path | None, option("Write their links as well: .csv, .tsv, .jsonl or .parquet.")] = None,
    copy: Annotated[Path | None, option("Copy their pictures into this folder.")] = None,
    pictures: PictureFolders = None,
    as_json: Json = False,
) -> None:
    """Write a map, or some of its items, as a table: kind, id, label and place of each, and what else is known.

    Embedding Atlas opens the Parquet file: embedding-atlas map.parquet --x x --y y --text label

    Example: mrsne export map.npz --region dog --copy dogs -o dogs.csv

    Example: mrsne export map.npz --items items.csv --copy pictures
    """
    from mrsne.cli.view import picture_folders
    from mrsne.data.copying import copied, plan_copies
    from mrsne.data.interchange.rows import item_rows, link_rows

    table = path.with_suffix(".items.csv") if output is None else output
    _check_files(table, links, [path, data_beside(path), *([] if items is None else [items])])
    if items is not None and region is not None:
        raise ParameterError("--items and --region both say which items; give one of them")
    if pictures and copy is None:
        raise ParameterError("--pictures names what --copy copies; give --copy FOLDER too")
    if by and region is None:
        raise ParameterError("--by says how regions are named; give --region too")
    saved, problems = mrsne.SavedMap.load(path), Problems()
    name, members = _wanted_items(saved, items, region, by, problems)
    folders = {} if copy is None else picture_folders(pictures or [], saved, problems)
    copies = [] if copy is None else plan_copies(saved.data, members or saved.items, folders, copy, problems)
    rows = item_rows(saved.embedding, saved.data, columns=True, members=members)
    writers = {table: lambda file: write_table(file, rows)}
    if links is not None:
        linked = link_rows(saved.data, members)
        writers[links] = lambda file: write_table(file, linked)
    with nullcontext() if copy is None else copied(copies, copy):
        write_outputs(writers)
    record = {
        "region": name,
        "items": {name: len(own) for name, own in (members or saved.items).items()},
        "columns": list(rows),
        "table": str(table),
        "links_table": None if links is None else str(links),
        "pictures": None if copy is None else len(copies),
        "left_out": problems,
    }
    lines = list(sentences({**record, "pictures": None}))
    if copy is not None:
        lines.append(f"copied to {str(copy)!r}: {len(copies)} picture{'s' * (len(copies) != 1)}")
    Reporter(as_json).summary(record, lines)


def _check_files(table: Path, links: Path | None, inputs: list[Path]) -> None:
    check_output(table, WRITTEN, inputs)
    if links is not None:
        check_output(links, WRITTEN, inputs, "--links")
        if os.path.realpath(links) == os.path.realpath(table):
            raise ParameterError(f"--links and --output name the same file, {str(links)!r}; give two")


def _wanted_items(
    saved: mrsne.SavedMap, items: Path | None, region: str | None, by: list[str] | None, problems: Problems
) -> tuple[str | None, Any]:
    """Return the name of the region that is meant, if one is, and the items that count; None for all."""
    from mrsne.data.tables.known_items import chosen_items
    from mrsne.regions.result import choose_region

    if items is not None:
        return None, chosen_items(items, saved.data.sizes, saved.data.names, problems)
    if region is None:
        return None, None
    found = choose_region(saved.embedding.regions(saved.data, by=by), region)
    return found.name, found.members
