"""Options of ``mrsne fit``, and what words and numbers in them mean."""

from pathlib import Path
from typing import Annotated, Any

from mrsne.cli.options import option, output_file, split_value
from mrsne.parameters import ParameterError

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


def weights_of(given: str) -> str | float | dict[Any, float]:
    """Return what ``--weights`` means: a word, a number, or a mapping."""
    if "=" not in given:
        try:
            return float(given)
        except ValueError:
            return given
    weights: dict[Any, float] = {}
    for part in given.split(","):
        name, number = split_value("--weights", part, "NAME=NUMBER or NAME:NAME=NUMBER")
        a, colon, b = name.partition(":")
        block = (a.strip(), b.strip()) if colon else name
        if block in weights:
            raise ParameterError(f"--weights gives {name!r} twice")
        try:
            weights[block] = float(number)
        except ValueError:
            raise ParameterError(f"--weights must give numbers, got {number!r} for {name!r}") from None
    return weights


def exponents_or_word(relation_norm: str) -> str | float | tuple[float, ...]:
    try:
        values = tuple(float(part) for part in relation_norm.split(","))
    except ValueError:
        return relation_norm
    return values if len(values) > 1 else values[0]
