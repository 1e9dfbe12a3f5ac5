"""Options of ``mrsne map`` for folders of pictures, and those that folders and tables share."""

from pathlib import Path
from typing import Annotated

from mrsne.cli.options import argument, option, output_file

Source = Annotated[
    Path,
    argument(
        "Folder of pictures (folders inside it count too), or a table with one row for each item: CSV, TSV, Parquet, "
        "JSON Lines, SQLite, Excel, AnnData, also at an address; - for standard input.",
        metavar="FOLDER|TABLE",
    ),
]
Tags = Annotated[
    Path | None,
    option('Table of pictures and tags (CSV, TSV, Parquet): picture,tag[,weight] or picture,"tag; tag".'),
]
TextFiles = Annotated[bool, option("Tags are in text files beside the pictures: dog.txt.", "--text-files")]
Output = Annotated[
    Path,
    output_file("The map: .html to explore, or .png, .svg, .pdf to print; coordinates go beside it as .npz."),
]
MinCount = Annotated[int, option("Leave out tags, and items of further kinds, that fewer items have.", min=1)]
StopTags = Annotated[str, option("Leave out these tags, separated by commas.")]
Links = Annotated[
    float | None,
    option(
        "How much the links decide; the rest is what items look like or say.",
        min=0.0,
        max=1.0,
        default="what suits the data",
    ),
]
ImageModel = Annotated[str, option("efficientnet-lite0, a path that ends in .onnx, or timm:NAME and others.")]
WordVectors = Annotated[bool, option("Use what tags mean (English), not only where they occur.")]
Cache = Annotated[Path | None, option("Folder for computed vectors and thumbnails.", default="the user cache folder")]
NoCache = Annotated[bool, option("Keep nothing, and use nothing that was kept.", "--no-cache")]
Fresh = Annotated[
    bool,
    option("Make the map anew: do not continue the one that is there.", "--fresh"),
]
Theme = Annotated[str | None, option("light or dark.", default="what the browser prefers; light for pictures")]
