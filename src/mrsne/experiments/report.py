"""The report: a folder with tables, figures, and a page that shows them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np

from mrsne.data.files.writing import write_figure, write_text
from mrsne.experiments.drawing import LARGE_MAP, PANEL_SETS, large_map, panel_figure
from mrsne.experiments.figures import maps_figure, metric_figure, one_panel_roc, roc_figure
from mrsne.experiments.methods import algorithm_1, settings_of
from mrsne.experiments.schematics import schematics
from mrsne.experiments.study import Methods, Score, Scores, Study, perplexities, published
from mrsne.experiments.sweep import Sweep, sweep_figure, sweep_runs, sweep_table, verdict
from mrsne.experiments.tables import Columns, as_csv, column, csv_text, list_table, markdown_table, notes, single_table
from mrsne.model.embedding import Embedding

# number, where in the paper, what it shows, and the data set if the paper has it for only one
FIGURES: tuple[tuple[int, str, str, str | None], ...] = (
    (1, "Section 1", "links across domains, Flickr: four maps with their link AUC", "flickr"),
    (2, "Section 1", "schematic: what MR-SNE embeds", None),
    (3, "Section 1", "large map of AwA2", "awa2"),
    (4, "Section 3.1", "schematic: the neighbour graph", None),
    (5, "Section 4.1", "six maps of Flickr", "flickr"),
    (6, "Section 4.1", "three maps of AwA2", "awa2"),
    (7, "Supplement B", "large map of Flickr", "flickr"),
    (8, "Supplement C", "ROC curves", None),
    (9, "Supplement D", "schematic: the four metrics", None),
    (10, "Supplement E", "PMvGE with the stochastic neighbour graph", None),
    (11, "Supplement F", "schematic: one pair for each link", None),
)
LARGE_MAPS: dict[str | None, int] = {
    "awa2": 3
}  # the number of the paper's large map of such data; 7 for Flickr and others
# number, where in the paper, what it shows, file of the report
TABLES = (
    (1, "Section 4.2", "ROC-AUC of graph reconstruction", "tables/scores.csv"),
    (2, "Section 4.3", "ratio of variances", "tables/scores.csv"),
    (3, "Supplement D.1", "metric (I) across domains", "tables/hit_rate_across.csv"),
    (4, "Supplement D.2", "metric (I) within the query's domain", "tables/hit_rate_within.csv"),
    (5, "Supplement D.3", "metric (II) across domains", "tables/hit_count_across.csv"),
    (6, "Supplement D.4", "metric (II) within the query's domain", "tables/hit_count_within.csv"),
    (7, "Supplement E", "PMvGE with the stochastic neighbour graph", "tables/scores.csv"),
)


def write_report(
    study: Study,
    methods: Methods,
    seeds: Sequence[int],
    scores: Scores,
    folder: Path,
    starting: Callable[[str], None] = lambda part: None,
    sweep: Sweep | None = None,
) -> Path:
    """Write tables, figures and ``README.md`` into a folder that ``run_study`` has filled; return that page."""
    for name in ("tables", "maps"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    starting("tables")
    paper_values = published(study.paper)
    singles = [column(scores, methods, score, paper_values) for score in study.single_scores()]
    neighborhoods = [key for key in next(iter(scores.values()))[0] if key.startswith(("neighborhood", "trust"))]
    more = [*(Score(key, key.replace("_", " "), 3) for key in neighborhoods), Score("seconds", "seconds", 1, "")]
    beyond = [column(scores, methods, score, paper_values) for score in more]
    lists = {
        score: [column(scores, methods, score, paper_values, k, index) for index, k in enumerate(ks)]
        for score, ks in study.list_scores()
    }
    tables: dict[str, Columns] = {score.key: columns for score, columns in lists.items()}
    for name, columns in {"scores": [*singles, *beyond], **tables}.items():
        write_text(folder / "tables" / f"{name}.csv", as_csv(columns))
    maps = {method.key: Embedding.load(folder / "runs" / f"{method.key}-{seeds[0]}.npz") for method in methods}
    starting("figures")
    drawn = _write_figures(study, methods, maps, scores, folder)
    starting("maps")
    for method in methods:
        auc = np.mean([run["reconstruction_auc"] for run in scores[method.key]])
        picture = large_map(maps[method.key], study, f"{method.name}, AUC {auc:.3f}")
        write_figure(folder / "maps" / f"{method.key}.png", picture)
    parts = [
        *_overview(study, methods, seeds, scores, drawn),
        "## Experiments 2 and 3 (Tables 1, 2 and 7, Figure 8); links across domains (Figure 1)",
        single_table(singles, study.same_data),
        notes(methods),
        "![figure-08.png](figure-08.png)",
        "![ROC curves](roc.png)",
        "## Supplement D: metrics (I) and (II) (Tables 3 to 6)",
        "![curves of the metrics](metrics.png)",
    ]
    for score, columns in lists.items():
        parts += [f"### {score.title}", list_table(columns, study.same_data)]
    parts += ["## Beyond the paper: neighbourhoods and time", single_table(beyond, study.same_data)]
    parts += ["All numbers are in `tables/`, in full precision; every run is in `runs/`."]
    if sweep:
        parts += _sweep_section(sweep, study, methods, folder)
    parts += _settings_section(study, methods, scores)
    page = folder / "README.md"
    write_text(page, "\n\n".join(part for part in parts if part) + "\n")
    return page


def _write_figures(
    study: Study, methods: Methods, maps: Mapping[str, Embedding], scores: Scores, folder: Path
) -> list[str]:
    """Write the overviews and the figures of the paper; return the files of those of the paper's that were drawn."""
    write_figure(folder / "maps.png", maps_figure(maps, study, methods))
    write_figure(folder / "roc.png", roc_figure(scores, methods))
    write_figure(folder / "metrics.png", metric_figure(scores, study, methods))
    map_of_schematics = maps.get(LARGE_MAP, next(iter(maps.values())))
    figures = {8: one_panel_roc(scores, methods), **schematics(study, map_of_schematics)}
    for panels in PANEL_SETS:
        figure = panel_figure(panels, maps, methods, scores, study)
        if figure is not None:
            figures[panels.number] = figure
    if LARGE_MAP in maps:
        name = next(method.name for method in methods if method.key == LARGE_MAP)
        figures[LARGE_MAPS.get(study.paper, 7)] = large_map(maps[LARGE_MAP], study, f"{study.title}: {name}")
    files = {f"figure-{number:02}.png": figures[number] for number in sorted(figures)}
    for file, figure in files.items():
        write_figure(folder / file, figure)
    return list(files)


def _overview(study: Study, methods: Methods, seeds: Sequence[int], scores: Scores, drawn: Sequence[str]) -> list[str]:
    """Return the head of the page: what was run, where everything is, and the maps."""
    minutes = sum(run["seconds"] for runs in scores.values() for run in runs) / 60
    return [
        f"# {study.title}",
        f"`{study.data!r}`",
        _about(study, seeds),
        f"Methods: {len(methods)}. Seeds: {len(seeds)}. Minutes of fitting: {minutes:.1f}.",
        "## The paper's figures and tables, and where they are here",
        _contents(study, drawn),
        "## Experiment 1: the maps (Figures 1, 3, 5, 6, 7, 10)",
        "![all maps](maps.png)",
        f"`{study.query}` in blue, {' and '.join(f'`{name}`' for name in study.targets)} in the next colours; each map "
        "by itself, with names, is in `maps/`.",
        *(f"![{name}]({name})" for name in drawn if name != "figure-08.png"),
    ]


def _contents(study: Study, drawn: Collection[str]) -> str:
    """Return a table of the paper's figures and tables, with where each is in the paper and in the report."""
    large = LARGE_MAPS.get(study.paper, 7)
    rows = []
    for number, where, what, only_for in FIGURES:
        file = f"figure-{number:02}.png"
        if number in (3, 7) and number != large:
            here = f"figure-{large:02}.png, the same for this data"
        elif file in drawn:
            here = f"[{file}]({file})" + ("" if only_for in (None, study.paper) else ", with this data")
        else:
            here = "not drawn: its methods were not run"
        rows.append([f"Figure {number}", where, what, here])
    rows += [[f"Table {number}", where, what, f"[{file}]({file}), below"] for number, where, what, file in TABLES]
    here = f"`{LARGE_MAP}` and its kind, settings below"
    rows.append(["Algorithm 1", "Supplement A", "optimisation of MR-SNE", here])
    return markdown_table(["paper", "where in the paper", "what", "here"], rows)


def _sweep_section(sweep: Sweep, study: Study, methods: Methods, folder: Path) -> list[str]:
    variants = algorithm_1(study.data, methods, study.perplexity)
    write_text(folder / "tables" / "perplexity.csv", csv_text(*sweep_runs(sweep)))
    write_figure(folder / "perplexity.png", sweep_figure(sweep, variants, study))
    return [
        "## Perplexity",
        verdict(sweep, study),
        "![scores over the perplexity](perplexity.png)",
        markdown_table(*sweep_table(sweep, variants, study)),
    ]


def _settings_section(study: Study, methods: Methods, scores: Scores) -> list[str]:
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
        f"mrsne {version('mrsne')}; study `{study.name}`, queries `{study.query}`, targets "
        f"{', '.join(f'`{name}`' for name in study.targets)}, within `{study.within}`. "
        f"Perplexity {study.perplexity:g}: {of_domains}; the t-SNE that brings K > 2 dimensions into the plane has it "
        "too. The seed of a run is `random_state` of the method and of that t-SNE.",
        markdown_table(["method", "estimator", "settings"], rows),
        "## Warnings",
        "\n".join(f"- {text} ({', '.join(keys)})" for text, keys in warned.items()) or "None.",
    ]


def _about(study: Study, seeds: Sequence[int]) -> str:
    links = "the same non-empty row of W" if study.within == "identical" else "at least one common neighbour in W"
    text = (
        f"Queries are all items of `{study.query}`. A true link within `{study.query}` is {links}. "
        f'The variance ratio is `{study.query}` over `{study.target}`; "links 0.5" is `weights=0.5`. '
        "Of the paper's methods the best is bold and the second best underlined; for the variance ratio that is "
        "closest to 1. CDMCA, K-CDMCA, PMvGE and MR-SNE by Algorithm 1 with equal or size weights are as the paper "
        "describes them; all others are ours"
        + ("; ± is the standard deviation over the seeds" if len(seeds) > 1 else "")
        + ". Methods with K > 2 are brought into the plane by t-SNE, as in the paper."
    )
    if study.paper and not study.same_data:
        text += (
            " The paper's numbers, in *italics*, are for its own data, which this is not: compare the order of the "
            "methods, not the numbers."
        )
    return text
