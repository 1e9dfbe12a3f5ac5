"""The report: a folder with tables, figures, and a page that shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from mrsne.embedding import Embedding
from mrsne.experiments.figures import draw_map, maps_figure, metric_figure, roc_figure
from mrsne.experiments.methods import Method
from mrsne.experiments.published import published
from mrsne.experiments.studies import Study
from mrsne.experiments.tables import LISTS, SINGLE, Cell, Score, Scores, as_csv, column, list_table, single_table
from mrsne.io import write_figure, write_text


def write_report(
    study: Study,
    methods: Sequence[Method],
    seeds: Sequence[int],
    scores: Scores,
    folder: Path,
    starting: Callable[[str], None] = lambda what: None,
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
    """
    paper_values = published(study.paper)
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    (folder / "maps").mkdir(exist_ok=True)
    starting("tables")
    singles = [column(scores, methods, score, paper_values) for score in (*SINGLE, *_own_scores(scores))]
    lists = {
        score: [column(scores, methods, score, paper_values, k, index) for index, k in enumerate(_ks(study, score))]
        for score in LISTS
    }
    for name, columns in [("scores", singles), *((score.key, columns) for score, columns in lists.items())]:
        write_text(folder / "tables" / f"{name}.csv", as_csv(columns))
    maps = {method.key: Embedding.load(folder / "runs" / f"{method.key}-{seeds[0]}.npz") for method in methods}
    starting("figures")
    write_figure(folder / "maps.png", maps_figure(maps, study, methods))
    write_figure(folder / "roc.png", roc_figure(scores, methods))
    write_figure(folder / "metrics.png", metric_figure(scores, study, methods))
    for method in methods:
        starting(f"map of {method.key}")
        draw_map(maps[method.key], study, method, folder / "maps" / f"{method.key}.png")
    page = folder / "README.md"
    write_text(page, _page(study, methods, seeds, scores, singles, lists))
    return page


def _own_scores(scores: Scores) -> list[Score]:
    """Return the scores that are not in the paper: neighbourhoods, for domains with vectors, and time."""
    keys = [key for key in next(iter(scores.values()))[0] if key.startswith(("neighborhood", "trust"))]
    return [*(Score(key, key.replace("_", " "), 3) for key in keys), Score("seconds", "seconds", 1, "")]


def _ks(study: Study, score: Score) -> list[int]:
    return study.ks_across if score.key.endswith("across") else study.ks_within


def _page(
    study: Study,
    methods: Sequence[Method],
    seeds: Sequence[int],
    scores: Scores,
    singles: Sequence[Sequence[Cell]],
    lists: Mapping[Score, Sequence[Sequence[Cell]]],
) -> str:
    paper, own = singles[: len(SINGLE)], singles[len(SINGLE) :]
    minutes = sum(run["seconds"] for runs in scores.values() for run in runs) / 60
    parts = [
        f"# {study.title}",
        f"`{study.data!r}`",
        _about(study, seeds),
        f"{_count(methods, 'method')}, {_count(seeds, 'seed')}: {minutes:.1f} minutes of fitting.",
        "## Experiment 1: the maps",
        "![all maps](maps.png)",
        f"`{study.query}` in blue, `{study.target}` in green; each map by itself, with names, is in `maps/`.",
        "## Experiments 2 and 3: graph reconstruction and variances; Figure 1: links across domains",
        single_table(paper, study.same_data),
        "![ROC curves](roc.png)",
        "## Supplement: metrics (I) and (II)",
        "![curves of the metrics](metrics.png)",
    ]
    for score, columns in lists.items():
        parts += [f"### {score.title}", list_table(columns, study.same_data)]
    parts += ["## Beyond the paper: neighbourhoods and time", single_table(own, study.same_data)]
    parts += ["All numbers are in `tables/`, in full precision; every run is in `runs/`."]
    return "\n\n".join(parts) + "\n"


def _count(things: Sequence[object], name: str) -> str:
    return f"{len(things)} {name}{'s' * (len(things) > 1)}"


def _about(study: Study, seeds: Sequence[int]) -> str:
    text = (
        f"Queries are all items of `{study.query}`. A true link within `{study.query}` is "
        + ("the same non-empty row of W" if study.within == "identical" else "at least one common neighbour in W")
        + f'. The variance ratio is `{study.query}` over `{study.target}`; "links 0.5" is `weights=0.5`'
        + ". Best in bold, second best underlined; for the variance ratio that is closest to 1"
        + ("; ± is the standard deviation over the seeds" if len(seeds) > 1 else "")
        + ". Methods with K > 2 are brought into the plane by t-SNE, as in the paper."
    )
    if study.paper and not study.same_data:
        text += (
            " The paper's numbers, in *italics*, are for its own data, which this is not: compare the order of the "
            "methods, not the numbers."
        )
    if study.paper and min(study.data.sizes.values()) <= 200:
        text += " CDMCA's K is at most the rank of the problem; the paper's K = 200 stands beside that."
    return text
