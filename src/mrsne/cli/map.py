"""``mrsne map``: a folder of pictures and their tags, or a table, into a map."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from mrsne.cli.map_folder import FolderOptions, map_folder
from mrsne.cli.map_outputs import check_map_outputs
from mrsne.cli.map_settings import MapSettings
from mrsne.cli.map_table import map_table
from mrsne.cli.options import Json, Seed
from mrsne.cli.reporter import Reporter
from mrsne.cli.table_options import (
    AlsoTables,
    CategoryColumns,
    DateColumns,
    DryRun,
    IdColumn,
    IgnoredColumns,
    Item,
    KindColumns,
    LabelColumn,
    NumberColumns,
    OnColumns,
    PictureColumn,
    PictureFolder,
    ShownColumns,
    TableName,
    TableOptions,
    TextColumns,
    VectorColumns,
)
from mrsne.tables.reading import ENDINGS


def map_items(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER|TABLE",
            help="Folder of pictures (folders inside it count too), or a table with one row for each item: "
            "CSV, TSV, Parquet, JSON Lines, SQLite.",
            show_default=False,
        ),
    ],
    tags: Annotated[
        Path | None,
        typer.Option(
            help='Table of pictures and tags (CSV, TSV, Parquet): picture,tag[,weight] or picture,"tag; tag".'
        ),
    ] = None,
    text_files: Annotated[
        bool, typer.Option("--text-files", help="Tags are in text files beside the pictures: dog.txt.")
    ] = False,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The map: .html to explore, or .png, .svg, .pdf to print; coordinates go beside it as .npz.",
        ),
    ] = Path("map.html"),
    min_count: Annotated[
        int, typer.Option(min=1, help="Leave out tags, and items of further kinds, that fewer items have.")
    ] = 1,
    stop_tags: Annotated[str, typer.Option(help="Leave out these tags, separated by commas.")] = "",
    links: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="How much the links decide; the rest is what items look like or say.",
            show_default="what suits the data",
        ),
    ] = None,
    image_model: Annotated[
        str, typer.Option(help="efficientnet-lite0, a path that ends in .onnx, or timm:NAME and others.")
    ] = "efficientnet-lite0",
    word_vectors: Annotated[bool, typer.Option(help="Use what tags mean (English), not only where they occur.")] = True,
    cache: Annotated[
        Path | None,
        typer.Option(help="Folder for computed vectors and thumbnails.", show_default="the user cache folder"),
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep nothing, and use nothing that was kept.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Make the map again, even where nothing has changed since it was made.")
    ] = False,
    theme: Annotated[
        str | None, typer.Option(help="light or dark.", show_default="what the browser prefers; light for pictures")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
    item: Item = None,
    id_column: IdColumn = None,
    label: LabelColumn = None,
    kind: KindColumns = None,
    number: NumberColumns = None,
    date: DateColumns = None,
    category: CategoryColumns = None,
    text: TextColumns = None,
    show: ShownColumns = None,
    picture: PictureColumn = None,
    vector: VectorColumns = None,
    ignore: IgnoredColumns = None,
    pictures: PictureFolder = None,
    table: TableName = None,
    also: AlsoTables = None,
    on: OnColumns = None,
    dry_run: DryRun = False,
) -> None:
    """Make a map of a folder of pictures and their tags, or of a table.

    In a folder, without --tags and --text-files, the names of the folders inside it are the tags. Of a table, the
    command first says what it takes each column for: lists and repeated values are further kinds with links, numbers
    and dates are there to colour by, text is compared by its words. What cannot be used is counted at the end and
    listed in a table beside the map.

    Example: mrsne map photos --tags tags.csv -o map.html

    Example: mrsne map works.csv --kind subject=subjects --label title
    """
    from mrsne.encoders.cache import usable_default_cache

    given = TableOptions(
        item=item,
        id=id_column,
        label=label,
        kind=kind or (),
        number=number or (),
        date=date or (),
        category=category or (),
        text=text or (),
        show=show or (),
        picture=picture,
        vector=vector or (),
        ignore=ignore or (),
        pictures=pictures,
        table=table,
        also=also or (),
        on=on or (),
        dry_run=dry_run,
    )
    report = Reporter(as_json)
    cache_folder = None if no_cache else cache or usable_default_cache()
    settings = MapSettings(min_count, links, image_model, cache_folder, seed, fresh)
    if is_table(source):
        _refuse({"--tags": tags, "--text-files": text_files, "--stop-tags": stop_tags}, "a folder of pictures")
        if not dry_run:
            check_map_outputs(output, theme, [source, *given.also])
        map_table(source, output, theme, given, settings, report)
        return
    _refuse({option: True for option in given.given() if option != "--label"}, "a table")
    if label is not None and tags is None:
        raise ValueError("--label names a column of --tags; give --tags TABLE too")
    check_map_outputs(output, theme, [] if tags is None else [tags])
    options = FolderOptions(tags, text_files, stop_tags.split(","), word_vectors, label)
    map_folder(source, output, theme, options, settings, report)


def is_table(source: Path) -> bool:
    """Return whether a table is meant, and not a folder: a file, or the name of one that is not there."""
    return source.is_file() or (not source.exists() and source.suffix.lower() in ENDINGS)


def _refuse(options: Mapping[str, object], what: str) -> None:
    given = [option for option, value in options.items() if value]
    if given:
        raise ValueError(f"{', '.join(given)}: for {what} only")
