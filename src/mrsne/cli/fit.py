"""``mrsne fit``: any domains and relations into a map."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from mrsne.cli.files import coordinates_beside, data_beside, write_coordinates
from mrsne.cli.output import Reporter
from mrsne.cli.scoring import brief_scores


def fit(
    domain: Annotated[
        list[str], typer.Option(help="NAME=FILE with vectors (.npy, .npz, .csv, .parquet), or NAME=COUNT without.")
    ],
    relation: Annotated[
        list[str] | None, typer.Option(help="A:B=FILE with links: a table of pairs, or a matrix (.npy, .npz).")
    ] = None,
    names: Annotated[list[str] | None, typer.Option(help="NAME=FILE with a name on each line.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The map; its data goes beside it.")] = Path("map.npz"),
    weights: Annotated[
        str, typer.Option(help="size, equal, balanced, or the share of the links from 0 to 1.")
    ] = "size",
    relation_norm: Annotated[str, typer.Option(help="pmi, norm or unnorm.")] = "pmi",
    perplexity: Annotated[float, typer.Option(help="Neighbours that count.")] = 30.0,
    metric: Annotated[str, typer.Option(help="euclidean or cosine.")] = "euclidean",
    components: Annotated[int, typer.Option(help="Dimensions of the map.")] = 2,
    max_iter: Annotated[int, typer.Option(help="Iterations.")] = 750,
    device: Annotated[str, typer.Option(help="cpu, cuda (a graphics card) or auto.")] = "cpu",
    checkpoint: Annotated[Path | None, typer.Option(help="File that keeps the state, to go on after a stop.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same map.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Make a map of any kinds of items, by their vectors and the links between them.

    Example: mrsne fit --domain image=vectors.npy --domain tag=85 --relation image:tag=edges.csv -o map.npz
    """
    from mrsne import MRSNE
    from mrsne.cli.inputs import read_data
    from mrsne.data.storage import save_data

    start = time.perf_counter()
    report = Reporter(as_json)
    if output.suffix != ".npz":
        raise ValueError(f"--output must end in .npz, got {str(output)!r}")
    data = read_data(domain, relation or [], names or [])
    settings: dict[str, Any] = {
        "weights": share_or_word(weights),
        "relation_norm": relation_norm,
        "perplexity": perplexity,
        "metric": metric,
        "n_components": components,
    }
    run: dict[str, Any] = {"max_iter": max_iter, "checkpoint": checkpoint, "random_state": seed, "device": device}
    model = MRSNE(**settings, **run, verbose=report.live)
    embedding = report.quietly(lambda: model.fit_transform(data))
    output.parent.mkdir(parents=True, exist_ok=True)
    embedding.save(output)
    save_data(data, data_beside(output), {"settings": settings})
    write_coordinates(embedding, data, coordinates_beside(output))
    report.summary(
        {
            **{f"items_of_{name}": size for name, size in data.sizes.items()},
            **{f"links_{a}_{b}": W.nnz for (a, b), W in data.relations.items()},
            "iterations": model.n_iter_,
            "kl_divergence": round(model.kl_divergence_, 4),
            **brief_scores(embedding, data),
            "seconds": round(time.perf_counter() - start, 1),
            "map": str(output),
            "coordinates": str(coordinates_beside(output)),
            "data": str(data_beside(output)),
        }
    )


def share_or_word(weights: str) -> str | float:
    """Return a number where one is given."""
    try:
        return float(weights)
    except ValueError:
        return weights
