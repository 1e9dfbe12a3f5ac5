"""Options of ``mrsne fit``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Domains = Annotated[
    list[str] | None,
    typer.Option(
        help="NAME=FILE with vectors (.npy, .npz, .csv, .parquet; .zarr with --cluster; a row of NaN is an item "
        "without), or NAME=COUNT. Kinds without a --domain are those that the links name."
    ),
]
Relations = Annotated[
    list[str] | None,
    typer.Option(
        help="A:B=FILE with links: a table of pairs, or a matrix (.npy, .npz). FILE alone: a table whose two "
        "headings, besides weight, are the kinds."
    ),
]
Names = Annotated[list[str] | None, typer.Option(help="NAME=FILE with a name on each line.")]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="The map (.npz) or a page (.html) with the map beside it; its data goes there too (with --cluster, "
        "names only).",
    ),
]
MinCount = Annotated[
    int, typer.Option(min=1, help="Leave out items known only from links that have fewer links than this.")
]
Weights = Annotated[
    str,
    typer.Option(
        help="auto, size, equal, balanced, the share of the links from 0 to 1, or a weight for each domain and "
        "relation: image=0.5,tag=0.1,image:tag=0.4."
    ),
]
RelationNorm = Annotated[
    str, typer.Option(help="auto, conditional, pmi, norm, unnorm, an exponent from 0 to 1, or two: 0.5,0.25.")
]
Components = Annotated[int, typer.Option(help="Dimensions of the map.")]
Schedule = Annotated[
    str, typer.Option(help="default, or paper: Algorithm 1 of the paper to the letter, with all pairs.")
]
MaxIter = Annotated[int | None, typer.Option(help="Iterations.", show_default="750; 500 by the paper's schedule")]
Cluster = Annotated[
    str | None, typer.Option(help="Compute with Dask: local, local:N for N processes, or tcp://HOST:PORT.")
]
Checkpoint = Annotated[
    Path | None, typer.Option(help="File that keeps the state, so that a run that was stopped goes on.")
]
