"""``mrsne fit``: any domains and relations into a map."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any

import mrsne
from mrsne.cli import fit_options as given
from mrsne.cli.map_outputs import is_page, map_record, write_files
from mrsne.cli.options import DataOptions, Device, Json, Metric, Perplexity, Seed, check_suffix, per_kind
from mrsne.cli.outputs import check_map_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import by_pair
from mrsne.data.collection.files import DataFiles
from mrsne.data.files.problems import Problems
from mrsne.data.files.writing import check_outputs
from mrsne.parameters import ParameterError, check_option
from mrsne.viewer import PAGES


def fit(
    domain: given.Domains = None,
    relation: given.Relations = None,
    names: given.Names = None,
    output: given.Output = Path("map.npz"),
    min_count: given.MinCount = 1,
    weights: given.Weights = "auto",
    relation_norm: given.RelationNorm = "auto",
    perplexity: Perplexity = 30.0,
    metric: Metric = "euclidean",
    components: given.Components = 2,
    schedule: given.Schedule = "default",
    max_iter: given.MaxIter = None,
    device: Device = "cpu",
    cluster: given.Cluster = None,
    checkpoint: given.Checkpoint = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Make a map of any kinds of items, by their vectors and the links between them.

    Example: mrsne fit --domain image=vectors.npy --relation image:tag=edges.csv -o map.html
    """
    from mrsne.data.relational import in_memory

    start = time.perf_counter()
    report, problems = Reporter(as_json), Problems()
    options = DataOptions(domain or [], relation or [], names or [])
    _check_files(options, output, checkpoint)
    settings: dict[str, Any] = {
        "weights": given.weights_of(weights),
        "relation_norm": given.exponents_or_word(relation_norm),
        "perplexity": perplexity,
        "metric": per_kind("--metric", metric),
        "n_components": components,
    }
    run: dict[str, Any] = {"checkpoint": checkpoint, "random_state": seed, "device": device, "verbose": report.live}
    is_paper = check_option("--schedule", schedule, ("default", "paper")) == "paper"
    # what "auto" would choose is not the paper's
    chosen = {name: value for name, value in settings.items() if not is_paper or value != "auto"}
    run |= {} if max_iter is None else {"max_iter": max_iter}
    estimator = mrsne.MRSNE.paper(**chosen, **run) if is_paper else mrsne.MRSNE(**chosen, **run)
    settings |= {name: getattr(estimator, name) for name in ("weights", "relation_norm")}
    files = options.parsed()
    with report.warnings_as_notes():
        if cluster is None:
            data = files.read(min_count, problems)
            model = estimator.fit(data)
        else:
            data, model = _fit_on_cluster(files, estimator, cluster, report)
    saved = mrsne.SavedMap(model.embedding_, mrsne.Collection(in_memory(data), left_out=problems), settings)
    written = _write(output, saved)
    record = {
        "items": dict(data.sizes),
        "links": None if cluster else by_pair({pair: W.nnz for pair, W in data.relations.items()}),
        "neighbor_recall": {name: round(share, 4) for name, share in model.neighbor_recall_.items()},
        **map_record(saved, scored=cluster is None),
        "left_out": problems,
        "seconds": round(time.perf_counter() - start, 1),
    }
    report.summary(record | {key: file for key, file in written.items() if key != "picture"})


def _check_files(options: DataOptions, output: Path, checkpoint: Path | None) -> None:
    if not options.domains and not options.relations:
        raise ParameterError("give items: --relation FILE with their links, --domain NAME=FILE with vectors, or both")
    check_suffix(output, (".npz", *PAGES))
    state = [] if checkpoint is None else [checkpoint]
    check_map_outputs(output, [*options.files(), *state])
    check_outputs(state, options.files(), "--checkpoint")


def _fit_on_cluster(files: DataFiles, model: Any, cluster: str, report: Reporter) -> tuple[Any, Any]:
    """Return data that the workers of a cluster read, and the model fitted to it there."""
    from mrsne.backends.choice import check_cluster_device
    from mrsne.backends.dask.connection import connected, workers_of

    check_cluster_device(model.device)
    before = logging.root.manager.disable
    logging.disable(max(before, logging.ERROR))  # errors of Dask come as exceptions too, and are said once
    try:
        with connected(cluster) as client:
            report.note(f"cluster of {workers_of(client)}, dashboard {client.dashboard_link}")
            data = files.read_lazily()
            if isinstance(data, mrsne.RelationalData):
                wanted = "vectors or links in .npy, .zarr or .parquet"
                raise ParameterError(f"--cluster needs {wanted}, which workers read in blocks")
            return data, model.fit(data)
    finally:
        logging.disable(before)


def _write(output: Path, saved: mrsne.SavedMap) -> dict[str, str | None]:
    from mrsne.viewer.reporting import page_report

    if not is_page(output):
        return write_files(saved, output, None)
    embedding, data = saved.embedding, saved.data
    report = page_report(embedding, data, saved.metrics) or False
    return write_files(saved, output, lambda path: embedding.to_html(path, data, title=output.stem, report=report))
