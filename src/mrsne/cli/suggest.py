"""``mrsne suggest``: links that a map's items may lack, with their probability and the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import mrsne
from mrsne.cli.options import Json, MapFile, Seed, option, output_file
from mrsne.cli.outputs import check_output, write_outputs
from mrsne.cli.reporter import Reporter
from mrsne.data.files.generation import data_beside
from mrsne.data.tables.reading import WRITTEN, write_table
from mrsne.parameters import ParameterError, check_option

MOST_SHOWN = 5  # suggestions in the summary
REASONS = 3  # items that are named as the reason of one


def suggest(
    path: MapFile,
    output: Annotated[Path, output_file("The suggestions: .csv, .tsv, .jsonl or .parquet.")] = Path("suggestions.csv"),
    item: Annotated[str | None, option("Only for this item, by its name.", "--for", default="all items")] = None,
    kind: Annotated[
        str | None, option("Suggest items of this kind.", default="the second kind of each relation")
    ] = None,
    count: Annotated[int, option("Suggestions for each item, at most.", min=1)] = 5,
    threshold: Annotated[float, option("The smallest probability that is worth a suggestion.", min=0, max=1)] = 0.2,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Write the links that items may lack, such as tags of pictures, each with its probability and the reason.

    Example: mrsne suggest map.npz --kind tag --threshold 0.5 -o suggestions.csv
    """
    check_output(output, WRITTEN, [path, data_beside(path)])
    report = Reporter(as_json)
    predictor, data = load_predictor(path, seed, report)
    rows: list[dict[str, Any]] = []
    for source, target in _ways(data, kind):
        chosen = None if item is None else _named(data, source, item)
        if chosen == []:
            continue
        places, scores = predictor.suggest(source, target, chosen, count)
        items = range(data.sizes[source]) if chosen is None else chosen
        for row, column in zip(*((places >= 0) & (scores >= threshold)).nonzero(), strict=True):
            ends = items[row], int(places[row, column])
            reason = predictor.reason(source, ends[0], target, ends[1], k=REASONS)
            rows.append(
                {
                    "kind": source,
                    "item": name_of(data, source, ends[0]),
                    "suggested_kind": target,
                    "suggestion": name_of(data, target, ends[1]),
                    "score": round(float(scores[row, column]), 4),
                    "reason": ", ".join(dict.fromkeys(map(str, reason["id"]))),
                }
            )
    if item is not None and not any(_named(data, source, item) for source, _ in _ways(data, kind)):
        raise ParameterError(f"--for must name an item that has links, got {item!r}")
    rows.sort(key=lambda row: -row["score"])
    headings = ("kind", "item", "suggested_kind", "suggestion", "score", "reason")
    write_outputs({output: lambda file: write_table(file, {name: [row[name] for row in rows] for name in headings})})
    record = {"suggestions": len(rows), "best": rows[:MOST_SHOWN], "table": str(output)}
    lines = [f"{row['item']}: {row['suggestion']} ({row['score']:.0%}; {row['reason']})" for row in rows[:MOST_SHOWN]]
    report.summary(record, [f"suggestions: {len(rows)}", *lines, f"written to {output}"])


def load_predictor(path: Path, seed: int, report: Reporter) -> tuple[mrsne.LinkPredictor, mrsne.RelationalData]:
    """Return a predictor of the links of a map's items, with the perplexity and the metric of the map."""
    saved = mrsne.SavedMap.load(path)
    known = saved.affinity_settings or {}
    settings = {name: known[name] for name in ("perplexity", "metric") if name in known}
    report.say(["learning from the links that there are"])
    return mrsne.LinkPredictor(**settings, random_state=seed).fit(saved.data), saved.data


def name_of(data: mrsne.RelationalData, kind: str, position: int) -> str:
    """Return how links refer to an item: by its name or position."""
    return data.names[kind][position] if kind in data.names else str(position)


def _ways(data: mrsne.RelationalData, kind: str | None) -> list[tuple[str, str]]:
    """Return from which kinds to which links are suggested."""
    if kind is None:
        return list(data.pairs)
    check_option("--kind", kind, list(data.sizes))
    return [pair if pair[1] == kind else pair[::-1] for pair in data.pairs if kind in pair]


def _named(data: mrsne.RelationalData, kind: str, item: str) -> list[int]:
    """Return the positions of the items of a kind with this name or label."""
    names, labels = data.names.get(kind, ()), data.shown_names(kind) or ()
    found = [place for place, texts in enumerate(zip(names or labels, labels, strict=True)) if item in texts]
    if not labels and item.isdecimal() and int(item) < data.sizes[kind]:
        return [int(item)]
    return found
