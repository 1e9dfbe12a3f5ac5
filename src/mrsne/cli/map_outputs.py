"""What ``mrsne map`` computes and writes: the map and its data, the page or the picture, and what was left out."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mrsne
from mrsne.cli.options import MapRun
from mrsne.cli.outputs import write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import Record, Wording, by_pair, sentences, weight_shares
from mrsne.data.files.generation import coordinates_beside, data_beside, left_out_beside
from mrsne.data.files.writing import write_figure
from mrsne.data.tables.reading import write_table
from mrsne.viewer import PAGES


def map_record(saved: mrsne.SavedMap, scored: bool = True) -> dict[str, Any]:
    from mrsne.metrics.summaries import brief_scores

    embedding = saved.embedding
    scores = brief_scores(embedding, saved.data) if scored else {}
    return {
        "iterations": embedding.n_iter,
        "weights": weight_shares(embedding.weights),
        "kl_divergence": None if embedding.kl_divergence is None else round(embedding.kl_divergence, 4),
        "hit_rate_10": by_pair(scores["hit_rate_10"]) if scored else None,
        "trustworthiness": scores.get("trustworthiness"),
    }


def fit_map(collection: mrsne.Collection, run: MapRun, report: Reporter) -> mrsne.SavedMap:
    """Make the map of a collection, from the one that is there already unless it is to be a fresh one."""
    from mrsne.affinity.settings import AffinitySettings
    from mrsne.layout.settings import LayoutSettings
    from mrsne.model import fit

    layout = LayoutSettings(random_state=run.seed, verbose=report.live)
    with report.warnings_as_notes():
        start = None if run.fresh else map_to_continue(run.output.with_suffix(".npz"), collection.data, report)
        settings = AffinitySettings(**run.settings)
        found = fit.fit_map(collection.data, settings, layout, run.device, start_from=start, anchor=run.anchor)
    embedding = fit.embedding_of(found)
    return mrsne.SavedMap(embedding, collection, run.settings)


def map_to_continue(path: Path, data: mrsne.RelationalData, report: Reporter) -> mrsne.Embedding | None:
    """Return the map that a new one of some data is to start from; None where there is none with its items."""
    from mrsne.model.matching import match_items
    from mrsne.parameters import MrsneError

    if not path.is_file():
        return None
    try:
        saved = mrsne.SavedMap.load(path)
        match_items(data, saved.embedding, saved.data)
    except (MrsneError, OSError) as error:
        report.remark(f"the map in {str(path)!r} is not continued: {error}")
        return None
    return saved.embedding if saved.embedding.n_components == 2 else None


def changes_record(embedding: mrsne.Embedding) -> dict[str, Any] | None:
    """Return what changed since the map that this one continues, for a summary."""
    return None if embedding.changes is None else embedding.changes.to_dict()


def lines_of_map(record: Record, wording: Wording, full_size: bool) -> list[str]:
    """Return what people read, with a word about full-size pictures where the map is a page of pictures."""
    lines = list(sentences(record, wording))
    page = record["page"]
    return [*lines, f"with pictures in full size: mrsne view {shlex.quote(page)}"] if page and full_size else lines


def write_map(
    saved: mrsne.SavedMap, run: MapRun, title: str, labels: Sequence[str], report: Reporter
) -> dict[str, str | None]:
    embedding, data = saved.embedding, saved.data

    def write_page(path: Path) -> None:
        predictor = mrsne.LinkPredictor(random_state=0).fit(data) if run.suggest and data.pairs else None
        embedding.to_html(path, data, title=title, theme=run.theme or "auto", suggestions=predictor)

    def write_map_picture(path: Path) -> None:
        named = [name for name in labels if data.shown_names(name) is not None]
        write_figure(path, mrsne.plot.map_figure(embedding, data, theme=run.theme or "light", labels=named), dpi=200)

    with report.warnings_as_notes(), report.stage("writing the map"):
        return write_files(saved, run.output, write_page if is_page(run.output) else write_map_picture)


def write_files(
    saved: mrsne.SavedMap, output: Path, show: Callable[[Path], object] | None, anew: bool = True
) -> dict[str, str | None]:
    """Write a map, its data, its coordinates, what was left out, and perhaps what shows it; return where.

    The list of what was left out of an earlier map goes where a map is made ``anew``.
    """
    left_out, problems = left_out_beside(output), saved.collection.left_out
    writers = saved.writers(output.with_suffix(".npz"))
    if show is not None:
        writers[output] = show
    if problems:
        writers[left_out] = lambda path: write_table(path, problems.columns())
    write_outputs(writers, removed=[left_out] if anew and not problems else [])
    return paths_of_map(output, bool(problems))


def is_page(output: Path) -> bool:
    return output.suffix.lower() in PAGES


def paths_of_map(output: Path, any_left_out: bool) -> dict[str, str | None]:
    saved, page = output.with_suffix(".npz"), is_page(output)
    return {
        "map": str(saved),
        "data": str(data_beside(saved)),
        "coordinates": str(coordinates_beside(output)),
        "left_out_table": str(left_out_beside(output)) if any_left_out else None,
        "picture": None if page or output == saved else str(output),
        "page": str(output) if page else None,
        "page_url": output.resolve().as_uri() if page else None,
    }
