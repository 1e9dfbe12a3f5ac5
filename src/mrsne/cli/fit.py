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
from mrsne.cli.options import DataOptions, Json, Seed, check_suffix
from mrsne.cli.outputs import check_map_output, check_outputs, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.scoring import SCORES, brief_scores
from mrsne.cli.summary import by_pair
from mrsne.cli.weights import storable, weights_of
from mrsne.parameters import check_option

if TYPE_CHECKING:
    from mrsne.data import RelationalData
    from mrsne.embedding import Embedding

SCHEDULES = ("default", "paper")


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
        str,
        typer.Option(
            help="size, equal, balanced, the share of the links from 0 to 1, or a weight for each domain and relation: "
            "image=0.5,tag=0.1,image:tag=0.4."
        ),
    ] = "size",
    relation_norm: Annotated[
        str, typer.Option(help="pmi, norm, unnorm, an exponent from 0 to 1, or two: 0.5,0.25.")
    ] = "pmi",
    perplexity: Annotated[float, typer.Option(help="Effective number of neighbours.")] = 30.0,
    metric: Annotated[str, typer.Option(help="euclidean or cosine.")] = "euclidean",
    components: Annotated[int, typer.Option(help="Dimensions of the map.")] = 2,
    schedule: Annotated[
        str, typer.Option(help="default, or paper: Algorithm 1 of the paper to the letter, with all pairs.")
    ] = "default",
    max_iter: Annotated[
        int | None, typer.Option(help="Iterations.", show_default="750; 500 by the paper's schedule")
    ] = None,
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
    from mrsne.data import in_memory

    start = time.perf_counter()
    report = Reporter(as_json)
    given = DataOptions(domain, relation or [], names or [])
    _check_outputs(output, checkpoint, given)
    settings: dict[str, Any] = {
        "weights": weights_of(weights),
        "relation_norm": exponents_or_word(relation_norm),
        "perplexity": perplexity,
        "metric": metric,
        "n_components": components,
    }
    run: dict[str, Any] = {"checkpoint": checkpoint, "random_state": seed, "device": device, "verbose": report.live}
    if max_iter is not None:
        run["max_iter"] = max_iter
    if check_option("--schedule", schedule, SCHEDULES) == "paper":
        # what "auto" would choose is not the paper's
        settings = {name: value for name, value in settings.items() if value != "auto"}
        estimator = MRSNE.paper(**settings, **run)
        settings |= {name: getattr(estimator, name) for name in ("weights", "relation_norm")}
    else:
        estimator = MRSNE(**settings, **run)
    data, model = _fitted(given, estimator, cluster, report)
    _write(output, model.embedding_, in_memory(data), {**settings, "weights": storable(settings["weights"])})
    report.summary(
        {
            "items": dict(data.sizes),
            **(dict.fromkeys(("links", *SCORES)) if cluster else _links_and_scores(model.embedding_, data)),
            "neighbor_recall": {name: round(share, 4) for name, share in model.neighbor_recall_.items()},
            "iterations": model.n_iter_,
            "kl_divergence": round(model.kl_divergence_, 4),
            "seconds": round(time.perf_counter() - start, 1),
            "map": str(output),
            "data": str(data_beside(output)),
            "coordinates": str(coordinates_beside(output)),
        }
    )


def _check_outputs(output: Path, checkpoint: Path | None, given: DataOptions) -> None:
    """Raise, before anything is done, if the map cannot be written or would take the place of something else."""
    check_suffix(output, (".npz",))
    check_map_output(output)
    state = [] if checkpoint is None else [checkpoint]
    check_outputs([output, data_beside(output), coordinates_beside(output)], [*given.files(), *state])
    check_outputs(state, given.files(), "--checkpoint")


def _write(output: Path, embedding: Embedding, data: RelationalData, settings: dict[str, Any]) -> None:
    """Write the map, its data and its table of coordinates."""
    from mrsne.data.storage import save_data

    write_outputs(
        {
            output: embedding.save,
            data_beside(output): lambda path: save_data(data, path, {"settings": settings}),
            coordinates_beside(output): lambda path: write_coordinates(embedding, data, path),
        }
    )


def _links_and_scores(embedding: Embedding, data: RelationalData) -> dict[str, Any]:
    return {"links": by_pair({pair: W.nnz for pair, W in data.relations.items()}), **brief_scores(embedding, data)}


def _fitted(given: DataOptions, model: Any, cluster: str | None, report: Reporter) -> tuple[Any, Any]:
    """Return the data, read here or on a cluster, and the model fitted to it."""
    from mrsne.cli.inputs import read_data

    if cluster is not None:
        return _fitted_on_cluster(given, model, cluster, report)
    data = read_data(given)
    with report.warnings_as_notes():
        return data, model.fit(data)


def _fitted_on_cluster(given: DataOptions, model: Any, cluster: str, report: Reporter) -> tuple[Any, Any]:
    from mrsne.backends.choice import check_cluster_device
    from mrsne.backends.dask.connection import connected, workers_of
    from mrsne.cli.inputs import read_data
    from mrsne.data import RelationalData

    check_cluster_device(model.device)
    with errors_not_logged(), connected(cluster) as client:
        report.note(f"cluster of {workers_of(client)}, dashboard {client.dashboard_link}")
        data = read_data(given, lazily=True)
        if isinstance(data, RelationalData):
            raise ValueError(
                "--cluster needs vectors or links in .npy, .zarr or .parquet, which workers read in blocks"
            )
        with report.warnings_as_notes():
            return data, model.fit(data)


@contextmanager
def errors_not_logged() -> Iterator[None]:
    """Keep errors out of the log: those of Dask come as exceptions too, and are said once."""
    before = logging.root.manager.disable
    logging.disable(max(before, logging.ERROR))
    try:
        yield
    finally:
        logging.disable(before)


def exponents_or_word(relation_norm: str) -> str | float | tuple[float, ...]:
    """Return a number or several where such are given."""
    try:
        values = tuple(float(part) for part in relation_norm.split(","))
    except ValueError:
        return relation_norm
    return values if len(values) > 1 else values[0]
