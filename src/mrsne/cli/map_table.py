"""``mrsne map TABLE``: a table with one row for each item into a map."""

import time
from pathlib import Path

from mrsne.cli.map_outputs import changes_record, fit_map, lines_of_map, map_record, write_map
from mrsne.cli.options import MapRun
from mrsne.cli.reporter import Reporter
from mrsne.cli.summary import by_pair
from mrsne.cli.table_options import TableOptions
from mrsne.data.tables.addresses import table_name
from mrsne.parameters import ParameterError


def map_table(
    source: Path, options: TableOptions, min_count: int, image_model: str, run: MapRun, report: Reporter
) -> None:
    """Make a map of a table, or only say what its columns are taken for."""
    from mrsne.data.collection.collection import Collection, read_tables
    from mrsne.data.equal_links import options_that_tell_apart
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
    if hint := options_that_tell_apart(data):
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
        "changes": changes_record(saved.embedding),
        "seconds": round(time.perf_counter() - start, 1),
        **files,
    }
    report.summary({**plan.record(), **record}, lines_of_map(record, {}, full_size=False))
