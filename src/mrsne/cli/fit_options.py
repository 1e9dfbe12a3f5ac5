"""Options of ``mrsne fit``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from mrsne.cli.options import option, output_file

Domains = Annotated[
    list[str] | None,
    option(
        "NAME=FILE with vectors (.npy, .npz, .csv, .parquet; .zarr with --cluster; a row of NaN is an item "
        "without), or NAME=COUNT. Kinds without a --domain are those that the links name."
    ),
]
Relations = Annotated[
    list[str] | None,
    option(
        "A:B=FILE with links: a table of pairs, or a matrix (.npy, .npz). FILE alone: a table whose two "
        "headings, besides weight, are the kinds."
    ),
]
Names = Annotated[list[str] | None, option("NAME=FILE with a name on each line.")]
Output = Annotated[
    Path,
    output_file(
        "The map (.npz) or a page (.html) with the map beside it; its data goes there too (with --cluster, names only)."
    ),
]
MinCount = Annotated[int, option("Leave out items known only from links that have fewer links than this.", min=1)]
Weights = Annotated[
    str,
    option(
        "auto, size, equal, balanced, the share of the links from 0 to 1, or a weight for each domain and "
        "relation: image=0.5,tag=0.1,image:tag=0.4."
    ),
]
RelationNorm = Annotated[
    str, option("auto, conditional, pmi, norm, unnorm, an exponent from 0 to 1, or two: 0.5,0.25.")
]
Components = Annotated[int, option("Dimensions of the map.")]
Schedule = Annotated[str, option("default, or paper: Algorithm 1 of the paper to the letter, with all pairs.")]
MaxIter = Annotated[int | None, option("Iterations.", default="750; 500 by the paper's schedule")]
Cluster = Annotated[str | None, option("Compute with Dask: local, local:N for N processes, or tcp://HOST:PORT.")]
Checkpoint = Annotated[Path | None, option("File that keeps the state, so that a run that was stopped goes on.")]
