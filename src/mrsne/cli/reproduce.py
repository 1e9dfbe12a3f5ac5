"""``mrsne reproduce``: the paper's experiments, rerun."""

from __future__ import annotations

import fnmatch
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mrsne.cli.options import Json
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import sentences

if TYPE_CHECKING:
    from rich.console import Console

    from mrsne.experiments import Method


def reproduce(
    study: Annotated[str, typer.Argument(help="awa2, flickr, emoji, shapes or groups.", show_default=False)],
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of AwA2 or Flickr files, or an npz file; made-up data stands in without it."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the report.", show_default="report-STUDY")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many times to run each method.")] = 3,
    methods: Annotated[
        str, typer.Option(help="Which methods: names or patterns, separated by commas; --list shows them.")
    ] = "*",
    within: Annotated[
        str | None, typer.Option(help="What is true within a domain: shared or identical.", show_default="by study")
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="List the methods, and run none.")] = False,
    as_json: Json = False,
) -> None:
    """Run every method of the paper on a data set, and write tables and figures with the published numbers beside ours.

    A run that was stopped goes on where it was, if it is given the same folder.

    Example: mrsne reproduce awa2 --data Animals_with_Attributes2 --seeds 3 -o report
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from mrsne.experiments import load_study, methods_for, run_study, write_report

    console = Console(stderr=as_json)
    chosen_study = load_study(study, data, within)
    patterns = [pattern.strip() for pattern in methods.split(",") if pattern.strip()]
    chosen = methods_for(chosen_study.data, chosen_study.paper, patterns)
    for pattern in patterns or [methods]:
        if not any(fnmatch.fnmatch(method.key, pattern) for method in chosen):
            raise ValueError(f"--methods {pattern!r} fits none of the methods; --list shows them")
    if show:
        listed = [{"key": method.key, "family": method.family, "label": method.label} for method in chosen]
        lines = (f"{method.key:32}{method.family}: {method.label}" for method in chosen)
        Reporter(as_json).summary({"study": study, "available_methods": listed}, lines)
        return
    chosen = _possible(chosen, console)
    folder = output or Path(f"report-{study}")
    if not as_json:
        console.print(f"{chosen_study.title}: {chosen_study.data!r}", highlight=False, markup=False)
    columns = (TextColumn("{task.description:32}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=len(chosen) * seeds)
        order = {method.key: index for index, method in enumerate(chosen)}

        def starting(method: Method, seed: int) -> None:
            bar.update(task, description=method.key, completed=seed * len(chosen) + order[method.key])

        scores = run_study(chosen_study, chosen, range(seeds), folder, starting)
        bar.update(task, completed=len(chosen) * seeds)
        page = write_report(
            chosen_study, chosen, range(seeds), scores, folder, lambda what: bar.update(task, description=what)
        )
    means = {key: sum(run["reconstruction_auc"] for run in runs) / seeds for key, runs in scores.items()}
    best = max(chosen, key=lambda method: means[method.key])
    record = {
        "study": study,
        "methods": len(chosen),
        "seeds": seeds,
        "best_method": best.key,
        "reconstruction_auc": round(means[best.key], 4),
        "fitting_seconds": round(sum(run["seconds"] for runs in scores.values() for run in runs), 1),
        "report": str(page),
    }
    Reporter(as_json).summary(record, sentences({**record, "best_method": f"{best.family}: {best.label}"}))


def _possible(methods: list[Method], console: Console) -> list[Method]:
    """Return the methods that can run here, and say which cannot."""
    if importlib.util.find_spec("torch") is not None:
        return methods
    kept = [method for method in methods if not method.key.startswith("pmvge")]
    if not kept:
        raise ValueError("PMvGE needs torch, which is not installed: pip install 'mrsne[neural]'")
    if len(kept) < len(methods):
        console.print("PMvGE is left out: it needs torch (pip install 'mrsne\\[neural]')")
    return kept
