"""``mrsne map TABLE``: a table with one row for each item into a map."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Any

from mrsne.cli.map_outputs import fit_map, lines_of_map, map_record, write_map
from mrsne.cli.options import MapRun
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import by_pair
from mrsne.cli.table_options import TableOptions
from mrsne.data.tables.addresses import table_name
from mrsne.parameters import ParameterError

NAMED = 3  # columns that a hint names at most


def map_table(
    source: Path, options: TableOptions, min_count: int, image_model: str, run: MapRun, report: Reporter
) -> None:
    """Make a map of a table, or only say what its columns are taken for."""
    from mrsne.data.collection.collection import Collection, read_tables
    from mrsne.data.table_plan import plan_collection

    start = time.perf_counter()
    if len(options.also) != len(options.on):
        raise ParameterError(
            f"--also and --on belong together: a table, and the column of {source.name} that holds its ids; "
            f"got {len(options.also)} × --also and {len(options.on)} × --on"
        )
    also = list(zip(options.on, options.also, strict=True))
    plan = plan_collection(source, options.table, also, options.choices(min_count), options.pictures)
    if options.dry_run:
        report.summary(plan.record(), plan.lines())
        return
    report.say(plan.lines())
    with report.warnings_as_notes():
        collection = Collection(*read_tables(plan, image_model, run.cache, report))
    data = collection.data
    if hint := columns_that_would_tell_apart(data):
        report.remark(hint)
    saved = fit_map(collection, run, report)
    unnamed = {*data.pictures, *([plan.plan.item] if plan.plan.table.source.endswith(".h5ad") else [])}  # barcodes
    named = [name for name in data.sizes if name not in unnamed]
    files = write_map(saved, run, Path(table_name(source)).stem, named, report)
    record = {
        "items": dict(data.sizes),
        "links": by_pair({pair: W.nnz for pair, W in data.relations.items()}),
        "items_without_vector": {name: int(mask.sum()) for name, mask in data.missing.items()},
        "left_out": collection.left_out,
        **map_record(saved),
        "seconds": round(time.perf_counter() - start, 1),
        **files,
    }
    report.summary({**plan.record(), **record}, lines_of_map(record, {}, full_size=False))


def columns_that_would_tell_apart(data: Any) -> str | None:
    """Return a sentence about rows with the same links, where columns that are only shown differ for most of them."""
    import numpy as np

    item = next(iter(data.sizes))
    links = [data.relation(item, b if a == item else a) for a, b in data.relations if item in (a, b)]
    if data.count_vectors(item) or not links:
        return None
    random = np.random.default_rng(0)
    sums = np.sum([W @ random.random(W.shape[1]) for W in links], axis=0)  # the same for the same links
    _, group, counts = np.unique(sums, return_inverse=True, return_counts=True)
    alike = counts[group] > 1
    found = []
    for heading, values in data.columns.get(item, {}).items():
        known: Any = values
        if words := isinstance(values, tuple):
            known = np.array([text or "" for text in values])
            if np.char.count(known, " ").mean() < 2:
                continue  # names, addresses and categories say little in common
        _, code = np.unique(known, return_inverse=True)
        _, pair, number = np.unique(group * len(values) + code, return_inverse=True, return_counts=True)
        apart = int((alike & (number[pair] == 1)).sum())
        if 2 * apart >= alike.sum() > 0:
            found.append((-apart, f"{'--text' if words else '--vector'} {shlex.quote(heading)}"))
    options = " ".join(option for _, option in sorted(found)[:NAMED])
    return f"{alike.sum()} items have the same links as another; {options} would tell them apart" if found else None
