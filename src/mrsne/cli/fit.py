"""``mrsne fit``: any domains and relations into a map."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mrsne.cli.map_files import coordinates_beside, data_beside, write_coordinates
from mrsne.cli.options import Json, Seed, check_suffix
from mrsne.cli.reporter import Reporter
from mrsne.cli.scoring import SCORES, brief_scores
from mrsne.cli.summary import by_pair

if TYPE_CHECKING:
    from mrsne.data import RelationalData
    from mrsne.embedding import Embedding


def fit(
    domain: Annotated[
        list[str],
        typer.Option(
            help="NAME=FILE with vectors (.npy, .npz, .csv, .parquet; .zarr with --cluster), or NAME=COUNT without."
        ),
    ],
    relation: Annotated[
        list[str] | None, typer.Option(help="A:B=FILE with links: a table of pairs, or a matrix (.npy, .npz).")
    ] = None,
    names: Annotated[list[str] | None, typer.Option(help="NAME=FILE with a name on each line.")] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The map; its data goes beside it (with --cluster, names only).")
    ] = Path("map.npz"),
    weights: Annotated[
        str, typer.Option(help="size, equal, balanced, or the share of the links from 0 to 1.")
    ] = "size",
    relation_norm: Annotated[str, typer.Option(help="pmi, norm or unnorm.")] = "pmi",
    perplexity: Annotated[float, typer.Option(help="Effective number of neighbours.")] = 30.0,
    metric: Annotated[str, typer.Option(help="euclidean or cosine.")] = "euclidean",
    components: Annotated[int, typer.Option(help="Dimensions of the map.")] = 2,
    max_iter: Annotated[int, typer.Option(help="Iterations.")] = 750,
    device: Annotated[str, typer.Option(help="cpu, cuda (a GPU) or auto.")] = "cpu",
    cluster: Annotated[
        str | None, typer.Option(help="Compute with Dask: local, local:N for N processes, or tcp://HOST:PORT.")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File that keeps the state, so that a run that was stopped goes on.")
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Make a map of any kinds of items, by their vectors and the links between them.

    Example: mrsne fit --domain image=vectors.npy --domain tag=85 --relation image:tag=edges.csv -o map.npz
    """
    from mrsne import MRSNE
    from mrsne.cli.inputs import read_data
    from mrsne.data import in_memory
    from mrsne.data.storage import save_data

    start = time.perf_counter()
    report = Reporter(as_json)
    check_suffix(output, (".npz",))
    settings: dict[str, Any] = {
        "weights": share_or_word(weights),
        "relation_norm": relation_norm,
        "perplexity": perplexity,
        "metric": metric,
        "n_components": components,
    }
    run: dict[str, Any] = {"max_iter": max_iter, "checkpoint": checkpoint, "random_state": seed, "device": device}
    model = MRSNE(**settings, **run, verbose=report.live)
    if cluster is not None:
        data, embedding = _on_a_cluster(cluster, (domain, relation or [], names or []), model, report)
    else:
        data = read_data(domain, relation or [], names or [])
        with report.warnings_as_notes():
            embedding = model.fit_transform(data)
    output.parent.mkdir(parents=True, exist_ok=True)
    embedding.save(output)
    save_data(in_memory(data), data_beside(output), {"settings": settings})
    write_coordinates(embedding, data, coordinates_beside(output))
    report.summary(
        {
            "items": dict(data.sizes),
            **(dict.fromkeys(("links", *SCORES)) if cluster else _links_and_scores(embedding, data)),
            "neighbor_recall": {name: round(share, 4) for name, share in model.neighbor_recall_.items()},
            "iterations": model.n_iter_,
            "kl_divergence": round(model.kl_divergence_, 4),
            "seconds": round(time.perf_counter() - start, 1),
            "map": str(output),
            "data": str(data_beside(output)),
            "coordinates": str(coordinates_beside(output)),
        }
    )


def _links_and_scores(embedding: Embedding, data: RelationalData) -> dict[str, Any]:
    return {"links": by_pair({pair: W.nnz for pair, W in data.relations.items()}), **brief_scores(embedding, data)}


def _on_a_cluster(cluster: str, files: tuple[list[str], list[str], list[str]], model: Any, report: Reporter) -> Any:
    """Return data that is read on a cluster, and its map."""
    from mrsne.backends.choice import check_cluster_device
    from mrsne.backends.dask.connection import connected, workers_of
    from mrsne.cli.inputs import read_data
    from mrsne.data import RelationalData

    check_cluster_device(model.device)
    with errors_not_logged(), connected(cluster) as client:
        report.note(f"cluster of {workers_of(client)}, dashboard {client.dashboard_link}")
        data = read_data(*files, lazily=True)
        if isinstance(data, RelationalData):
            raise ValueError(
                "--cluster needs vectors or links in .npy, .zarr or .parquet, which workers read in blocks"
            )
        with report.warnings_as_notes():
            return data, model.fit_transform(data)


@contextmanager
def errors_not_logged() -> Iterator[None]:
    """Keep errors out of the log: those of Dask come as exceptions too, and are said once."""
    before = logging.root.manager.disable
    logging.disable(max(before, logging.ERROR))
    try:
        yield
    finally:
        logging.disable(before)


def share_or_word(weights: str) -> str | float:
    """Return a number where one is given."""
    try:
        return float(weights)
    except ValueError:
        return weights
