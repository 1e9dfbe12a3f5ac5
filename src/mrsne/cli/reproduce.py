"""``mrsne reproduce``: the paper's experiments, rerun."""

from __future__ import annotations

import fnmatch
import importlib.util
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from mrsne.cli.options import BELONGING, Json, argument, option, output_file
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import sentences
from mrsne.data.files.writing import check_outputs
from mrsne.parameters import ParameterError

if TYPE_CHECKING:
    from mrsne.experiments.study import Method, Study


def reproduce(
    study: Annotated[str, argument("awa2, flickr, debian, icons, emoji, shapes or groups.")],
    data: Annotated[
        Path | None,
        option(
            "Folder of AwA2 or Flickr files, or an npz file; without it, synthetic data stands in. For debian "
            "what apt-cache dumpavail prints; without it, this computer's package lists."
        ),
    ] = None,
    output: Annotated[Path | None, output_file("Folder for the report.", "report-STUDY")] = None,
    seeds: Annotated[int, option("How many times to run each method.", min=1)] = 3,
    methods: Annotated[str, option("Names or patterns, separated by commas; --list shows them.")] = "*",
    within: Annotated[str | None, option(f"Which items belong together: {BELONGING}.", default="by study")] = None,
    perplexity: Annotated[float, option("Of every method that has one; the paper does not state its own.")] = 30.0,
    sweep: Annotated[
        str, option("Perplexities at which the paper's MR-SNE is run too, separated by commas; or none.")
    ] = "5,10,20,30,50",
    show: Annotated[bool, option("List the methods, and run none.", "--list")] = False,
    as_json: Json = False,
) -> None:
    """Run every method of the paper on a data set, and write tables and figures with the published numbers beside ours.

    A run that was stopped goes on where it was, if it is given the same folder.

    Example: mrsne reproduce awa2 --data Animals_with_Attributes2 --seeds 3 -o report
    """
    from mrsne.experiments.studies import load_study

    report = Reporter(as_json)
    folder = output or Path(f"report-{study}")
    if not show:
        check_outputs(folder / file for file in ("README.md", "runs/x.json", "tables/x.csv", "maps/x.png"))
    perplexities = _perplexities(sweep)
    loaded = load_study(study, data, within, perplexity)
    chosen = _chosen_methods(loaded, methods)
    if show:
        listed = [{"key": method.key, "family": method.family, "label": method.label} for method in chosen]
        lines = (f"{method.key:32}{method.name}" for method in chosen)
        report.summary({"study": study, "available_methods": listed}, lines)
        return
    runnable = _runnable(chosen, report)
    report.note(f"{loaded.title}: {loaded.data!r}")
    scores, page = _run(loaded, runnable, seeds, folder, report, perplexities)
    means = {key: sum(run["reconstruction_auc"] for run in runs) / seeds for key, runs in scores.items()}
    best = max(runnable, key=lambda method: means[method.key])
    record = {
        "study": study,
        "methods": len(runnable),
        "seeds": seeds,
        "perplexity": perplexity,
        "best_method": best.key,
        "reconstruction_auc": round(means[best.key], 4),
        "fitting_seconds": round(sum(run["seconds"] for runs in scores.values() for run in runs), 1),
        "report": str(page),
    }
    report.summary(record, sentences({**record, "best_method": best.name}))


def _chosen_methods(study: Study, given: str) -> list[Method]:
    from mrsne.experiments.methods import methods_for

    patterns = [pattern.strip() for pattern in given.split(",") if pattern.strip()]
    chosen = methods_for(study.data, study.paper, patterns, study.perplexity)
    for pattern in patterns or [given]:
        if not any(fnmatch.fnmatch(method.key, pattern) for method in chosen):
            raise ParameterError(f"--methods {pattern!r} fits none of the methods; --list shows them")
    return chosen


def _runnable(methods: list[Method], report: Reporter) -> list[Method]:
    has_torch = importlib.util.find_spec("torch") is not None
    runnable = [method for method in methods if has_torch or not method.key.startswith("pmvge")]
    if not runnable:
        raise ParameterError("PMvGE needs torch, which is not installed: pip install 'mrsne[neural]'")
    if len(runnable) < len(methods):
        report.note("PMvGE is left out: it needs torch (pip install 'mrsne[neural]')")
    return runnable


def _perplexities(given: str) -> list[float]:
    """Return the numbers of ``--sweep``; none for "none"."""
    if given.strip().lower() in ("", "none"):
        return []
    try:
        values = sorted({float(part) for part in given.split(",")})
    except ValueError:
        values = [0.0]
    if not all(1 < value < math.inf for value in values):
        raise ParameterError(f"--sweep must be numbers greater than 1, separated by commas, or none, got {given!r}")
    return values


def _run(
    study: Study, methods: list[Method], seeds: int, folder: Path, report: Reporter, perplexities: list[float]
) -> tuple[dict[str, list[dict[str, Any]]], Path]:
    """Fit and score all methods, with a bar on the terminal; return their scores and the page of the report."""
    from mrsne.experiments.methods import algorithm_1
    from mrsne.experiments.report import write_report
    from mrsne.experiments.runs import run_study, run_sweep

    fewest = min(filter(lambda count: count >= 2, map(study.data.count_vectors, study.data.sizes)), default=math.inf)
    possible = [value for value in perplexities if value < fewest - 1]
    if len(possible) < len(perplexities):
        smallest = perplexities[len(possible)]
        report.note(f"--sweep leaves out perplexities that the smallest domain cannot have, from {smallest:g} on")
    variants = algorithm_1(study.data, methods, study.perplexity)
    first = len(methods) * seeds
    total = first + len(variants) * len(possible) * seeds
    with report.bar("", total) as advance:
        runs, sweeping = range(seeds), lambda method, _: advance(first, f"sweep: {method.key}")
        starting = lambda method, seed: advance(seed * len(methods) + methods.index(method), method.key)  # noqa: E731
        scores = run_study(study, methods, runs, folder, starting)
        sweep = run_sweep(study, variants, possible, runs, folder, sweeping)
        writing = lambda part: advance(total, part)  # noqa: E731
        page = write_report(study, methods, runs, scores, folder, writing, sweep if variants else None)
    return scores, page
