"""The report: a folder with tables, figures, and a page that shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mrsne import __version__
from mrsne.experiments.contents import contents_table, large_map_number
from mrsne.experiments.figures import maps_figure, metric_figure, one_panel_roc, roc_figure
from mrsne.experiments.methods import Method, algorithm_1, perplexities, settings_of
from mrsne.experiments.panels import LARGE_MAP, PANEL_SETS, large_map, panel_figure, write_maps
from mrsne.experiments.published import published
from mrsne.experiments.schematics import duplication_figure, metrics_figure, neighbor_figure, proposal_figure
from mrsne.experiments.studies import Study
from mrsne.experiments.sweep import Sweep, sweep_csv, sweep_figure, sweep_table, verdict
from mrsne.experiments.tables import (
    Cell,
    Score,
    Scores,
    as_csv,
    column,
    list_scores,
    list_table,
    markdown_table,
    notes,
    single_scores,
    single_table,
)
from mrsne.io import write_figure, write_text
from mrsne.model.embedding import Embedding

Columns = Sequence[Sequence[Cell]]


def write_report(
    study: Study,
    methods: Sequence[Method],
    seeds: Sequence[int],
    scores: Scores,
    folder: Path,
    starting: Callable[[str], None] = lambda what: None,
    sweep: Sweep | None = None,
) -> Path:
    """Write tables, figures and ``README.md`` into a folder that :func:`run_study` has filled; return that page.

    Parameters
    ----------
    study : Study
    methods : list of Method
    seeds : list of int
    scores : dict
        As :func:`run_study` returns them.
    folder : path
    starting : callable
        Called with the name of each part before it is written.
    sweep : dict, optional
        Scores at other perplexities, as :func:`run_sweep` returns them.
    """
    paper_values = published(study.paper)
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    (folder / "maps").mkdir(exist_ok=True)
    starting("tables")
    singles = [column(scores, methods, score, paper_values) for score in (*single_scores(study), *_own_scores(scores))]
    lists = {
        score: [column(scores, methods, score, paper_values, k, index) for index, k in enumerate(ks)]
        for score, ks in list_scores(study)
    }
    for name, columns in [("scores", singles), *((score.key, columns) for score, columns in lists.items())]:
        write_text(folder / "tables" / f"{name}.csv", as_csv(columns))
    maps = {method.key: Embedding.load(folder / "runs" / f"{method.key}-{seeds[0]}.npz") for method in methods}
    starting("figures")
    write_figure(folder / "maps.png", maps_figure(maps, study, methods))
    write_figure(folder / "roc.png", roc_figure(scores, methods))
    write_figure(folder / "metrics.png", metric_figure(scores, study, methods))
    drawn = _write_figures(study, methods, maps, scores, folder)
    starting("maps")
    write_maps(folder, maps, methods, scores, study)
    parts = _page(study, methods, seeds, scores, singles, lists, drawn)
    if sweep:
        parts += _sweep_section(sweep, study, methods, folder)
    parts += _settings_section(study, methods, scores)
    page = folder / "README.md"
    write_text(page, "\n\n".join(part for part in parts if part) + "\n")
    return page


def _write_figures(
    study: Study, methods: Sequence[Method], maps: Mapping[str, Embedding], scores: Scores, folder: Path
) -> list[str]:
    """Write the figures that are numbered as in the paper; return the names of those that could be drawn."""
    shown = maps.get(LARGE_MAP, next(iter(maps.values())))
    figures = {panels.file(): panel_figure(panels, maps, methods, scores, study) for panels in PANEL_SETS}
    figures["figure-02.png"] = proposal_figure(study, shown)
    figures["figure-04.png"] = neighbor_figure(study)
    figures["figure-08.png"] = one_panel_roc(scores, methods)
    figures["figure-09.png"] = metrics_figure(study, shown)
    figures["figure-11.png"] = duplication_figure(study)
    if LARGE_MAP in maps:
        name = next(method.name for method in methods if method.key == LARGE_MAP)
        figures[f"figure-{large_map_number(study):02}.png"] = large_map(shown, study, f"{study.title}: {name}")
    drawn = {name: figure for name, figure in figures.items() if figure is not None}
    for name, figure in drawn.items():
        write_figure(folder / name, figure)
    return sorted(drawn)


def _own_scores(scores: Scores) -> list[Score]:
    """Return the scores that are not in the paper: neighbourhoods, for domains with vectors, and time."""
    keys = [key for key in next(iter(scores.values()))[0] if key.startswith(("neighborhood", "trust"))]
    return [*(Score(key, key.replace("_", " "), 3) for key in keys), Score("seconds", "seconds", 1, "")]


def _page(
    study: Study,
    methods: Sequence[Method],
    seeds: Sequence[int],
    scores: Scores,
    singles: Columns,
    lists: Mapping[Score, Columns],
    drawn: Sequence[str],
) -> list[str]:
    paper, own = singles[: len(single_scores(study))], singles[len(single_scores(study)) :]
    minutes = sum(run["seconds"] for runs in scores.values() for run in runs) / 60
    parts = [
        f"# {study.title}",
        f"`{study.data!r}`",
        _about(study, seeds),
        f"{_count(methods, 'method')}, {_count(seeds, 'seed')}: {minutes:.1f} minutes of fitting.",
        "## The paper's figures and tables, and where they are here",
        contents_table(study, drawn),
        "## Experiment 1: the maps (Figures 1, 3, 5, 6, 7, 10)",
        "![all maps](maps.png)",
        f"`{study.query}` in blue, {' and '.join(f'`{name}`' for name in study.targets)} in the next colours; each map "
        "by itself, with names, is in `maps/`.",
        *(f"![{name}]({name})" for name in drawn if name != "figure-08.png"),
        "## Experiments 2 and 3 (Tables 1, 2 and 7, Figure 8); links across domains (Figure 1)",
        single_table(paper, study.same_data),
        notes(methods),
        *(f"![{name}]({name})" for name in drawn if name == "figure-08.png"),
        "![ROC curves](roc.png)",
        "## Supplement D: metrics (I) and (II) (Tables 3 to 6)",
        "![curves of the metrics](metrics.png)",
    ]
    for score, columns in lists.items():
        parts += [f"### {score.title}", list_table(columns, study.same_data)]
    parts += ["## Beyond the paper: neighbourhoods and time", single_table(own, study.same_data)]
    parts += ["All numbers are in `tables/`, in full precision; every run is in `runs/`."]
    return parts


def _sweep_section(sweep: Sweep, study: Study, methods: Sequence[Method], folder: Path) -> list[str]:
    variants = algorithm_1(study.data, methods, study.perplexity)
    write_text(folder / "tables" / "perplexity.csv", sweep_csv(sweep))
    write_figure(folder / "perplexity.png", sweep_figure(sweep, variants, study))
    return [
        "## Perplexity",
        verdict(sweep, study),
        "![scores over the perplexity](perplexity.png)",
        sweep_table(sweep, variants, study),
    ]


def _settings_section(study: Study, methods: Sequence[Method], scores: Scores) -> list[str]:
    """Return all settings of all methods, and all warnings of their runs."""
    rows = []
    for method in methods:
        settings = ", ".join(f"{name}={value!r}" for name, value in settings_of(method).items())
        rows.append([f"`{method.key}`", type(method.make(0)).__name__, settings])
    warned: dict[str, list[str]] = {}
    for key, runs in scores.items():
        for text in dict.fromkeys(text for run in runs for text in run["warnings"]):
            warned.setdefault(text, []).append(f"`{key}`")
    by_domain = perplexities(study.data, study.perplexity)
    of_domains = ", ".join(f"{value:g} for `{name}`" for name, value in by_domain.items()) or "no domain has vectors"
    return [
        "## Settings",
        f"mrsne {__version__}; study `{study.name}`, queries `{study.query}`, targets "
        f"{', '.join(f'`{name}`' for name in study.targets)}, within `{study.within}`. "
        f"Perplexity {study.perplexity:g}: {of_domains}; the t-SNE that brings K > 2 dimensions into the plane has it "
        "too. The seed of a run is `random_state` of the method and of that t-SNE.",
        markdown_table(["method", "estimator", "settings"], rows),
        "## Warnings",
        "\n".join(f"- {text} ({', '.join(keys)})" for text, keys in warned.items()) or "None.",
    ]


def _count(things: Sequence[object], name: str) -> str:
    return f"{len(things)} {name}{'s' * (len(things) > 1)}"


def _about(study: Study, seeds: Sequence[int]) -> str:
    text = (
        f"Queries are all items of `{study.query}`. A true link within `{study.query}` is "
        + ("the same non-empty row of W" if study.within == "identical" else "at least one common neighbour in W")
        + f'. The variance ratio is `{study.query}` over `{study.target}`; "links 0.5" is `weights=0.5`'
        + ". Of the paper's methods the best is bold and the second best underlined; for the variance ratio that is "
        + "closest to 1. CDMCA, K-CDMCA, PMvGE and MR-SNE by Algorithm 1 with equal or size weights are as the paper "
        + "describes them; all others are ours"
        + ("; ± is the standard deviation over the seeds" if len(seeds) > 1 else "")
        + ". Methods with K > 2 are brought into the plane by t-SNE, as in the paper."
    )
    if study.paper and not study.same_data:
        text += (
            " The paper's numbers, in *italics*, are for its own data, which this is not: compare the order of the "
            "methods, not the numbers."
        )
    return text
