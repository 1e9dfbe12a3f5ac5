"""``mrsne map TABLE``: a table with one row for each item into a map."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mrsne.cli.map_outputs import lines_of_map, write_map
from mrsne.cli.map_settings import MapSettings
from mrsne.cli.reporter import Reporter
from mrsne.cli.scoring import brief_scores
from mrsne.cli.summary import by_pair
from mrsne.cli.table_options import TableOptions
from mrsne.cli.weight_shares import weight_shares

if TYPE_CHECKING:
    from mrsne.encoders import Encoded
    from mrsne.tables.roles import Role
    from mrsne.tables.table import Table

WIDEST = 24  # characters of a heading before what it is


def read_tables(source: Path, options: TableOptions) -> tuple[Table, list[tuple[Table, str]]]:
    """Return the table and those of ``--also``, each with the column of ``--on``."""
    from mrsne.tables.reading import open_table

    if len(options.also) != len(options.on):
        raise ValueError(
            f"--also and --on belong together: a table, and the column of {source.name} that holds its ids; "
            f"got {len(options.also)} × --also and {len(options.on)} × --on"
        )
    also = [(open_table(path), on) for path, on in zip(options.also, options.on, strict=True)]
    return open_table(source, table=options.table), also


def item_name(source: Path) -> str:
    """Return what a row is called: the singular of the file's name, if that is a plural.

    Examples
    --------
    >>> item_name(Path("works.csv")), item_name(Path("museum-2024.csv"))
    ('work', 'item')
    """
    from mrsne.tables.facts import singular

    stem = source.stem
    return singular(stem) if re.fullmatch(r"[^\W\d_]+", stem) and singular(stem) != stem else "item"


def describe_columns(source: str, size: int, roles: Mapping[str, Role]) -> list[str]:
    """Return a line for each column: what it was taken for.

    Examples
    --------
    >>> from mrsne.tables.roles import Role
    >>> describe_columns("works.csv", 3, {"tags": Role("kind", "tag", ";", 'lists separated by ";"')})
    ['works.csv: 3 rows, 1 column', '  tags  kind "tag": lists separated by ";"']
    """
    width = min(max(map(len, roles), default=0), WIDEST)
    lines = [f"{source}: {size:,} rows, {len(roles)} column{'s' * (len(roles) != 1)}"]
    for heading, role in roles.items():
        what = f'kind "{role.kind}"' if role.role == "kind" else "not used" if role.role == "unused" else role.role
        lines.append(f"  {heading:<{width}}  {what}{f': {role.reason}' if role.reason else ''}")
    return lines


def map_table(
    source: Path, output: Path, theme: str | None, options: TableOptions, settings: MapSettings, report: Reporter
) -> None:
    """Make a map of a table, or only say what its columns are taken for."""
    from mrsne import MRSNE
    from mrsne.data import RelationalData
    from mrsne.tables.joining import parts_from_tables, plan_tables, with_pictures
    from mrsne.tables.models import PictureSource
    from mrsne.tables.recipe import Recipe

    start = time.perf_counter()
    table, also = read_tables(source, options)
    plan, seconds = plan_tables(table, also, options.choices(item_name(source), settings.min_count))
    if options.pictures is not None:
        plan = with_pictures(plan, options.pictures)
    plans = [plan, *(second.plan for second in seconds)]
    lines = [line for each in plans for line in describe_columns(each.table.source, each.table.size, each.roles)]
    columns = {each.table.source: _columns_record(each.roles) for each in plans}
    rows = {each.table.source: each.table.size for each in plans}
    if options.dry_run:
        report.summary({"rows": rows, "columns": columns}, lines)
        return
    report.say(lines)
    parts = parts_from_tables(
        plan, seconds, PictureSource(options.pictures or table.folder, _encoder(settings, report))
    )
    data = RelationalData(**parts.arguments())
    model = MRSNE(**settings.model, random_state=settings.seed, verbose=report.live)
    about = {
        "settings": settings.model,
        "recipe": Recipe.of(parts).to_record(),
        "image_model": settings.image_model,
    }
    with report.warnings_as_notes():
        embedding = model.fit_transform(data)
        labels = [name for name in data.sizes if name not in data.pictures]
        with report.stage("writing the map"):
            files = write_map(embedding, data, parts.problems, output, theme, about, source.stem, labels)
    record = {
        "rows": rows,
        "columns": columns,
        "items": dict(data.sizes),
        "links": by_pair({pair: W.nnz for pair, W in data.relations.items()}),
        "items_without_vector": {name: int(np.count_nonzero(mask)) for name, mask in data.missing.items()},
        "left_out": parts.problems,
        "iterations": model.n_iter_,
        "weights": weight_shares(model.weights_),
        "kl_divergence": round(float(model.kl_divergence_), 4),
        **brief_scores(embedding, data),
        "seconds": round(time.perf_counter() - start, 1),
        **files,
    }
    shown = {key: value for key, value in record.items() if key not in ("rows", "columns")}
    report.summary(record, lines_of_map(shown, {}, full_size=False))


def _columns_record(roles: Mapping[str, Role]) -> dict[str, dict[str, str | None]]:
    """Return what columns were taken for, as programs read it."""
    return {heading: {"role": role.role, "kind": role.kind, "reason": role.reason} for heading, role in roles.items()}


def _encoder(settings: MapSettings, report: Reporter) -> Callable[[Sequence[Path], int], Encoded]:
    """Return what turns pictures into vectors, with a bar on the terminal."""
    from mrsne.encoders import encode_pictures

    def encode(paths: Sequence[Path], side: int) -> Encoded:
        with report.warnings_as_notes(), report.bar("pictures", len(paths)) as advance:
            encoded = encode_pictures(
                paths, model=settings.image_model, cache=settings.cache, thumbnail_side=side, progress=advance
            )
        report.known_pictures(encoded.n_known, len(paths))
        return encoded

    return encode
