"""``mrsne fit``: any domains and relations into a map."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mrsne.cli.map_files import PAGES, coordinates_beside, data_beside, left_out_beside, write_coordinates
from mrsne.cli.options import DataOptions, Json, Seed, check_suffix
from mrsne.cli.outputs import check_map_output, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.scoring import SCORES, brief_scores
from mrsne.cli.summary import by_pair
from mrsne.cli.weight_shares import weight_shares
from mrsne.cli.weights import storable, weights_of
from mrsne.io.problems import Problems
from mrsne.io.writing import check_outputs
from mrsne.parameters import check_option

if TYPE_CHECKING:
    from mrsne import MRSNE
    from mrsne.data import RelationalData
    from mrsne.model.embedding import Embedding

SCHEDULES = ("default", "paper")


def fit(
    domain: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=FILE with vectors (.npy, .npz, .csv, .parquet; .zarr with --cluster; a row of NaN is an item "
            "without), or NAME=COUNT. Kinds without a --domain are those that the links name."
        ),
    ] = None,
    relation: Annotated[
        list[str] | None,
        typer.Option(
            help="A:B=FILE with links: a table of pairs, or a matrix (.npy, .npz). FILE alone: a table whose two "
            "headings, besides weight, are the kinds."
        ),
    ] = None,
    names: Annotated[list[str] | None, typer.Option(help="NAME=FILE with a name on each line.")] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The map (.npz) or a page (.html) with the map beside it; its data goes there too (with --cluster, "
            "names only).",
        ),
    ] = Path("map.npz"),
    min_count: Annotated[
        int, typer.Option(min=1, help="Leave out items known only from links that have fewer links than this.")
    ] = 1,
    weights: Annotated[
        str,
        typer.Option(
            help="auto, size, equal, balanced, the share of the links from 0 to 1, or a weight for each domain and "
            "relation: image=0.5,tag=0.1,image:tag=0.4."
        ),
    ] = "auto",
    relation_norm: Annotated[
        str, typer.Option(help="auto, conditional, pmi, norm, unnorm, an exponent from 0 to 1, or two: 0.5,0.25.")
    ] = "auto",
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

    Example: mrsne fit --domain image=vectors.npy --relation image:tag=edges.csv -o map.html
    """
    from mrsne.data import in_memory

    start = time.perf_counter()
    report = Reporter(as_json)
    given = DataOptions(domain or [], relation or [], names or [])
    problems = Problems()
    _check_outputs(output, checkpoint, given)
    settings: dict[str, Any] = {
        "weights": weights_of(weights),
        "relation_norm": exponents_or_word(relation_norm),
        "perplexity": perplexity,
        "metric": metric,
        "n_components": components,
    }
    run: dict[str, Any] = {"checkpoint": checkpoint, "random_state": seed, "device": device, "verbose": report.live}
    run |= {} if max_iter is None else {"max_iter": max_iter}
    estimator = _estimator(schedule, settings, run)
    settings |= {name: getattr(estimator, name) for name in ("weights", "relation_norm")}
    data, model = _fitted(given, estimator, cluster, report, Reading(min_count, problems))
    kept = {**settings, "weights": storable(settings["weights"])}
    files = write_fit(output, model.embedding_, in_memory(data), kept, problems)
    report.summary(
        {
            "items": dict(data.sizes),
            **(dict.fromkeys(("links", *SCORES)) if cluster else _links_and_scores(model.embedding_, data)),
            "neighbor_recall": {name: round(share, 4) for name, share in model.neighbor_recall_.items()},
            "iterations": model.n_iter_,
            "weights": weight_shares(model.weights_),
            "kl_divergence": round(model.kl_divergence_, 4),
            "left_out": problems,
            "seconds": round(time.perf_counter() - start, 1),
            **files,
        }
    )


def _estimator(schedule: str, settings: dict[str, Any], run: dict[str, Any]) -> MRSNE:
    """Return the model of a schedule."""
    from mrsne import MRSNE

    if check_option("--schedule", schedule, SCHEDULES) == "default":
        return MRSNE(**settings, **run)
    # what "auto" would choose is not the paper's
    return MRSNE.paper(**{name: value for name, value in settings.items() if value != "auto"}, **run)


@dataclass(frozen=True)
class Reading:
    """How links are read: which items are too rare, and where it is noted what was left out."""

    min_count: int
    problems: Problems


def _check_outputs(output: Path, checkpoint: Path | None, given: DataOptions) -> None:
    """Raise, before anything is done, if the map cannot be written or would take the place of something else."""
    if not given.domains and not given.relations:
        raise ValueError("give items: --relation FILE with their links, --domain NAME=FILE with vectors, or both")
    check_suffix(output, (".npz", *PAGES))
    saved = output.with_suffix(".npz")
    check_map_output(saved)
    state = [] if checkpoint is None else [checkpoint]
    files = [saved, data_beside(saved), coordinates_beside(saved), left_out_beside(saved)]
    check_outputs([*files, *([] if output == saved else [output])], [*given.files(), *state])
    check_outputs(state, given.files(), "--checkpoint")


def write_fit(
    output: Path, embedding: Embedding, data: RelationalData, settings: dict[str, Any], problems: Problems
) -> dict[str, str | None]:
    """Write the map, its data, its table of coordinates, what was left out and perhaps a page, and return where."""
    from mrsne.data.storage import save_data
    from mrsne.viewer.reporting import page_report

    saved, left_out = output.with_suffix(".npz"), left_out_beside(output)
    writers: dict[Path, Callable[[Path], object]] = {
        saved: embedding.save,
        data_beside(saved): lambda path: save_data(data, path, {"settings": settings}),
        coordinates_beside(saved): lambda path: write_coordinates(embedding, data, path),
    }
    is_page = output != saved
    if is_page:
        report = page_report(embedding, data, dict.fromkeys(data.sizes, settings["metric"])) or False
        writers[output] = lambda path: embedding.to_html(path, data, title=output.stem, report=report)
    if problems:
        writers[left_out] = problems.write
    write_outputs(writers)
    if not problems:
        left_out.unlink(missing_ok=True)  # of an earlier map
    return {
        "map": str(saved),
        "data": str(data_beside(saved)),
        "coordinates": str(coordinates_beside(saved)),
        "left_out_table": str(left_out) if problems else None,
        "page": str(output) if is_page else None,
        "page_url": output.resolve().as_uri() if is_page else None,
    }


def _links_and_scores(embedding: Embedding, data: RelationalData) -> dict[str, Any]:
    return {"links": by_pair({pair: W.nnz for pair, W in data.relations.items()}), **brief_scores(embedding, data)}


def _fitted(given: DataOptions, model: Any, cluster: str | None, report: Reporter, reading: Reading) -> tuple[Any, Any]:
    """Return the data, read here or on a cluster, and the model fitted to it."""
    from mrsne.cli.inputs import read_data

    if cluster is not None:
        return _fitted_on_cluster(given, model, cluster, report)
    data = read_data(given, min_count=reading.min_count, problems=reading.problems)
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
