"""Options of ``mrsne map`` for folders of pictures, and those that folders and tables share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Source = Annotated[
    Path,
    typer.Argument(
        metavar="FOLDER|TABLE",
        help="Folder of pictures (folders inside it count too), or a table with one row for each item: "
        "CSV, TSV, Parquet, JSON Lines, SQLite.",
        show_default=False,
    ),
]
Tags = Annotated[
    Path | None,
    typer.Option(help='Table of pictures and tags (CSV, TSV, Parquet): picture,tag[,weight] or picture,"tag; tag".'),
]
TextFiles = Annotated[bool, typer.Option("--text-files", help="Tags are in text files beside the pictures: dog.txt.")]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="The map: .html to explore, or .png, .svg, .pdf to print; coordinates go beside it as .npz.",
    ),
]
MinCount = Annotated[
    int, typer.Option(min=1, help="Leave out tags, and items of further kinds, that fewer items have.")
]
StopTags = Annotated[str, typer.Option(help="Leave out these tags, separated by commas.")]
Links = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        max=1.0,
        help="How much the links decide; the rest is what items look like or say.",
        show_default="what suits the data",
    ),
]
ImageModel = Annotated[
    str, typer.Option(help="efficientnet-lite0, a path that ends in .onnx, or timm:NAME and others.")
]
WordVectors = Annotated[bool, typer.Option(help="Use what tags mean (English), not only where they occur.")]
Cache = Annotated[
    Path | None,
    typer.Option(help="Folder for computed vectors and thumbnails.", show_default="the user cache folder"),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Keep nothing, and use nothing that was kept.")]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Make the map again, even where nothing has changed since it was made.")
]
Theme = Annotated[
    str | None, typer.Option(help="light or dark.", show_default="what the browser prefers; light for pictures")
]
